// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of a Metal device.
#ifndef HALYARD_METAL_NATIVE_METAL_OPTIONS_H_
#define HALYARD_METAL_NATIVE_METAL_OPTIONS_H_

#include "base/host_memory.h"
#include "base/status.h"
#include "base/wait_policy.h"
#include "driver_kit/device/options.h"
#include "metal/native/metal_traits.h"

namespace halyard::metal {

/// How transfers run.
enum class TransferMode { kAuto, kBlit, kKernel };

struct MetalOptions {
  uint32_t queue_count = 1;
  bool concurrent = true;         ///< dispatches of an encoder overlap unless a barrier orders them
  bool argument_encoder = false;  ///< argument buffers are written by MTLArgumentEncoder, not as addresses
  bool residency_set = false;     ///< else useResources in each encoder
  TransferMode transfers = TransferMode::kAuto;
  uint32_t in_flight = 64;          ///< command buffers of a queue that are committed and not completed
  uint64_t memory = 0;              ///< bytes that buffers may have altogether
  uint64_t pool = 256ull << 20;     ///< bytes that are cached between queue allocations
  WaitMode wait = WaitMode::kAuto;  ///< how threads of the application wait
  HostString capture;               ///< a file for a .gputrace, "xcode", or nothing
  HostString trace;                 ///< a file, or nothing
};

/// UNAVAILABLE for what the device cannot do.
Status ReadOptions(Options& options, const MetalTraits& traits, MetalOptions* out);

}  // namespace halyard::metal

#endif  // HALYARD_METAL_NATIVE_METAL_OPTIONS_H_
