// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/library/library_code.h"

#include <algorithm>
#include <exception>

#include "msl/files.h"

namespace halyard::metal_sim {
namespace {

std::string Joined(const Macros& macros) {
  std::string all;
  for (const auto& [name, value] : macros) all.append(name).append("=").append(value).append("\n");
  return all;
}

// What a function of the host returns; null, with the reason, if it throws.
template <typename Function>
auto Caught(Function function, std::string* why) -> decltype(function()) {
  try {
    return function();
  } catch (const std::exception& exception) {
    *why = exception.what();
    return {};
  }
}

}  // namespace

LibraryCode::LibraryCode(std::shared_ptr<const msl_host::Library> library, std::string_view text, std::string hash)
    : library_(std::move(library)), names_(text), hash_(std::move(hash)) {}

std::shared_ptr<const LibraryCode> LibraryCode::Compile(std::string_view text, const Macros& macros,
                                                        const std::string& options, std::string* messages) {
  msl_host::CompileResult result = Caught([&] { return msl_host::Compile(text, macros); }, messages);
  if (result.library == nullptr) {
    if (!result.messages.empty()) *messages = std::move(result.messages);
    return nullptr;
  }
  return std::shared_ptr<const LibraryCode>(
      new LibraryCode(std::move(result.library), text, msl_host::HashName({text, Joined(macros), options})));
}

const msl_host::Kernel* LibraryCode::Find(std::string_view kernel) const {
  const auto kernels = library_->Kernels();
  const auto found = std::ranges::find(kernels, kernel, &msl_host::Kernel::name);
  return found == kernels.end() ? nullptr : &*found;
}

std::vector<msl_host::FunctionConstant> LibraryCode::ConstantsOf(const msl_host::Kernel& kernel) const {
  const auto reached = names_.ReachedFrom(kernel.name);
  const bool uses_all = !names_.Declares(kernel.name);  // as far as this can tell: a macro names the kernel
  std::vector<msl_host::FunctionConstant> used;
  std::ranges::copy_if(
      library_->Constants(), std::back_inserter(used),
      [&](const msl_host::FunctionConstant& constant) { return uses_all || reached.contains(constant.name); });
  std::ranges::sort(used, {}, &msl_host::FunctionConstant::index);
  return used;
}

std::shared_ptr<const msl_host::Program> LibraryCode::Specialise(std::span<const msl_host::ConstantValue> values,
                                                                 std::string* why) const {
  return Caught([&] { return library_->Specialise(values); }, why);
}

}  // namespace halyard::metal_sim
