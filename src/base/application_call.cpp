// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/application_call.h"

#include <exception>

#include "base/log.h"

namespace halyard {

Status ThrownStatus(const char* what) noexcept {
  try {
    throw;
  } catch (const std::exception& error) {
    return Fail(HAL_STATUS_ABORTED, "%s threw an exception: %s", what, error.what());
  } catch (...) {
    return Fail(HAL_STATUS_ABORTED, "%s threw an exception that is no std::exception", what);
  }
}

void LogThrown(const char* what) noexcept {
  const ScopedErrorMessage keeper;
  static_cast<void>(ThrownStatus(what));
  Log(HAL_LOG_LEVEL_ERROR, LastErrorMessage());
}

}  // namespace halyard
