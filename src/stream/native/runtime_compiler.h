// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVRTC and hipRTC: vendors' compilers of C++ as libraries, which have the same functions under two names.
#ifndef HALYARD_STREAM_NATIVE_RUNTIME_COMPILER_H_
#define HALYARD_STREAM_NATIVE_RUNTIME_COMPILER_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/device/vendor_library.h"
#include "halyard/executable.h"
#include "stream/native/runtime_compiler_abi.h"

namespace halyard::stream {

/// What tells one vendor's library from the other's.
struct RuntimeCompilerNames {
  const char* what;                    ///< in messages
  const char* variable;                ///< of the environment, which names another file
  std::span<const char* const> files;  ///< where it is looked for
  const char* prefix;                  ///< of its functions
  const char* code;                    ///< the function of what it makes, without the prefix; "Size" is appended
};

/// The library of one vendor. Thread-safe once it is loaded.
class RuntimeCompiler {
 public:
  /// UNAVAILABLE if there is none, or it lacks a function.
  Status Load(const RuntimeCompilerNames& names);

  /// Compiles a source. ABORTED with the log if the compiler refuses it; INVALID_ARGUMENT for options.
  /// @param own_options  behind those of `params`
  Status Compile(std::string_view source, const hal_compile_params_t& params, std::span<const HostString> own_options,
                 HostVector<std::byte>* out_code) const;

  /// The newest architecture that it compiles for and that is not newer than `wanted`; `wanted` if it does not tell.
  int NewestArchitecture(int wanted) const;

 private:
  friend class RuntimeProgram;

  template <class Function>
  bool Find(const char* name, Function* out_function);
  Status Check(const char* call, int result) const;

  const RuntimeCompilerNames* names_ = nullptr;
  VendorLibrary file_;
  RuntimeCompilerFunctions functions_;
};

/// Whether one of the options begins with one of the words.
bool HasOption(const hal_compile_params_t& params, std::span<const std::string_view> words);

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_NATIVE_RUNTIME_COMPILER_H_
