// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPIR-V that was checked, as words and instructions.
#ifndef HALYARD_TOOLS_REFLECT_SPIRV_MODULE_H_
#define HALYARD_TOOLS_REFLECT_SPIRV_MODULE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halyard::tools {

/// One instruction: its number, and all of its words.
struct SpirvInstruction {
  uint32_t opcode;
  std::span<const uint32_t> words;
};

/// A module that the validator of SPIRV-Tools accepts. What comes after it (SPIRV-Cross, the optimiser) trusts what it
/// is given, so nothing else may reach it.
class SpirvModule {
 public:
  /// Forgets the language of the source: the validator refuses numbers that it does not know, and they say nothing of
  /// the code. Conversions of a floating-point number to its own type become copies, which the validator takes and
  /// devices do not tell apart. Throws Failure (kInput) with the name of the file; InvalidSpirv if the validator
  /// refuses the module.
  SpirvModule(std::string path, std::span<const std::byte> image);

  /// The names of the compute kernels, in the order of the module.
  std::vector<std::string> Kernels() const;
  /// A module with that kernel and what it uses. A module of one kernel stays as it is.
  SpirvModule Only(std::string_view kernel) const;
  /// A module of one kernel with all functions inlined, without unused constants. Throws Failure (kInput) where a
  /// function cannot be inlined.
  SpirvModule Inlined() const;
  /// A module in which what is computed from numbers alone is a number.
  SpirvModule Folded() const;
  /// What was made of this module; nothing checks it.
  SpirvModule Rewritten(std::vector<uint32_t> words) const { return {path_, std::move(words)}; }

  const std::string& path() const { return path_; }
  const std::vector<uint32_t>& words() const { return words_; }
  /// The words before the first instruction.
  std::span<const uint32_t> Head() const { return std::span(words_).first(kHeadWords); }
  std::vector<SpirvInstruction> Instructions() const;

  static constexpr size_t kHeadWords = 5;
  static constexpr size_t kBoundWord = 3;  ///< in the head: all ids are below it

 private:
  SpirvModule(std::string path, std::vector<uint32_t> words) : path_(std::move(path)), words_(std::move(words)) {}
  void CheckHead() const;
  void ForgetLanguage();
  void CopyWhatConvertsNothing();
  void Validate() const;
  void Validate(const std::vector<uint32_t>& words) const;
  std::vector<uint32_t> WithConstantsInCode() const;
  bool HasCalls() const;

  std::string path_;
  std::vector<uint32_t> words_;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_REFLECT_SPIRV_MODULE_H_
