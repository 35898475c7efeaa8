// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives the specialisation constants of a module of SPIR-V other defaults, as halyard-pack does for a description.
// A module that the library's reader takes must be one afterwards, with the same constants.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "specialized_module.h"

namespace halyard::tools {
namespace {

// One constant of each module, which changes with the module's length, so that an execution costs a few readings.
void SetDefaults(std::span<const std::byte> input) {
  ReadModule module;
  if (!Succeeds(ReadSpirv(input, &module.image)) || module.image.constants.empty()) return;
  module.bytes.assign(input.begin(), input.end());
  const SpirvConstant& constant = module.image.constants[input.size() / 4 % module.image.constants.size()];
  const std::string id = std::to_string(constant.id);
  const auto with = [&](const char* value) {
    return CheckSetDefault({id, id, value, HAL_ELEMENT_TYPE_NONE, "", ExitCode::kInput}, module);
  };
  static_cast<void>(with("-35"));
  const std::vector<std::byte> zero = with("0");
  const std::vector<std::byte> one = with("1");
  if (!zero.empty() && zero == one) std::abort();
}

}  // namespace
}  // namespace halyard::tools

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  halyard::tools::SetDefaults(std::as_bytes(std::span(data, size)));
  return 0;
}
