// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "specialized_module.h"

#include <cstdlib>

namespace halyard::tools {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

/// The constants of both are the same but for the default of one.
void CheckConstants(const SpirvImage& before, const SpirvImage& after) {
  Require(before.constants.size() == after.constants.size());
  size_t changed = 0;
  for (size_t i = 0; i < before.constants.size(); ++i) {
    const SpirvConstant &old = before.constants[i], &now = after.constants[i];
    Require(old.id == now.id && old.size == now.size && old.type == now.type && old.name == now.name);
    changed += old.default_value != now.default_value ? 1 : 0;
  }
  Require(changed <= 1);
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
  CheckConstants(module.image, after);
  return changed;
}

}  // namespace halyard::tools
