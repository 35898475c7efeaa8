// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameter `wait` of every device.
#ifndef HALYARD_DRIVER_KIT_DEVICE_WAIT_OPTION_H_
#define HALYARD_DRIVER_KIT_DEVICE_WAIT_OPTION_H_

#include <array>
#include <string_view>

#include "base/status.h"
#include "base/wait_policy.h"
#include "driver_kit/device/options.h"

namespace halyard {

inline Status ReadWaitMode(Options& options, WaitMode* mode) {
  // In the order of WaitMode.
  static constexpr std::array<std::string_view, 4> kModes = {"auto", "spin", "yield", "block"};
  auto index = static_cast<size_t>(*mode);
  HAL_TRY(options.Word("wait", kModes, &index));
  *mode = static_cast<WaitMode>(index);
  return kOk;
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_WAIT_OPTION_H_
