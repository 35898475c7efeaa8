// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which encoder runs which command, where memory barriers stand and which encoder waits for which. Knows no Metal.
#ifndef HALYARD_METAL_RECORDING_METAL_ENCODER_PLAN_H_
#define HALYARD_METAL_RECORDING_METAL_ENCODER_PLAN_H_

#include <cstdint>
#include <span>

#include "base/host_memory.h"

namespace halyard::metal {

/// The two kinds of encoder.
enum class PassKind { kCompute, kBlit };

/// A command that runs something.
struct PlanNode {
  PassKind kind = PassKind::kCompute;
  uint32_t after = 0;  ///< it must come after this many of the nodes before it; never falls from node to node
};

/// A node in its place.
struct PlanStep {
  uint32_t node = 0;
  bool barrier = false;  ///< a memory barrier stands before it
};

/// One encoder.
struct PlanPass {
  PassKind kind = PassKind::kCompute;
  uint32_t first_step = 0;
  uint32_t step_count = 0;
  uint32_t first_wait = 0;  ///< in EncoderPlan::waits
  uint32_t wait_count = 0;
  bool signals = false;  ///< a later pass waits for it
};

struct EncoderPlan {
  HostVector<PlanStep> steps;
  HostVector<PlanPass> passes;
  HostVector<uint32_t> waits;  ///< passes
};

/// Nodes that nothing orders may change places, to spare a switch between encoders: transfers and dispatches between
/// two barriers become two passes, whatever their order was.
///
/// Inside a compute pass a memory barrier orders nodes; inside a blit pass there is none, so that ordered blits are in
/// different passes. Passes that must come one after the other are ordered by a fence; a pass waits for no pass that
/// another one, for which it waits, has waited for.
/// @param serial  compute passes run their nodes in order, without barriers
EncoderPlan PlanEncoders(std::span<const PlanNode> nodes, bool serial);

}  // namespace halyard::metal

#endif  // HALYARD_METAL_RECORDING_METAL_ENCODER_PLAN_H_
