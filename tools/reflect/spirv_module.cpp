// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reflect/spirv_module.h"

#include <spirv-tools/libspirv.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <spirv-tools/optimizer.hpp>
#include <utility>

#include "reflect/spirv_reflection.h"
#include "reflect/spirv_writer.h"
#include "support/failure.h"

namespace halyard::tools {
namespace {

constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kSwappedMagic = 0x03022307;
// Readers keep tables of this length. The universal limit of SPIR-V is the same.
constexpr uint32_t kMostIds = 0x3FFFFF;
constexpr size_t kMostWords = 16 << 20;
// Each kernel is taken out of the whole module: the product of both numbers says how long that takes.
constexpr size_t kMostKernelWords = size_t{1} << 30;

constexpr uint32_t kSource = 3;
constexpr uint32_t kEntryPoint = 15;
constexpr uint32_t kConstantTrue = 41;
constexpr uint32_t kSpecConstantOp = 52;
constexpr uint32_t kFunction = 54;
constexpr uint32_t kFunctionEnd = 56;
constexpr uint32_t kCopyObject = 83;
constexpr uint32_t kFConvert = 115;
constexpr uint32_t kLabel = 248;
constexpr uint32_t kReturn = 253;
constexpr uint32_t kExecutionMode = 16;
constexpr uint32_t kExecutionModeId = 331;
constexpr uint32_t kGlCompute = 5;

constexpr spv_target_env kEnvironment = SPV_ENV_VULKAN_1_3;

bool IsKernel(const SpirvInstruction& instruction) {
  return instruction.opcode == kEntryPoint && instruction.words[1] == kGlCompute;
}

// The name in an OpEntryPoint; the validator has seen to its end.
std::string_view NameOf(const SpirvInstruction& entry_point) {
  const auto* const text = reinterpret_cast<const char*>(&entry_point.words[3]);
  const size_t size = (entry_point.words.size() - 3) * sizeof(uint32_t);
  return {text, strnlen(text, size)};
}

std::vector<uint32_t> ToWords(const std::string& path, std::span<const std::byte> image) {
  if (image.size() % sizeof(uint32_t) != 0) {
    Fail(ExitCode::kInput, "'", path, "' is no SPIR-V: its ", image.size(), " bytes are no whole number of words");
  }
  if (image.size() / sizeof(uint32_t) > kMostWords) Fail(ExitCode::kInput, "'", path, "' is too large for SPIR-V");
  std::vector<uint32_t> words(image.size() / sizeof(uint32_t));
  if (!words.empty()) std::memcpy(words.data(), image.data(), image.size());
  return words;
}

// The validator's text, which has line breaks where it shows an instruction.
std::string InOneLine(std::string_view text) {
  std::string line;
  for (const char letter : text) {
    const bool is_space = letter == ' ' || letter == '\n' || letter == '\t';
    if (!is_space) line += letter;
    if (is_space && !line.empty() && line.back() != ' ') line += ' ';
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

using Passes = std::vector<spvtools::Optimizer::PassToken>;

// What the optimiser makes of words that were checked; nothing if it fails.
std::optional<std::vector<uint32_t>> Optimize(const std::vector<uint32_t>& words, Passes passes) {
  spvtools::Optimizer optimizer(kEnvironment);
  for (spvtools::Optimizer::PassToken& pass : passes) optimizer.RegisterPass(std::move(pass));
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);  // it would use other options than Validate()
  std::vector<uint32_t> result;
  if (!optimizer.Run(words.data(), words.size(), &result, options)) return std::nullopt;
  return result;
}

}  // namespace

SpirvModule::SpirvModule(std::string path, std::span<const std::byte> image)
    : path_(std::move(path)), words_(ToWords(path_, image)) {
  CheckHead();
  ForgetLanguage();
  CopyWhatConvertsNothing();
  Validate();
}

void SpirvModule::CheckHead() const {
  if (words_.size() < kHeadWords) Fail(ExitCode::kInput, "'", path_, "' is no SPIR-V: it ends within its header");
  if (words_[0] == kSwappedMagic) Fail(ExitCode::kInput, "'", path_, "' is SPIR-V of the other byte order");
  if (words_[0] != kMagic) Fail(ExitCode::kInput, "'", path_, "' is no SPIR-V: it begins otherwise");
  if (words_[kBoundWord] > kMostIds) {
    Fail(ExitCode::kInput, "'", path_, "': the bound of ids is ", words_[kBoundWord], "; at most ", kMostIds,
         " may be");
  }
}

void SpirvModule::ForgetLanguage() {
  for (const SpirvInstruction& instruction : Instructions()) {
    if (instruction.opcode != kSource || instruction.words.size() < 2) continue;
    words_[static_cast<size_t>(instruction.words.data() - words_.data()) + 1] = 0;
  }
}

// glslang writes them for `float16_t(x)` of a float16_t. A value's type stands before it, in constants as in functions.
void SpirvModule::CopyWhatConvertsNothing() {
  std::map<uint32_t, uint32_t> types;  // of values; the first mention of a value is its definition
  bool is_code = false;
  for (const SpirvInstruction& instruction : Instructions()) {
    is_code |= instruction.opcode == kFunction;
    const bool is_constant = instruction.opcode >= kConstantTrue && instruction.opcode <= kSpecConstantOp;
    if ((!is_code && !is_constant) || instruction.words.size() < 3) continue;
    types.emplace(instruction.words[2], instruction.words[1]);
    if (instruction.opcode != kFConvert || instruction.words.size() != 4) continue;
    const auto operand = types.find(instruction.words[3]);
    if (operand == types.end() || operand->second != instruction.words[1]) continue;
    words_[static_cast<size_t>(instruction.words.data() - words_.data())] = 4 << 16 | kCopyObject;
  }
}

void SpirvModule::Validate() const {
  Validate(words_);
  const std::vector<SpirvInstruction> all = Instructions();
  if (std::ranges::count(all, kSpecConstantOp, &SpirvInstruction::opcode) > 0) Validate(WithConstantsInCode());
}

void SpirvModule::Validate(const std::vector<uint32_t>& words) const {
  const std::unique_ptr<spv_context_t, decltype(&spvContextDestroy)> context(spvContextCreate(kEnvironment),
                                                                             spvContextDestroy);
  const std::unique_ptr<spv_validator_options_t, decltype(&spvValidatorOptionsDestroy)> options(
      spvValidatorOptionsCreate(), spvValidatorOptionsDestroy);
  spvValidatorOptionsSetScalarBlockLayout(options.get(), true);
  spv_const_binary_t binary = {words.data(), words.size()};
  spv_diagnostic said = nullptr;
  const spv_result_t result = spvValidateWithOptions(context.get(), options.get(), &binary, &said);
  const std::unique_ptr<spv_diagnostic_t, decltype(&spvDiagnosticDestroy)> diagnostic(said, spvDiagnosticDestroy);
  if (result == SPV_SUCCESS) return;
  throw InvalidSpirv(path_,
                     diagnostic && diagnostic->error ? InOneLine(diagnostic->error) : "the validator does not say why");
}

// The validator checks no types in OpSpecConstantOp, and SPIRV-Cross ends the program if they are wrong. So a function
// that computes the same follows, which is like a kernel's.
std::vector<uint32_t> SpirvModule::WithConstantsInCode() const {
  SpirvWriter writer(*this);
  const std::vector<SpirvInstruction> all = Instructions();
  for (const SpirvInstruction& instruction : all) writer.Copy(instruction);
  const auto kernel = std::ranges::find(all, kEntryPoint, &SpirvInstruction::opcode);
  if (kernel == all.end()) return writer.Take();
  const auto function = std::ranges::find_if(all, [&](const SpirvInstruction& instruction) {
    return instruction.opcode == kFunction && instruction.words[2] == kernel->words[2];
  });
  writer.Add(kFunction, {function->words[1], writer.NewId(), 0, function->words[4]});
  writer.Add(kLabel, {writer.NewId()});
  for (const SpirvInstruction& instruction : all) {
    if (instruction.opcode == kSpecConstantOp) writer.AddComputed(instruction, writer.NewId());
  }
  writer.Add(kReturn, {});
  writer.Add(kFunctionEnd, {});
  return writer.Take();
}

std::vector<SpirvInstruction> SpirvModule::Instructions() const {
  std::vector<SpirvInstruction> instructions;
  size_t length = 0;
  for (size_t at = kHeadWords; at < words_.size(); at += length) {
    length = words_[at] >> 16;
    if (length == 0 || length > words_.size() - at) {
      throw InvalidSpirv(path_, Concat("the instruction at word ", at, " has ", length, " words"));
    }
    instructions.push_back({words_[at] & 0xFFFF, std::span(words_).subspan(at, length)});
  }
  return instructions;
}

std::vector<std::string> SpirvModule::Kernels() const {
  std::vector<std::string> names;
  for (const SpirvInstruction& instruction : Instructions()) {
    if (IsKernel(instruction)) names.emplace_back(NameOf(instruction));
  }
  if (names.size() > kMostKernelWords / words_.size()) {
    Fail(ExitCode::kInput, "'", path_, "': ", names.size(), " kernels in one module of ", words_.size(),
         " words would take too long; divide it");
  }
  return names;
}

SpirvModule SpirvModule::Only(std::string_view kernel) const {
  const std::vector<SpirvInstruction> all = Instructions();
  if (std::ranges::count(all, kEntryPoint, &SpirvInstruction::opcode) == 1) return *this;
  std::vector<uint32_t> kept(words_.begin(), words_.begin() + kHeadWords);
  uint32_t function = 0;
  for (const SpirvInstruction& instruction : all) {
    const bool is_mode = instruction.opcode == kExecutionMode || instruction.opcode == kExecutionModeId;
    if (instruction.opcode == kEntryPoint) {
      if (!IsKernel(instruction) || NameOf(instruction) != kernel) continue;
      function = instruction.words[2];
    }
    if (is_mode && instruction.words[1] != function) continue;
    kept.insert(kept.end(), instruction.words.begin(), instruction.words.end());
  }
  Passes passes;
  passes.push_back(spvtools::CreateEliminateDeadFunctionsPass());
  passes.push_back(spvtools::CreateAggressiveDCEPass(/*preserve_interface=*/true));
  passes.push_back(spvtools::CreateEliminateDeadConstantPass());
  std::optional<std::vector<uint32_t>> pruned = Optimize(kept, std::move(passes));
  if (!pruned) Fail(ExitCode::kInput, "'", path_, "': the kernel '", kernel, "' cannot be taken out of the module");
  return {path_, *std::move(pruned)};
}

SpirvModule SpirvModule::Folded() const {
  Passes passes;
  passes.push_back(spvtools::CreateFoldSpecConstantOpAndCompositePass());
  passes.push_back(spvtools::CreateEliminateDeadConstantPass());
  std::optional<std::vector<uint32_t>> folded = Optimize(words_, std::move(passes));
  if (!folded) Fail(ExitCode::kInput, "'", path_, "': OpSpecConstantOp: the optimiser cannot compute the constants");
  return {path_, *std::move(folded)};
}

bool SpirvModule::HasCalls() const {
  return std::ranges::count(Instructions(), kFunction, &SpirvInstruction::opcode) > 1;
}

SpirvModule SpirvModule::Inlined() const {
  Passes passes;
  if (HasCalls()) {
    passes.push_back(spvtools::CreateMergeReturnPass());  // without it functions with several returns stay
    passes.push_back(spvtools::CreateInlineExhaustivePass());
    passes.push_back(spvtools::CreateEliminateDeadFunctionsPass());
  }
  passes.push_back(spvtools::CreateEliminateDeadConstantPass());
  std::optional<std::vector<uint32_t>> inlined = Optimize(words_, std::move(passes));
  if (inlined) {
    SpirvModule result(path_, *std::move(inlined));
    if (!result.HasCalls()) return result;
  }
  Fail(ExitCode::kInput, "'", path_, "': kernel '", Kernels().front(),
       "': OpFunctionCall: a function cannot be inlined, and Metal gives the size of a workgroup and dynamic local "
       "memory to kernels alone");
}

}  // namespace halyard::tools
