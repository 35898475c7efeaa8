// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many of the machine's processors this process may use.
#ifndef HALYARD_DRIVER_KIT_DEVICE_USABLE_PROCESSORS_H_
#define HALYARD_DRIVER_KIT_DEVICE_USABLE_PROCESSORS_H_

#include <cstdint>
#include <string_view>

namespace halyard {

/// The processors that this thread, and those that it starts, may run on, or as many as the CPU quota of the process's
/// cgroups is worth, rounded up, if these are fewer. At least 1. Reads the system's files each time.
uint32_t UsableProcessors();

/// What the quota alone is worth: the smallest of this cgroup and those around it, of either version; UINT32_MAX if
/// there is none.
/// @param root  the folder that stands for "/"; empty for the system's
uint32_t ProcessorsOfQuota(std::string_view root);

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_USABLE_PROCESSORS_H_
