// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a test can ask of the forwarding Vulkan library in addition to control.h. The functions are exported by the
// library itself. All are thread-safe and count as no call of Vulkan.
#ifndef HALYARD_TESTS_SIM_VULKAN_VULKAN_CONTROL_H_
#define HALYARD_TESTS_SIM_VULKAN_VULKAN_CONTROL_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// How a loss shows. halyardSimLoseDevice() of control.h takes these numbers too: the n-th submission from then on loses
// the device and is not carried out.
enum HalyardSimLoss {
  // Every later call that can answers VK_ERROR_DEVICE_LOST.
  HALYARD_SIM_LOSS_TOLD = 0,
  // Counters stand still, submissions are accepted and not carried out, waits answer VK_TIMEOUT. Waiting for an idle
  // queue or device tells, and so does the third submission; from then on every call tells.
  HALYARD_SIM_LOSS_LATE = 1,
  // The same, but only waiting for an idle queue or device tells. From then on submissions tell too; waits never do.
  HALYARD_SIM_LOSS_SILENT = 2,
  // The same, but counters have the highest value there is, so that waits end.
  HALYARD_SIM_LOSS_WILD = 3,
};

// Loses every logical device that exists now of a physical device, by its place in the enumeration. Work that was
// forwarded ends first, unseen. Returns how many logical devices that were. Devices made later work.
__attribute__((visibility("default"))) uint64_t halyardSimLoseVulkan(int device, int how);

// From now on every call of a function of Vulkan returns `result` and does nothing else; 0 ends it.
__attribute__((visibility("default"))) void halyardSimFailCalls(const char* name, int result);

// Runs a function once, in the middle of the next call of a function of Vulkan by its name: on the calling thread,
// after all checks and before the real function. For tests that want two threads inside calls at the same time. With
// the name halyardSimLoseVulkan it runs once the devices are lost, before their work ends.
__attribute__((visibility("default"))) void halyardSimInside(const char* name, void (*function)(void*), void* context);

// The size of subgroups that the compute pipeline which was made last asks for; 0 if it asks for none.
__attribute__((visibility("default"))) uint32_t halyardSimSubgroupSize(void);

#ifdef __cplusplus
}
#endif

#endif  // HALYARD_TESTS_SIM_VULKAN_VULKAN_CONTROL_H_
