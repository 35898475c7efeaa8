// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/ptx_reflection.h"

#include <algorithm>
#include <array>

#include "image/halx/container_contents.h"
#include "image/reflection/ptx_addresses.h"
#include "image/reflection/ptx_variables.h"

namespace halyard {
namespace {

uint64_t RoundUp(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

/// Workgroup memory that is declared outside of kernels.
struct SharedVariable {
  uint64_t size;
  uint32_t alignment;
};
using SharedVariables = HostMap<std::string_view, SharedVariable>;

bool IsPointerSized(const PtxVariable& variable) {
  return !variable.is_array && (variable.type == ".u64" || variable.type == ".b64" || variable.type == ".s64");
}

bool IsOpaque(const PtxVariable& variable) { return variable.type.ends_with("ref"); }

/// Reads one kernel, from behind `.entry`.
class EntryReader {
 public:
  EntryReader(PtxTokens* tokens, const SharedVariables& shared) : tokens_(*tokens), shared_(shared) {}

  /// `*out_has_body` is false for a mere declaration.
  Status Read(ReflectedKernel* out_kernel, bool* out_has_body) {
    std::string_view name;
    HAL_TRY(tokens_.TakeWord("the name of a kernel", &name));
    kernel_.name = name;
    if (tokens_.IsAt("(")) {
      HAL_TRY(ReadParameters());
    }
    HAL_TRY(ReadDirectives());
    *out_has_body = tokens_.IsAt("{");
    if (*out_has_body) {
      HAL_TRY(ReadBody());
    }
    if (Status status = AddParameters(); status != kOk) return Annotate(status, "kernel '" + kernel_.name + "': ");
    *out_kernel = std::move(kernel_);
    return kOk;
  }

 private:
  Status ReadParameters() {
    tokens_.Advance();
    if (tokens_.Accept(")")) return kOk;
    do {
      HAL_TRY(tokens_.Expect(".param"));
      PtxVariable& parameter = parameters_.emplace_back();
      HAL_TRY(ReadPtxVariable(&tokens_, &parameter));
      if (IsPointerSized(parameter)) addresses_.Watch(parameter.name);
      if (parameters_.size() > ContainerLimits::kParameters) return tokens_.Unexpected("at most 4096 parameters");
    } while (tokens_.Accept(","));
    return tokens_.Expect(")");
  }

  // ".maxntid 128, 1, 1 .reqntid 64 .pragma \"…\";", up to the body or the semicolon of a declaration.
  Status ReadDirectives() {
    while (!tokens_.IsAt("{") && !tokens_.IsAt(";")) {
      Status status = kOk;
      if (tokens_.Accept(".reqntid")) {
        status = ReadSize(".reqntid", &kernel_.workgroup_size);
        kernel_.is_workgroup_size_known = true;
      } else if (tokens_.Accept(".maxntid")) {
        status = ReadMaxSize();
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

  Status ReadSize(const char* directive, hal_dim3_t* out_size) {
    std::array<uint32_t, 3> sizes = {1, 1, 1};
    for (size_t i = 0; i < 3; ++i) {
      if (i > 0 && !tokens_.Accept(",")) break;
      HAL_TRY(tokens_.TakeNumber("a size of the workgroup", &sizes[i]));
      if (sizes[i] > 0 && sizes[i] <= kMostWorkItems) continue;
      return Fail(HAL_STATUS_DATA_LOSS, "PTX, line %u: %s %u is no size of a workgroup", tokens_.TakenLine(), directive,
                  sizes[i]);
    }
    *out_size = hal_dim3(sizes[0], sizes[1], sizes[2]);
    return kOk;
  }

  Status ReadMaxSize() {
    hal_dim3_t most = {1, 1, 1};
    HAL_TRY(ReadSize(".maxntid", &most));
    const uint64_t volume = uint64_t{most.x} * most.y * most.z;
    kernel_.max_workgroup_volume = static_cast<uint32_t>(std::min<uint64_t>(volume, UINT32_MAX));
    return kOk;
  }

  Status ReadBody() {
    size_t depth = 0;
    HostVector<PtxToken> statement;
    do {
      if (tokens_.IsAtEnd() || tokens_.Current().kind == PtxTokenKind::kBad) {
        return tokens_.Unexpected("the end of the kernel's body");
      }
      const PtxToken token = tokens_.Current();
      if (token.Is(".shared") && statement.empty()) {
        HAL_TRY(ReadShared());
        continue;
      }
      tokens_.Advance();
      if (token.Is(".loc")) {
        SkipLine(token.line);
      } else if (token.Is("{") && IsStatementStart(statement)) {
        ++depth;
      } else if (token.Is("}") && IsStatementStart(statement)) {
        --depth;
      } else if (token.Is(";") || token.Is(":")) {  // the end of a statement or a label
        addresses_.Take(statement);
        statement.clear();
      } else {
        CountShared(token);
        statement.push_back(token);
      }
    } while (depth > 0);
    return AddShared();
  }

  // Braces inside a statement enclose the parts of a vector.
  static bool IsStatementStart(const HostVector<PtxToken>& statement) { return statement.empty(); }

  void SkipLine(uint32_t line) {
    while (!tokens_.IsAtEnd() && tokens_.Current().line == line) tokens_.Advance();
  }

  Status ReadShared() {
    tokens_.Advance();
    do {
      PtxVariable variable;
      HAL_TRY(ReadPtxVariable(&tokens_, &variable));
      used_[variable.name] = {variable.size, variable.alignment};
    } while (tokens_.Accept(","));
    return kOk;
  }

  void CountShared(const PtxToken& token) {
    if (shared_.empty() || token.kind != PtxTokenKind::kWord) return;
    const auto found = shared_.find(token.text);
    if (found != shared_.end()) used_[found->first] = found->second;
  }

  Status AddShared() {
    uint64_t end = 0;
    for (const auto& [name, variable] : used_) end = RoundUp(end, variable.alignment) + variable.size;
    if (end > ContainerLimits::kLocalMemorySize) {
      return Fail(HAL_STATUS_DATA_LOSS, "kernel '%s': its .shared variables have more than 1 GiB",
                  kernel_.name.c_str());
    }
    kernel_.local_memory_size = static_cast<uint32_t>(end);
    return kOk;
  }

  Status AddParameters() {
    for (const PtxVariable& parameter : parameters_) {
      HAL_TRY(AddParameter(parameter));
    }
    return kOk;
  }

  Status AddParameter(const PtxVariable& parameter) {
    if (IsOpaque(parameter)) {
      SetObstacle(parameter, "is a texture, surface or sampler");
      return AddConstant(&kernel_, parameter.size, false);
    }
    if (parameter.is_pointer) {
      if (parameter.space == ".shared") SetObstacle(parameter, "points to workgroup memory");
      AddBinding(&kernel_, HAL_BINDING_ACCESS_READ_WRITE, false, false);
      return kOk;
    }
    if (!IsPointerSized(parameter)) return AddConstant(&kernel_, parameter.size, false);
    const PtxUse use = addresses_.UseOf(parameter.name);
    if (use == PtxUse::kNumber) return AddConstant(&kernel_, parameter.size, true);
    AddBinding(&kernel_, HAL_BINDING_ACCESS_READ_WRITE, false, use == PtxUse::kNone);
    return kOk;
  }

  void SetObstacle(const PtxVariable& parameter, const char* what) {
    if (kernel_.obstacle.empty()) kernel_.obstacle = "parameter '" + HostString(parameter.name) + "' " + what;
  }

  static constexpr uint32_t kMostWorkItems = 1u << 20;  // in one dimension; no device comes near

  PtxTokens& tokens_;
  const SharedVariables& shared_;
  ReflectedKernel kernel_;
  HostVector<PtxVariable> parameters_;
  PtxAddresses addresses_;
  SharedVariables used_;
};

/// Reads a module.
class ModuleReader {
 public:
  ModuleReader(std::string_view text, ReflectedImage* image) : tokens_(text), image_(*image) {}

  Status Read() {
    HAL_TRY(ReadVersion());
    while (!tokens_.IsAtEnd()) {
      if (tokens_.Current().kind == PtxTokenKind::kBad) return tokens_.Unexpected("a directive");
      HAL_TRY(ReadDirective());
    }
    if (!image_.target.empty()) return CheckKernelNames(image_);
    return FailWith(HAL_STATUS_DATA_LOSS, "PTX: there is no .target");
  }

 private:
  Status ReadVersion() {
    HAL_TRY(tokens_.Expect(".version"));
    if (tokens_.Current().kind != PtxTokenKind::kNumber) return tokens_.Unexpected("the number of .version");
    image_.producer = "PTX " + HostString(tokens_.Current().text.substr(0, 8));
    tokens_.Advance();
    return kOk;
  }

  Status ReadDirective() {
    if (tokens_.Accept(".target")) return ReadTarget();
    if (tokens_.Accept(".address_size")) return ReadAddressSize();
    if (tokens_.Accept(".entry")) return ReadEntry();
    if (tokens_.Accept(".extern")) {  // its size is another module's, or the dispatch's
      if (!tokens_.IsAt(".entry")) tokens_.Advance();
      return kOk;
    }
    if (tokens_.Accept(".shared")) return ReadShared();
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
    ReflectedKernel kernel;
    bool has_body = false;
    HAL_TRY(EntryReader(&tokens_, shared_).Read(&kernel, &has_body));
    if (!has_body) return kOk;
    if (image_.kernels.size() == ContainerLimits::kExports) {
      return Fail(HAL_STATUS_DATA_LOSS, "PTX, line %u: there are more than %zu kernels", tokens_.TakenLine(),
                  ContainerLimits::kExports);
    }
    image_.kernels.push_back(std::move(kernel));
    return kOk;
  }

  Status ReadShared() {
    do {
      PtxVariable variable;
      HAL_TRY(ReadPtxVariable(&tokens_, &variable));
      shared_[variable.name] = {variable.size, variable.alignment};
    } while (tokens_.Accept(","));
    return kOk;
  }

  // The body of a function, an initial value or a debugging section.
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
  SharedVariables shared_;
};

}  // namespace

Status ReflectPtx(std::string_view text, ReflectedImage* out_image) {
  ReflectedImage image;
  HAL_TRY(ModuleReader(text, &image).Read());
  *out_image = std::move(image);
  return kOk;
}

}  // namespace halyard
