// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The validator's word on SPIR-V, and its translation for Metal. Both need SPIRV-Cross and SPIRV-Tools when Halyard
// is built; without them modules are not validated, and the translation fails with that as the reason.
#ifndef HALYARD_TOOLS_REFLECT_SPIRV_REFLECTION_H_
#define HALYARD_TOOLS_REFLECT_SPIRV_REFLECTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "halyard/base.h"
#include "support/failure.h"

namespace halyard::tools {

/// That SPIRV-Tools' validator refuses a module, so that SPIRV-Cross may not see it.
class InvalidSpirv : public Failure {
 public:
  InvalidSpirv(const std::string& path, const std::string& complaint)
      : Failure(ExitCode::kInput, Concat("'", path, "' is no valid SPIR-V: ", complaint)), complaint_(complaint) {}
  /// What the validator says, in one line.
  const std::string& complaint() const { return complaint_; }

 private:
  std::string complaint_;
};

/// Throws Failure (kInput), naming the file `path`, if a module is not valid: InvalidSpirv if the validator refuses it.
void ValidateSpirv(const std::string& path, std::span<const std::byte> image);

/// A version of Metal's language.
struct MslVersion {
  uint32_t major = 2;
  uint32_t minor = 3;
};

/// The buffer index of the constants: behind the descriptor sets, of which a kernel has kMslSets at most.
inline constexpr uint32_t kMslSets = 8;
inline constexpr uint32_t kMslConstantsIndex = 8;

/// Kernels in Metal's language.
struct MslSource {
  std::string text;  ///< all kernels
  std::map<std::string, std::string>
      symbols;  ///< what they are called in it, where that is another name: main0 for main
  /// Of kernels with arrays whose length depends on the size of a workgroup: the size that they were translated for,
  /// and that each dispatch has to have. 0 for sides that no constant gives.
  std::map<std::string, std::array<uint32_t, 3>> sizes;
};

/// The kernels of a module in Metal's language, all in one source.
///
/// Descriptor set S is the argument buffer at buffer index S, in which binding B has the id B. A kernel that uses a set
/// beyond the last index has its sets numbered anew, in their order. Throws Failure (kInput) if something cannot be
/// translated, naming kernel and instruction.
/// @param sizes  of workgroups, by kernel, where arrays depend on them; else those that the constants say
MslSource TranslateSpirvToMsl(const std::string& path, std::span<const std::byte> image, MslVersion version,
                              const std::map<std::string, hal_dim3_t>& sizes = {});

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_REFLECT_SPIRV_REFLECTION_H_
