// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of a Vulkan device.
#ifndef HALYARD_VULKAN_NATIVE_VULKAN_OPTIONS_H_
#define HALYARD_VULKAN_NATIVE_VULKAN_OPTIONS_H_

#include "base/host_memory.h"
#include "base/status.h"
#include "base/wait_policy.h"
#include "driver_kit/device/options.h"
#include "vulkan/native/vulkan_traits.h"

namespace halyard::vulkan {

/// What copies inside the device.
enum class Transfers { kAuto, kCommand, kKernel };

struct VulkanOptions {
  uint32_t queue_count = 1;
  uint64_t memory = 0;           ///< bytes that buffers may have altogether
  uint64_t pool = 256ull << 20;  ///< bytes that are cached between queue allocations
  Validation validation = Validation::kOff;
  bool robust = false;   ///< kernels that reach beyond a binding read and write nothing else
  uint64_t timeout = 0;  ///< seconds that work may be in flight without any progress; 0 for any time
  Transfers transfers = Transfers::kAuto;
  uint64_t commands_per_submission = 0;  ///< after so many, the next barrier begins another one; 0 for never
  WaitMode wait = WaitMode::kAuto;       ///< how threads of the application wait
  HostString trace;
};

/// UNAVAILABLE for what the device cannot do.
Status ReadOptions(Options& options, const VulkanTraits& traits, VulkanOptions* out);

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_NATIVE_VULKAN_OPTIONS_H_
