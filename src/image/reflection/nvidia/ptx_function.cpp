// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/nvidia/ptx_function.h"

#include <algorithm>
#include <array>

#include "function/parameter_checks.h"
#include "image/halx/container_contents.h"

namespace halyard {
namespace {

constexpr uint32_t kMostInDimension = 1u << 20;  // work-items or workgroups; no device comes near
constexpr size_t kMostTokens = 1u << 14;         // of a statement that are looked at; a call has two for each argument

bool IsPointerSized(const PtxVariable& variable) {
  return !variable.is_array && (variable.type == ".u64" || variable.type == ".b64" || variable.type == ".s64");
}

// Whether it may hold addresses: ".param .align 8 .b8 name[16]".
bool IsStructure(const PtxVariable& variable) {
  return variable.is_array && variable.alignment >= kAddressSize && variable.size >= kAddressSize;
}

// The same without the alignment: a packed structure.
bool IsPacked(const PtxVariable& variable) {
  return variable.is_array && variable.alignment < kAddressSize && variable.size >= kAddressSize;
}

PtxShape ShapeOf(const PtxVariable& variable) {
  if (IsPointerSized(variable)) return PtxShape::kNumber;
  return IsPacked(variable) ? PtxShape::kPacked : PtxShape::kStructure;
}

bool IsOpaque(const PtxVariable& variable) { return variable.type.ends_with("ref"); }

// Compilers write .u32 for signed numbers, too.
hal_element_type_t ElementTypeOf(const PtxVariable& variable) {
  struct Known {
    std::string_view name;
    hal_element_type_t type;
  };
  constexpr std::array kKnown = {Known{".u8", HAL_ELEMENT_TYPE_I8},    Known{".u16", HAL_ELEMENT_TYPE_I16},
                                 Known{".u32", HAL_ELEMENT_TYPE_I32},  Known{".u64", HAL_ELEMENT_TYPE_I64},
                                 Known{".s8", HAL_ELEMENT_TYPE_SI8},   Known{".s16", HAL_ELEMENT_TYPE_SI16},
                                 Known{".s32", HAL_ELEMENT_TYPE_SI32}, Known{".s64", HAL_ELEMENT_TYPE_SI64},
                                 Known{".f16", HAL_ELEMENT_TYPE_F16},  Known{".f32", HAL_ELEMENT_TYPE_F32},
                                 Known{".f64", HAL_ELEMENT_TYPE_F64},  Known{".bf16", HAL_ELEMENT_TYPE_BF16}};
  const auto* const found =
      std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& known) { return known.name == variable.type; });
  return found == kKnown.end() || variable.is_array ? HAL_ELEMENT_TYPE_NONE : found->type;
}

/// Reads a body, statement by statement.
class BodyReader {
 public:
  BodyReader(PtxTokens* tokens, const PtxSymbols& symbols, PtxAddresses* addresses)
      : tokens_(*tokens), symbols_(symbols), addresses_(addresses) {}

  Status Read() {
    size_t depth = 0;
    do {
      if (tokens_.IsAtEnd() || tokens_.Current().kind == PtxTokenKind::kBad) {
        return tokens_.Unexpected(addresses_ ? "the end of the kernel's body" : "the end of the function's body");
      }
      const PtxToken token = tokens_.Current();
      if (token.Is(".shared") && statement_.empty()) {
        HAL_TRY(ReadShared());
        continue;
      }
      tokens_.Advance();
      if (token.Is(".loc")) {
        SkipLine(token.line);
      } else if (token.Is("{") && IsStatementStart()) {
        ++depth;
      } else if (token.Is("}") && IsStatementStart()) {
        --depth;
      } else if (token.Is(";") || token.Is(":")) {  // the end of a statement or a label
        if (addresses_) addresses_->Take(statement_);
        statement_.clear();
      } else {
        Note(token);
        if (statement_.size() < kMostTokens) statement_.push_back(token);
      }
    } while (depth > 0);
    return kOk;
  }

  PtxFunction Take() { return std::move(function_); }

 private:
  // Braces inside a statement enclose the parts of a vector.
  bool IsStatementStart() const { return statement_.empty(); }

  void SkipLine(uint32_t line) {
    while (!tokens_.IsAtEnd() && tokens_.Current().line == line) tokens_.Advance();
  }

  Status ReadShared() {
    tokens_.Advance();
    do {
      PtxVariable variable;
      HAL_TRY(ReadPtxVariable(&tokens_, &variable));
      function_.shared[variable.name] = {PtxSymbol::Kind::kShared, variable.size, variable.alignment};
    } while (tokens_.Accept(","));
    return kOk;
  }

  void Note(const PtxToken& token) {
    if (token.kind != PtxTokenKind::kWord) return;
    // Cooperative groups find the grid's barrier through these two.
    if (token.text == "%envreg1" || token.text == "%envreg2") function_.asks_for_grid = true;
    const auto found = symbols_.find(token.text);
    if (found != symbols_.end()) function_.mentioned.try_emplace(found->first, found->second);
  }

  PtxTokens& tokens_;
  const PtxSymbols& symbols_;
  PtxAddresses* const addresses_;
  HostVector<PtxToken> statement_;
  PtxFunction function_;
};

/// Reads the head of a kernel, and its body.
class PtxKernelReader {
 public:
  PtxKernelReader(PtxTokens* tokens, const PtxSymbols& symbols) : tokens_(*tokens), symbols_(symbols) {}

  Status Read(PtxFunction* out_function, bool* out_has_body) {
    std::string_view name;
    HAL_TRY(tokens_.TakeWord("the name of a kernel", &name));
    kernel_.name = name;
    if (tokens_.IsAt("(")) HAL_TRY(ReadParameters());
    HAL_TRY(ReadDirectives());
    *out_has_body = tokens_.IsAt("{");
    if (*out_has_body) HAL_TRY(ReadPtxBody(&tokens_, symbols_, &addresses_, out_function));
    return kOk;
  }

  void Finish(PtxKernel* out_kernel) {
    addresses_.Finish();
    kernel_.addresses_in_variables = addresses_.AddressesInVariables();
    for (const PtxVariable& variable : variables_) out_kernel->parameters.push_back(Declared(variable));
    out_kernel->reflected = std::move(kernel_);
  }

 private:
  Status ReadParameters() {
    tokens_.Advance();
    if (tokens_.Accept(")")) return kOk;
    do {
      HAL_TRY(tokens_.Expect(".param"));
      PtxVariable& parameter = variables_.emplace_back();
      HAL_TRY(ReadPtxVariable(&tokens_, &parameter));
      if (IsPointerSized(parameter) || IsStructure(parameter) || IsPacked(parameter)) {
        addresses_.Watch(parameter.name, ShapeOf(parameter), parameter.is_pointer);
      }
      if (variables_.size() > ContainerLimits::kParameters) return tokens_.Unexpected("at most 4096 parameters");
    } while (tokens_.Accept(","));
    return tokens_.Expect(")");
  }

  // ".maxntid 128, 1, 1 .reqntid 64 .pragma \"…\";", up to the body or the semicolon of a declaration.
  Status ReadDirectives() {
    while (!tokens_.IsAt("{") && !tokens_.IsAt(";")) {
      Status status = kOk;
      if (tokens_.Accept(".reqntid")) {
        status = ReadSize(".reqntid", "a workgroup", &kernel_.workgroup_size);
        kernel_.is_workgroup_size_known = kernel_.is_workgroup_size_exact = true;
      } else if (tokens_.Accept(".maxntid")) {
        status = ReadMaxSize();
      } else if (tokens_.Accept(".reqnctapercluster")) {
        status = ReadSize(".reqnctapercluster", "a cluster", &kernel_.cluster_size);
      } else if (tokens_.Accept(".pragma")) {
        while (!tokens_.IsAt(";") && !tokens_.IsAtEnd()) tokens_.Advance();
        status = tokens_.Expect(";");
      } else if (tokens_.IsAtEnd() || tokens_.Current().kind == PtxTokenKind::kBad) {
        status = tokens_.Unexpected("the body of the kernel");
      } else {
        tokens_.Advance();
      }
      if (status != kOk) return status;
    }
    return kOk;
  }

  Status ReadSize(const char* directive, const char* what, hal_dim3_t* out_size) {
    std::array<uint32_t, 3> sizes = {1, 1, 1};
    for (size_t i = 0; i < 3; ++i) {
      if (i > 0 && !tokens_.Accept(",")) break;
      HAL_TRY(tokens_.TakeNumber("a size of the workgroup", &sizes[i]));
      if (sizes[i] > 0 && sizes[i] <= kMostInDimension) continue;
      return Fail(HAL_STATUS_DATA_LOSS, "PTX, line %u: %s %u is no size of %s", tokens_.TakenLine(), directive,
                  sizes[i], what);
    }
    *out_size = hal_dim3(sizes[0], sizes[1], sizes[2]);
    return kOk;
  }

  Status ReadMaxSize() {
    hal_dim3_t most = {1, 1, 1};
    HAL_TRY(ReadSize(".maxntid", "a workgroup", &most));
    const uint64_t volume = uint64_t{most.x} * most.y * most.z;
    kernel_.max_workgroup_volume = static_cast<uint32_t>(std::min<uint64_t>(volume, UINT32_MAX));
    return kOk;
  }

  static ParameterUse ToUse(PtxUse use) {
    switch (use) {
      case PtxUse::kNone:
        return ParameterUse::kUnknown;
      case PtxUse::kNumber:
        return ParameterUse::kNumber;
      case PtxUse::kPartAddress:
        return ParameterUse::kPartAddress;
      default:
        return ParameterUse::kAddress;
    }
  }

  // A structure of one address is that address, as it is for AMD's compilers.
  DeclaredParameter Declared(const PtxVariable& variable) {
    const PtxUse use = addresses_.UseOf(variable.name);
    DeclaredParameter parameter;
    parameter.size = variable.size;
    parameter.may_be_address = IsPointerSized(variable) || (IsStructure(variable) && variable.size == kAddressSize);
    parameter.is_marked = variable.is_pointer;
    parameter.is_structure = IsStructure(variable);
    parameter.use = ToUse(use);
    parameter.element_type = ElementTypeOf(variable);
    if (!parameter.may_be_address) parameter.addresses = addresses_.AddressesIn(variable.name);
    parameter.may_hold_addresses = parameter.addresses.empty() && addresses_.IsHandedOn(variable.name);
    if (IsOpaque(variable) || addresses_.HasUse(variable.name, PtxUse::kHandle)) {
      parameter.may_be_address = false;
      SetObstacle(variable, "is a texture, surface or sampler");
    } else if (variable.space == ".shared" || (use == PtxUse::kShared && parameter.may_be_address)) {
      SetObstacle(variable, "points to workgroup memory");
    } else if (variable.space == ".const" || (use == PtxUse::kConstant && parameter.may_be_address)) {
      SetObstacle(variable, "points to constant memory");
    }
    return parameter;
  }

  void SetObstacle(const PtxVariable& parameter, const char* what) {
    if (kernel_.obstacle.empty()) kernel_.obstacle = "parameter '" + HostString(parameter.name) + "' " + what;
  }

  PtxTokens& tokens_;
  const PtxSymbols& symbols_;
  ReflectedKernel kernel_;
  HostVector<PtxVariable> variables_;
  PtxAddresses addresses_;
};

}  // namespace

Status ReadPtxBody(PtxTokens* tokens, const PtxSymbols& symbols, PtxAddresses* addresses, PtxFunction* out_function) {
  BodyReader reader(tokens, symbols, addresses);
  HAL_TRY(reader.Read());
  *out_function = reader.Take();
  return kOk;
}

Status ReadPtxKernel(PtxTokens* tokens, const PtxSymbols& symbols, PtxKernel* out_kernel, PtxFunction* out_function,
                     bool* out_has_body) {
  PtxKernelReader reader(tokens, symbols);
  HAL_TRY(reader.Read(out_function, out_has_body));
  reader.Finish(out_kernel);
  return kOk;
}

}  // namespace halyard
