// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/native/vulkan_options.h"

#include <algorithm>
#include <array>

#include "driver_kit/device/wait_option.h"
#include "submission/queue_point.h"

namespace halyard::vulkan {
namespace {

constexpr std::array<std::string_view, 3> kValidations = {"off", "on", "sync"};        // in the order of Validation
constexpr std::array<std::string_view, 3> kTransfers = {"auto", "command", "kernel"};  // in the order of Transfers

constexpr uint64_t kGpuTimeout = 300;       // seconds
constexpr uint64_t kMostTimeout = 1 << 20;  // seconds: days

uint64_t HeapBytes(const VkPhysicalDeviceMemoryProperties& memory) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) bytes += memory.memoryHeaps[i].size;
  return bytes;
}

}  // namespace

Status ReadOptions(Options& options, const VulkanTraits& traits, VulkanOptions* out) {
  uint64_t queues = std::min(traits.queue_count, 4u);
  size_t validation = 0;
  size_t transfers = 0;
  std::string_view trace;
  out->memory = HeapBytes(traits.memory);
  out->timeout = traits.is_cpu() ? 0 : kGpuTimeout;
  HAL_TRY(options.Uint("queues", 1, kMaxQueues, &queues));
  HAL_TRY(options.Bytes("memory", &out->memory));
  HAL_TRY(options.Bytes("pool", &out->pool));
  HAL_TRY(options.Word("validation", kValidations, &validation));
  HAL_TRY(options.Bool("robust", &out->robust));
  HAL_TRY(options.Uint("timeout", 0, kMostTimeout, &out->timeout));
  HAL_TRY(options.Word("transfers", kTransfers, &transfers));
  HAL_TRY(options.Uint("commands_per_submission", 0, UINT32_MAX, &out->commands_per_submission));
  HAL_TRY(ReadWaitMode(options, &out->wait));
  HAL_TRY(options.Text("trace", &trace));
  out->queue_count = static_cast<uint32_t>(queues);
  out->validation = static_cast<Validation>(validation);
  out->transfers = static_cast<Transfers>(transfers);
  out->trace = trace;
  if (out->robust && !traits.robust_access) {
    return FailWith(HAL_STATUS_UNAVAILABLE, "robust=on: the device lacks the feature robustBufferAccess");
  }
  return kOk;
}

}  // namespace halyard::vulkan
