// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "specialized_module.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace halyard::tools {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

/// Whether two defaults are what one value becomes as either type.
bool AreOfOneValue(const SpirvConstant& left, const SpirvConstant& right) {
  if (left.type == HAL_ELEMENT_TYPE_I1 || right.type == HAL_ELEMENT_TYPE_I1) return true;  // of which one bit is left
  const uint32_t bits = 8 * std::min(left.size, right.size);
  const uint64_t mask = bits < 64 ? (uint64_t{1} << bits) - 1 : ~uint64_t{0};
  return ((left.default_value ^ right.default_value) & mask) == 0;
}

/// Whether a constant with that number or name has that default.
bool HasDefault(const SpirvImage& image, const std::string& wanted, const SpirvConstant& changed) {
  return std::ranges::any_of(image.constants, [&](const SpirvConstant& constant) {
    const bool is_wanted = std::to_string(constant.id) == wanted || std::string_view(constant.name) == wanted;
    return is_wanted && AreOfOneValue(constant, changed);
  });
}

/// The constants of both are the same, except for the defaults of those that are wanted. A module that nothing has
/// validated may give one constant several numbers; then it has the new default under each of them.
void CheckConstants(const SpirvImage& before, const SpirvImage& after, const std::string& wanted) {
  Require(before.constants.size() == after.constants.size());
  for (size_t i = 0; i < before.constants.size(); ++i) {
    const SpirvConstant &old = before.constants[i], &now = after.constants[i];
    Require(old.id == now.id && old.size == now.size && old.type == now.type && old.name == now.name);
    Require(old.default_value == now.default_value || HasDefault(after, wanted, now));
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
  Require(Succeeds(ReadSpirv(changed, &after)));
  CheckConstants(module.image, after, argument.constant);
  return changed;
}

}  // namespace halyard::tools
