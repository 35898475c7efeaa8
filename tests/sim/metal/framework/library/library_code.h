// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of a library, compiled. Exceptions of the shading language's host end here: Objective-C++ cannot catch them.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_LIBRARY_CODE_H_
#define HALYARD_SIM_METAL_FRAMEWORK_LIBRARY_CODE_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/library/constant_use.h"
#include "msl/msl_host.h"

namespace halyard::metal_sim {

using Macros = std::vector<std::pair<std::string, std::string>>;

// Immutable, so all threads may use it.
class LibraryCode {
 public:
  // Null, with the compiler's messages, if the text does not compile. `options` are part of the hash.
  static std::shared_ptr<const LibraryCode> Compile(std::string_view text, const Macros& macros,
                                                    const std::string& options, std::string* messages);

  std::span<const msl_host::Kernel> Kernels() const { return library_->Kernels(); }
  // Null if there is none of that name.
  const msl_host::Kernel* Find(std::string_view kernel) const;
  // The function constants that a kernel uses, in the order of their indices.
  std::vector<msl_host::FunctionConstant> ConstantsOf(const msl_host::Kernel& kernel) const;
  bool IsRequired(const msl_host::FunctionConstant& constant) const { return !names_.IsOptional(constant.name); }
  // Null, with the reason, if that fails.
  std::shared_ptr<const msl_host::Program> Specialise(std::span<const msl_host::ConstantValue> values,
                                                      std::string* why) const;
  // Of text and options, in hexadecimal digits.
  const std::string& hash() const { return hash_; }

 private:
  LibraryCode(std::shared_ptr<const msl_host::Library> library, std::string_view text, std::string hash);

  const std::shared_ptr<const msl_host::Library> library_;
  const DeclaredNames names_;
  const std::string hash_;
};

}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_FRAMEWORK_LIBRARY_CODE_H_
