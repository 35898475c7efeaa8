// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/device/vendor_library.h"

#include <cstdlib>

namespace halyard {

Status VendorLibrary::Open(const char* what, const char* variable, std::span<const char* const> files) {
  const char* const override_path = std::getenv(variable);
  if (override_path && *override_path) files = {&override_path, 1};
  HostString reason;
  for (const char* file : files) {
    path_ = file;
    if (file_.Open(file) == kOk) return kOk;
    if (reason.empty()) reason = LastErrorMessage();
  }
  return Fail(HAL_STATUS_UNAVAILABLE, "no %s: %s (%s names another library)", what, reason.c_str(), variable);
}

Status FailVendorCall(hal_status_t status, const char* call, const char* name, const char* text, int code) {
  if (!name) return Fail(status, "%s: error %d", call, code);
  return Fail(status, "%s: %s (%s)", call, name, text ? text : "no text");
}

}  // namespace halyard
