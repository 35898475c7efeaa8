// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/program/check.h"

#include <algorithm>
#include <cctype>

namespace halyard::tools {
namespace {

bool IsFunctionName(std::string_view text) {
  return text.starts_with("hal_") &&
         std::ranges::all_of(text, [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '_'; });
}

ExitCode CodeFor(hal_status_t status, ExitCode code) {
  switch (status) {
    case HAL_STATUS_DEVICE_LOST:
    case HAL_STATUS_UNAVAILABLE:
    case HAL_STATUS_RESOURCE_EXHAUSTED:
      return ExitCode::kDevice;
    case HAL_STATUS_INTERNAL:
      return ExitCode::kInternal;
    default:
      return code;
  }
}

}  // namespace

std::string LastError() {
  const std::string_view message = hal_last_error_message();
  const size_t colon = message.find(": ");
  const bool has_function = colon != std::string_view::npos && IsFunctionName(message.substr(0, colon));
  return std::string(has_function ? message.substr(colon + 2) : message);
}

void Check(hal_status_t status, ExitCode code, std::string_view doing) {
  if (status == HAL_STATUS_OK) return;
  Fail(CodeFor(status, code), "cannot ", doing, ": ", LastError(), " (", hal_status_name(status), ")");
}

}  // namespace halyard::tools
