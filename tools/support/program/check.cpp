// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/program/check.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace halyard::tools {
namespace {

bool IsFunctionName(std::string_view text) {
  return text.starts_with("hal_") &&
         std::ranges::all_of(text, [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '_'; });
}

struct Word {
  std::string_view api;
  std::string_view tool;
};
// What users of the tools know fields of the C API as. The first that fits counts; the last is for all others.
constexpr std::array kWords = {
    Word{"params->workgroup_size", "--workgroup-size"},
    Word{"params->workgroup_count", "--workgroups"},
    Word{"params->dynamic_local_memory", "--local-memory"},
    Word{"params->constants_size", "the size of all constants (--constant)"},
    Word{"params->constants", "--constant"},
    Word{"params->bindings.refs", "bindings"},
    Word{"params->bindings.count", "the number of bindings"},
    Word{"params->binding_shapes", "shapes of bindings"},
    Word{"params->exports", "--exports=FILE"},
    Word{"params->specializations", "--specialize"},
    Word{"params->imports", "--import"},
    Word{"params->", ""},
};

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

std::string InWordsOfTools(std::string_view message) {
  std::string text(message);
  for (const Word& word : kWords) {
    for (size_t at = text.find(word.api); at != std::string::npos; at = text.find(word.api, at + word.tool.size())) {
      text.replace(at, word.api.size(), word.tool);
    }
  }
  return text;
}

}  // namespace

std::string LastError() {
  const std::string_view message = hal_last_error_message();
  const size_t colon = message.find(": ");
  const bool has_function = colon != std::string_view::npos && IsFunctionName(message.substr(0, colon));
  return InWordsOfTools(has_function ? message.substr(colon + 2) : message);
}

void Check(hal_status_t status, ExitCode code, std::string_view doing) {
  if (status == HAL_STATUS_OK) return;
  Fail(CodeFor(status, code), "cannot ", doing, ": ", LastError(), " (", hal_status_name(status), ")");
}

}  // namespace halyard::tools
