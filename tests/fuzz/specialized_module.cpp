// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "specialized_module.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace halyard::tools {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

/// Whether a constant with that number or name has that default.
bool HasDefault(const SpirvImage& image, const std::string& wanted, uint64_t value) {
  return std::ranges::any_of(image.constants, [&](const SpirvConstant& constant) {
    const bool is_wanted = std::to_string(constant.id) == wanted || std::string_view(constant.name) == wanted;
    return is_wanted && constant.default_value == value;
  });
}

/// The constants of both are the same but for the defaults of those that are wanted. A module that nothing has
/// validated may give one constant several numbers; then it has the new default under each of them.
void CheckConstants(const SpirvImage& before, const SpirvImage& after, const std::string& wanted) {
  Require(before.constants.size() == after.constants.size());
  for (size_t i = 0; i < before.constants.size(); ++i) {
    const SpirvConstant &old = before.constants[i], &now = after.constants[i];
    Require(old.id == now.id && old.size == now.size && old.type == now.type && old.name == now.name);
    Require(old.default_value == now.default_value || HasDefault(after, wanted, now.default_value));
  }
}

}  // namespace

std::vector<std::byte> CheckSetDefault(const SpecializeArgument& argument, const ReadModule& module) {
  std::vector<std::byte> changed = module.bytes;
  try {
    if (!SetDefault(argument, &changed)) {
      Require(changed == module.bytes);
      return changed;
    }
  } catch (const Failure& failure) {
    Require(failure.code() == ExitCode::kInput);
    Require(failure.what()[0] != '\0');
    Require(changed == module.bytes);
    return {};
  }
  SpirvImage after;
  Require(changed.size() == module.bytes.size());
  Require(ReadSpirv(changed, &after) == HAL_STATUS_OK);
  CheckConstants(module.image, after, argument.constant);
  return changed;
}

}  // namespace halyard::tools
