// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/native/runtime_compiler.h"

#include <algorithm>
#include <cstring>

namespace halyard::stream {

/// One source in the compiler.
class RuntimeProgram {
 public:
  explicit RuntimeProgram(const RuntimeCompiler& compiler) : compiler_(compiler) {}
  ~RuntimeProgram() {
    if (handle_) static_cast<void>(functions().DestroyProgram(&handle_));
  }
  RuntimeProgram(const RuntimeProgram&) = delete;
  RuntimeProgram& operator=(const RuntimeProgram&) = delete;

  Status Create(std::string_view source, const hal_compile_params_t& params) {
    const HostString text(source);
    const HostString name(params.name.size > 0 ? View(params.name) : "kernel");
    HostVector<HostString> texts;
    texts.reserve(2 * params.header_count);  // so that they stay where they are
    HostVector<const char*> headers, names;
    for (size_t i = 0; i < params.header_count; ++i) {
      headers.push_back(texts.emplace_back(View(params.headers[i].source)).c_str());
      names.push_back(texts.emplace_back(View(params.headers[i].name)).c_str());
    }
    return compiler_.Check("CreateProgram",
                           functions().CreateProgram(&handle_, text.c_str(), name.c_str(),
                                                     static_cast<int>(headers.size()), headers.data(), names.data()));
  }

  Status Compile(const hal_compile_params_t& params, std::span<const HostString> own_options) {
    HostVector<HostString> texts;
    for (size_t i = 0; i < params.option_count; ++i) texts.emplace_back(View(params.options[i]));
    texts.insert(texts.end(), own_options.begin(), own_options.end());
    HostVector<const char*> options;
    for (const HostString& text : texts) options.push_back(text.c_str());
    const int result = functions().CompileProgram(handle_, static_cast<int>(options.size()), options.data());
    const HostString log = Log();
    if (params.log && !log.empty()) params.log(params.log_user_data, ToC(log));
    const Status status = compiler_.Check("CompileProgram", result);
    if (status == kOk || log.empty()) return status;
    const Failure failure(status);
    return Fail(failure.code(), "%s; the compiler says: %s", failure.message().data(), log.c_str());
  }

  Status TakeCode(HostVector<std::byte>* out_code) const {
    size_t size = 0;
    HAL_TRY(compiler_.Check("GetCodeSize", functions().GetCodeSize(handle_, &size)));
    out_code->resize(size);
    return compiler_.Check("GetCode", functions().GetCode(handle_, reinterpret_cast<char*>(out_code->data())));
  }

 private:
  const RuntimeCompilerFunctions& functions() const { return compiler_.functions_; }

  /// Without empty lines at its end. What cannot be had is empty.
  HostString Log() const {
    size_t size = 0;
    if (functions().GetProgramLogSize(handle_, &size) != kRuntimeSuccess || size == 0) return {};
    HostString log(size, '\0');
    if (functions().GetProgramLog(handle_, log.data()) != kRuntimeSuccess) return {};
    log.resize(strnlen(log.data(), size));
    while (!log.empty() && std::strchr("\r\n ", log.back())) log.pop_back();
    return log;
  }

  const RuntimeCompiler& compiler_;
  RuntimeProgramHandle handle_ = nullptr;
};

template <class Function>
bool RuntimeCompiler::Find(const char* name, Function* out_function) {
  const HostString symbol = HostString(names_->prefix) + name;
  *out_function = reinterpret_cast<Function>(file_.Find(symbol.c_str()));
  return *out_function != nullptr;
}

Status RuntimeCompiler::Load(const RuntimeCompilerNames& names) {
  names_ = &names;
  HAL_TRY(file_.Open(names.what, names.variable, names.files));
  const HostString size_of_code = HostString(names.code) + "Size";
  const char* missing = nullptr;
  const auto need = [&](const char* name, auto* function) {
    if (!Find(name, function) && !missing) missing = name;
  };
  need("GetErrorString", &functions_.GetErrorString);
  need("CreateProgram", &functions_.CreateProgram);
  need("DestroyProgram", &functions_.DestroyProgram);
  need("CompileProgram", &functions_.CompileProgram);
  need("GetProgramLogSize", &functions_.GetProgramLogSize);
  need("GetProgramLog", &functions_.GetProgramLog);
  need(size_of_code.c_str(), &functions_.GetCodeSize);
  need(names.code, &functions_.GetCode);
  Find("GetNumSupportedArchs", &functions_.GetNumSupportedArchs);
  Find("GetSupportedArchs", &functions_.GetSupportedArchs);
  if (!missing) return kOk;
  return Fail(HAL_STATUS_UNAVAILABLE, "'%s' has no %s%s: it is no %s that is known", file_.path().c_str(), names.prefix,
              missing, names.what);
}

Status RuntimeCompiler::Check(const char* call, int result) const {
  if (result == kRuntimeSuccess) return kOk;
  hal_status_t code = HAL_STATUS_ABORTED;
  if (result == kRuntimeOutOfMemory) code = HAL_STATUS_RESOURCE_EXHAUSTED;
  if (result == kRuntimeInvalidInput || result == kRuntimeInvalidOption) code = HAL_STATUS_INVALID_ARGUMENT;
  const HostString name = HostString(names_->prefix) + call;
  return FailVendorCall(code, name.c_str(), functions_.GetErrorString(result), "error of the compiler", result);
}

Status RuntimeCompiler::Compile(std::string_view source, const hal_compile_params_t& params,
                                std::span<const HostString> own_options, HostVector<std::byte>* out_code) const {
  if (source.find('\0') != std::string_view::npos) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "the source holds a zero byte");
  }
  RuntimeProgram program(*this);
  HAL_TRY(program.Create(source, params));
  HAL_TRY(program.Compile(params, own_options));
  return program.TakeCode(out_code);
}

int RuntimeCompiler::NewestArchitecture(int wanted) const {
  int count = 0;
  if (!functions_.GetNumSupportedArchs || !functions_.GetSupportedArchs ||
      functions_.GetNumSupportedArchs(&count) != kRuntimeSuccess || count <= 0) {
    return wanted;
  }
  HostVector<int> known(static_cast<size_t>(count));
  if (functions_.GetSupportedArchs(known.data()) != kRuntimeSuccess) return wanted;
  int newest = 0;
  for (const int one : known) newest = one <= wanted ? std::max(newest, one) : newest;
  return newest > 0 ? newest : wanted;
}

bool HasOption(const hal_compile_params_t& params, std::span<const std::string_view> words) {
  for (size_t i = 0; i < params.option_count; ++i) {
    const std::string_view option = View(params.options[i]);
    if (std::ranges::any_of(words, [&](std::string_view word) { return option.starts_with(word); })) return true;
  }
  return false;
}

}  // namespace halyard::stream
