// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/native/stream_options.h"

#include <array>

#include "submission/queue_point.h"

namespace halyard::stream {
namespace {

constexpr std::array<std::string_view, 3> kCompletions = {"auto", "fast", "portable"};
// In the order of CommandBufferMode.
constexpr std::array<std::string_view, 3> kCommandBuffers = {"stream", "graph", "auto"};
// In the order of IndirectChoice.
constexpr std::array<std::string_view, 3> kIndirects = {"auto", "host", "device"};

Status CheckIndirect(const NativeTraits& traits, const StreamDeviceOptions& options) {
  if (options.indirect != IndirectChoice::kDevice) return kOk;
  if (traits.no_indirect_launches) {
    return Fail(HAL_STATUS_UNAVAILABLE, "indirect=device: the device cannot read the counts of indirect dispatches: %s",
                traits.no_indirect_launches);
  }
  if (options.command_buffer != CommandBufferMode::kStream) return kOk;
  return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                  "indirect=device: the device reads counts in graphs only, and command_buffer=stream makes none");
}

}  // namespace

Status ReadOptions(Options& options, const NativeTraits& traits, StreamDeviceOptions* out) {
  uint64_t queues = out->queue_count;
  size_t completion = 0;
  auto command_buffer = static_cast<size_t>(out->command_buffer);
  auto indirect = static_cast<size_t>(out->indirect);
  out->async_allocation = traits.memory_pools;
  out->memory = traits.total_memory;
  if (Status status = options.Uint("queues", 1, kMaxQueues, &queues); status != kOk) return status;
  if (Status status = options.Word("completion", kCompletions, &completion); status != kOk) return status;
  if (Status status = options.Word("command_buffer", kCommandBuffers, &command_buffer); status != kOk) return status;
  if (Status status = options.Word("indirect", kIndirects, &indirect); status != kOk) return status;
  if (Status status = options.Bool("async_allocation", &out->async_allocation); status != kOk) return status;
  if (Status status = options.Bytes("memory", &out->memory); status != kOk) return status;
  if (Status status = options.Bytes("pool", &out->pool); status != kOk) return status;
  if (Status status = options.Bytes("pinned_pool", &out->pinned_pool); status != kOk) return status;
  if (Status status = options.Text("trace", &out->trace); status != kOk) return status;
  out->queue_count = static_cast<uint32_t>(queues);
  out->command_buffer = static_cast<CommandBufferMode>(command_buffer);
  out->indirect = static_cast<IndirectChoice>(indirect);
  out->fast_completion = completion == 1 || (completion == 0 && traits.stream_writes);
  if (out->fast_completion && !traits.stream_writes) {
    return FailWith(HAL_STATUS_UNAVAILABLE,
                    "completion=fast: the device's streams cannot write to memory; use portable");
  }
  if (out->async_allocation && !traits.memory_pools) {
    return FailWith(HAL_STATUS_UNAVAILABLE, "async_allocation=true: the device has no memory pools");
  }
  return CheckIndirect(traits, *out);
}

}  // namespace halyard::stream
