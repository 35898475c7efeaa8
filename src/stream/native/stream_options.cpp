// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/native/stream_options.h"

#include <array>

#include "driver_kit/device/wait_option.h"
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
  HAL_TRY(options.Uint("queues", 1, kMaxQueues, &queues));
  HAL_TRY(options.Word("completion", kCompletions, &completion));
  HAL_TRY(options.Word("command_buffer", kCommandBuffers, &command_buffer));
  HAL_TRY(options.Word("indirect", kIndirects, &indirect));
  HAL_TRY(options.Bool("async_allocation", &out->async_allocation));
  HAL_TRY(options.Bytes("memory", &out->memory));
  HAL_TRY(options.Bytes("pool", &out->pool));
  HAL_TRY(options.Bytes("pinned_pool", &out->pinned_pool));
  HAL_TRY(ReadWaitMode(options, &out->wait));
  HAL_TRY(options.Text("trace", &out->trace));
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
