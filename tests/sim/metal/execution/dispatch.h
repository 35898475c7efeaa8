// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dispatch as it was encoded, and how it runs.
#ifndef HALYARD_SIM_METAL_EXECUTION_DISPATCH_H_
#define HALYARD_SIM_METAL_EXECUTION_DISPATCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "execution/storage.h"
#include "msl/msl_host.h"

namespace halyard::metal_sim {

/// What is bound at one index: a buffer or bytes.
struct BoundArgument {
  std::shared_ptr<Storage> storage;
  uint64_t offset = 0;
  std::shared_ptr<const std::vector<std::byte>> bytes;
};

/// What an encoder was told of, and whether kernels write there.
using UsedResources = std::map<const Storage*, bool>;
using ResidentSets = std::vector<std::shared_ptr<const std::set<const Storage*>>>;

/// What an encoder has set. Copied by each dispatch.
struct DispatchState {
  std::array<BoundArgument, msl_host::kBufferIndices> buffers;
  std::array<size_t, msl_host::kBufferIndices> threadgroup_lengths{};
  std::shared_ptr<UsedResources> used = std::make_shared<UsedResources>();
};

struct Dispatch {
  DispatchState state;
  const msl_host::Kernel* kernel = nullptr;  // the pipeline keeps both alive
  const msl_host::Program* program = nullptr;
  std::shared_ptr<const void> pipeline;
  std::array<uint32_t, 3> groups{};
  std::array<uint32_t, 3> threads{};
  BoundArgument counts;  // of an indirect dispatch
  std::shared_ptr<const ResidentSets> resident;
};

/// Runs it. Returns what a page fault is about; empty if it went well.
std::string Run(const Dispatch& dispatch);

}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_EXECUTION_DISPATCH_H_
