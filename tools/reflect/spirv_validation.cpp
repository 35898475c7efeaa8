// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reflect/spirv_module.h"
#include "reflect/spirv_reflection.h"

namespace halyard::tools {

void ValidateSpirv(const std::string& path, std::span<const std::byte> image) { const SpirvModule module(path, image); }

}  // namespace halyard::tools
