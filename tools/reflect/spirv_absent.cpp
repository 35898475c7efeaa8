// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In place of the other files on SPIR-V where the libraries are missing that they need.
#include "reflect/spirv_reflection.h"
#include "support/failure.h"

namespace halyard::tools {
namespace {

[[noreturn]] void FailWithout(const std::string& path) {
  Fail(ExitCode::kInput, "'", path,
       "' is SPIR-V; its translation for Metal needs a build of this program with SPIRV-Cross and SPIRV-Tools");
}

}  // namespace

void ValidateSpirv(const std::string& /*path*/, std::span<const std::byte> /*image*/) {}

MslSource TranslateSpirvToMsl(const std::string& path, std::span<const std::byte> /*image*/, MslVersion /*version*/,
                              const std::map<std::string, hal_dim3_t>& /*sizes*/) {
  FailWithout(path);
}

}  // namespace halyard::tools
