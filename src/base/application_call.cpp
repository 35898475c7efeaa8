// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/application_call.h"

#include <exception>
#include <memory>

#include "base/log.h"
#include "platform/thread_end.h"

namespace halyard {

Status ThrownStatus(const char* what) noexcept {
  if (KeepThread()) return Fail(HAL_STATUS_ABORTED, "%s ended its thread, which the library needs; it goes on", what);
  try {
    throw;
  } catch (const std::exception& error) {
    return Fail(HAL_STATUS_ABORTED, "%s threw an exception: %s", what, error.what());
  } catch (...) {
    return Fail(HAL_STATUS_ABORTED, "%s threw an exception that is no std::exception of the library's C++ runtime",
                what);
  }
}

HostString* DescribeThrown(const char* what) noexcept {
  const Failure thrown(ThrownStatus(what));
  try {
    return new HostString(thrown.message());
  } catch (...) {
    return nullptr;
  }
}

void LogThrown(const char* what, HostString* text) noexcept {
  const std::unique_ptr<HostString> owned(text);
  Log(HAL_LOG_LEVEL_ERROR, text ? std::string_view(*text) : std::string_view(what));
}

}  // namespace halyard
