// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks an executable what can be told of a dispatch before it runs.
#ifndef HALYARD_DRIVER_KIT_EXECUTABLE_CHECK_BEFOREHAND_H_
#define HALYARD_DRIVER_KIT_EXECUTABLE_CHECK_BEFOREHAND_H_

#include "base/status.h"
#include "halyard/driver_api.h"

namespace halyard {

/// `Executable::CheckBeforehand(ordinal, params)` of a dispatch that is recorded or submitted; OK for other commands.
/// @tparam Executable  the driver's class, which all executables of the command's device have
template <typename Executable>
Status CheckBeforehand(const hal_command_t& command) {
  if (command.type != HAL_COMMAND_TYPE_DISPATCH) return kOk;
  const hal_command_dispatch_t& dispatch = command.u.dispatch;
  return static_cast<const Executable*>(dispatch.executable)->CheckBeforehand(dispatch.ordinal, *dispatch.params);
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_EXECUTABLE_CHECK_BEFOREHAND_H_
