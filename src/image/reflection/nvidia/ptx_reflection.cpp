// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/nvidia/ptx_reflection.h"

#include <algorithm>
#include <charconv>

#include "image/halx/container_contents.h"
#include "image/reflection/nvidia/ptx_link.h"
#include "image/reflection/nvidia/ptx_variables.h"

namespace halyard {
namespace {

// Units of the budget.
constexpr size_t kFunction = 128;
constexpr size_t kMention = 96;  // of a symbol, kept once for each function

/// Reads a module.
class PtxModuleReader {
 public:
  PtxModuleReader(std::string_view text, ReflectedImage* image) : tokens_(text), image_(*image), budget_(text.size()) {}

  Status Read() {
    HAL_TRY(ReadVersion());
    while (!tokens_.IsAtEnd()) {
      if (tokens_.Current().kind == PtxTokenKind::kBad) return tokens_.Unexpected("a directive");
      HAL_TRY(ReadDirective());
    }
    if (image_.target.empty()) return FailWith(HAL_STATUS_DATA_LOSS, "PTX: there is no .target");
    HAL_TRY(FinishKernels());
    return CheckKernelNames(image_);
  }

 private:
  Status ReadVersion() {
    HAL_TRY(tokens_.Expect(".version"));
    if (tokens_.Current().kind != PtxTokenKind::kNumber) return tokens_.Unexpected("the number of .version");
    const std::string_view version = tokens_.Current().text;
    image_.producer = "PTX " + HostString(version.substr(0, 8));
    image_.isa_version = NumberOf(version);
    tokens_.Advance();
    return kOk;
  }

  // 85 of "8.5"; 0 of what is no version.
  static uint32_t NumberOf(std::string_view version) {
    uint32_t major = 0, minor = 0;
    const char* const end = version.data() + version.size();
    const auto [dot, error] = std::from_chars(version.data(), end, major);
    if (error != std::errc() || dot == end || *dot != '.' || major > 1000) return 0;
    const auto [last, minor_error] = std::from_chars(dot + 1, end, minor);
    return minor_error == std::errc() && last == end && minor < 10 ? major * 10 + minor : 0;
  }

  Status ReadDirective() {
    if (tokens_.Accept(".target")) return ReadTarget();
    if (tokens_.Accept(".address_size")) return ReadAddressSize();
    if (tokens_.Accept(".entry")) return ReadEntry();
    if (tokens_.Accept(".func")) return ReadFunction();
    if (tokens_.Accept(".extern")) {
      if (tokens_.Accept(".shared")) return ReadShared(/*is_extern=*/true);
      return kOk;
    }
    if (tokens_.Accept(".shared")) return ReadShared(/*is_extern=*/false);
    if (tokens_.IsAt("{")) return SkipBraces();
    tokens_.Advance();
    return kOk;
  }

  // ".target sm_90a, debug"; in a module of several parts, the first counts.
  Status ReadTarget() {
    std::string_view target;
    HAL_TRY(tokens_.TakeWord("the architecture of .target", &target));
    if (target.size() > ContainerLimits::kTokenSize || !target.starts_with("sm_")) {
      return Fail(HAL_STATUS_DATA_LOSS, "PTX, line %u: .target begins with an architecture like sm_70, not '%.*s'",
                  tokens_.TakenLine(), HALYARD_SV(target.substr(0, ContainerLimits::kTokenSize)));
    }
    if (image_.target.empty()) image_.target = target;
    return kOk;
  }

  Status ReadAddressSize() {
    uint32_t bits = 0;
    HAL_TRY(tokens_.TakeNumber("the number of .address_size", &bits));
    if (bits == 64) return kOk;
    return Fail(HAL_STATUS_INCOMPATIBLE, "PTX, line %u: .address_size is %u; only 64 is possible", tokens_.TakenLine(),
                bits);
  }

  Status ReadEntry() {
    PtxKernel kernel;
    PtxFunction function;
    bool has_body = false;
    HAL_TRY(ReadPtxKernel(&tokens_, symbols_, &kernel, &function, &has_body));
    if (!has_body) return kOk;
    if (kernels_.size() == ContainerLimits::kExports) {
      return Fail(HAL_STATUS_DATA_LOSS, "PTX, line %u: there are more than %zu kernels", tokens_.TakenLine(),
                  ContainerLimits::kExports);
    }
    HAL_TRY(budget_.Take(ReadingBudget::kKernel + ReadingBudget::kParameter * kernel.parameters.size()));
    for (const DeclaredParameter& parameter : kernel.parameters) marks_ |= parameter.is_marked;
    HAL_TRY(AddFunction(std::move(function), &kernel.function));
    kernels_.push_back(std::move(kernel));
    return kOk;
  }

  Status AddFunction(PtxFunction function, size_t* out_index) {
    HAL_TRY(budget_.Take(kFunction + kMention * (function.mentioned.size() + function.shared.size())));
    *out_index = functions_.size();
    functions_.push_back(std::move(function));
    return kOk;
  }

  // "(.param .b32 result) name (.param .b64 x) .noreturn" with a body, or with a semicolon.
  Status ReadFunction() {
    if (tokens_.IsAt("(")) {
      while (!tokens_.IsAt(")") && !IsAtFunctionEnd()) tokens_.Advance();
      (void)tokens_.Accept(")");
    }
    if (tokens_.Current().kind != PtxTokenKind::kWord) return kOk;
    PtxSymbol& symbol = symbols_.try_emplace(tokens_.Current().text).first->second;
    while (!IsAtFunctionEnd()) tokens_.Advance();
    if (!tokens_.IsAt("{")) return kOk;
    PtxFunction function;
    HAL_TRY(ReadPtxBody(&tokens_, symbols_, nullptr, &function));
    return AddFunction(std::move(function), &symbol.function);
  }

  bool IsAtFunctionEnd() const {
    return tokens_.IsAt("{") || tokens_.IsAt(";") || tokens_.IsAtEnd() || tokens_.Current().kind == PtxTokenKind::kBad;
  }

  // What another module declares with a size is that module's; without one, the dispatch gives it.
  Status ReadShared(bool is_extern) {
    do {
      PtxVariable variable;
      HAL_TRY(ReadPtxVariable(&tokens_, &variable));
      if (is_extern && variable.size > 0) continue;
      const auto kind = is_extern ? PtxSymbol::Kind::kDynamicShared : PtxSymbol::Kind::kShared;
      symbols_[variable.name] = {kind, variable.size, variable.alignment};
    } while (tokens_.Accept(","));
    return kOk;
  }

  // Compilers mark all addresses or none, and no code here uses one without a mark.
  bool AreAllMarked() const {
    const auto is_forgotten = [](const DeclaredParameter& parameter) {
      return !parameter.is_marked && parameter.use != ParameterUse::kUnknown && parameter.use != ParameterUse::kNumber;
    };
    return marks_ && std::none_of(kernels_.begin(), kernels_.end(), [&](const PtxKernel& kernel) {
             return std::any_of(kernel.parameters.begin(), kernel.parameters.end(), is_forgotten);
           });
  }

  // Numbers of 8 bytes are no guesses in such a module.
  static void KnowNumbers(PtxKernel* kernel) {
    for (size_t i = 0; i < kernel->parameters.size(); ++i) {
      ReflectedParameter& told = kernel->reflected.parameters[i];
      const bool is_number = kernel->parameters[i].may_be_address && told.value.kind == HAL_PARAMETER_KIND_CONSTANT;
      if (is_number) told.is_guess = false;
    }
  }

  Status FinishKernels() {
    const bool all_are_marked = AreAllMarked();
    for (PtxKernel& kernel : kernels_) {
      HAL_TRY(LinkPtxKernel(functions_, symbols_, &budget_, &kernel));
      const Status status = AddDeclaredParameters(kernel.parameters, marks_, &kernel.reflected);
      if (status != kOk) return Annotate(status, "kernel '" + kernel.reflected.name + "': ");
      if (all_are_marked) KnowNumbers(&kernel);
      image_.kernels.push_back(std::move(kernel.reflected));
    }
    return kOk;
  }

  // An initial value or a debugging section.
  Status SkipBraces() {
    size_t depth = 0;
    do {
      if (tokens_.IsAtEnd() || tokens_.Current().kind == PtxTokenKind::kBad) return tokens_.Unexpected("'}'");
      if (tokens_.IsAt("{")) ++depth;
      if (tokens_.IsAt("}")) --depth;
      tokens_.Advance();
    } while (depth > 0);
    return kOk;
  }

  PtxTokens tokens_;
  ReflectedImage& image_;
  PtxSymbols symbols_;
  HostVector<PtxFunction> functions_;  // with a body; kernels, too
  HostVector<PtxKernel> kernels_;
  ReadingBudget budget_;
  bool marks_ = false;  // whether any parameter is marked as an address
};

}  // namespace

Status ReflectPtx(std::string_view text, ReflectedImage* out_image) {
  ReflectedImage image;
  HAL_TRY(PtxModuleReader(text, &image).Read());
  *out_image = std::move(image);
  return kOk;
}

}  // namespace halyard
