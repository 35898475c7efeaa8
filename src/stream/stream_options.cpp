// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/stream_options.h"

#include <array>

#include "stream/stream_action.h"

namespace halyard::stream {
namespace {

constexpr std::array<std::string_view, 3> kCompletions = {"auto", "fast", "portable"};

}  // namespace

Status ReadOptions(Options& options, const NativeTraits& traits, StreamDeviceOptions* out) {
  uint64_t queues = out->queue_count;
  size_t completion = 0;
  out->async_allocation = traits.memory_pools;
  out->memory = traits.total_memory;
  if (Status status = options.Uint("queues", 1, kMaxQueues, &queues); status != kOk) return status;
  if (Status status = options.Word("completion", kCompletions, &completion); status != kOk) return status;
  if (Status status = options.Bool("async_allocation", &out->async_allocation); status != kOk) return status;
  if (Status status = options.Bytes("memory", &out->memory); status != kOk) return status;
  out->queue_count = static_cast<uint32_t>(queues);
  out->fast_completion = completion == 1 || (completion == 0 && traits.stream_writes);
  if (out->fast_completion && !traits.stream_writes) {
    return FailWith(HAL_STATUS_UNAVAILABLE,
                    "completion=fast: the device's streams cannot write to memory; use portable");
  }
  if (out->async_allocation && !traits.memory_pools) {
    return FailWith(HAL_STATUS_UNAVAILABLE, "async_allocation=true: the device has no memory pools");
  }
  return kOk;
}

}  // namespace halyard::stream
