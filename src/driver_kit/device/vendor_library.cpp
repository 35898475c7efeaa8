// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/device/vendor_library.h"

#include "platform/environment.h"

namespace halyard {

Status VendorLibrary::Open(const char* what, const char* variable, std::span<const char* const> files) {
  const char* const override_path = EnvironmentVariable(variable);
  if (override_path) files = {&override_path, 1};
  HostString reason;
  for (const char* file : files) {
    path_ = file;
    Failure failure(file_.Open(file));
    if (failure.code() != HAL_STATUS_NOT_FOUND) return failure.Take();  // there is one, even if memory lacks to load it
    if (reason.empty()) reason = failure.message();
  }
  return Fail(
      HAL_STATUS_UNAVAILABLE, "no %s: %s (%s %s)", what, reason.c_str(), variable,
      EnvironmentIsForeign() ? "is ignored, as the program is setuid or has capabilities" : "names another library");
}

Status CheckNotForked(const char* what, uint64_t loaded_in) {
  if (loaded_in == 0 || loaded_in == ProcessId()) return kOk;
  return Fail(HAL_STATUS_UNAVAILABLE,
              "the %s was initialised before fork(), and does not work in a child process: use it in the child alone, "
              "or start the child with exec()",
              what);
}

Status FailVendorCall(hal_status_t status, const char* call, const char* name, const char* text, int code) {
  if (!name) return Fail(status, "%s: error %d", call, code);
  return Fail(status, "%s: %s (%s)", call, name, text ? text : "no text");
}

}  // namespace halyard
