// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of NVRTC and hipRTC that are called, declared here so that no vendor's header is needed. tests/abi
// compares them with the vendors' headers where these are installed.
#ifndef HALYARD_STREAM_NATIVE_RUNTIME_COMPILER_ABI_H_
#define HALYARD_STREAM_NATIVE_RUNTIME_COMPILER_ABI_H_

#include <cstddef>

namespace halyard::stream {

/// nvrtcProgram, hiprtcProgram.
using RuntimeProgramHandle = struct RuntimeProgramTag*;

/// nvrtcResult, hiprtcResult: those that mean something here.
enum RuntimeCompilerResult : int {
  kRuntimeSuccess = 0,
  kRuntimeOutOfMemory = 1,
  kRuntimeInvalidInput = 3,
  kRuntimeInvalidOption = 5,
  kRuntimeCompilation = 6,
};

struct RuntimeCompilerFunctions {
  const char* (*GetErrorString)(int result);
  int (*CreateProgram)(RuntimeProgramHandle* program, const char* source, const char* name, int header_count,
                       const char* const* headers, const char* const* include_names);
  int (*DestroyProgram)(RuntimeProgramHandle* program);
  int (*CompileProgram)(RuntimeProgramHandle program, int option_count, const char* const* options);
  int (*GetProgramLogSize)(RuntimeProgramHandle program, size_t* size);
  int (*GetProgramLog)(RuntimeProgramHandle program, char* log);
  int (*GetCodeSize)(RuntimeProgramHandle program, size_t* size);  ///< nvrtcGetPTXSize, hiprtcGetCodeSize
  int (*GetCode)(RuntimeProgramHandle program, char* code);        ///< nvrtcGetPTX, hiprtcGetCode
  int (*GetNumSupportedArchs)(int* count);                         ///< NVRTC's alone; NULL if it is not there
  int (*GetSupportedArchs)(int* architectures);                    ///< the same
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_NATIVE_RUNTIME_COMPILER_ABI_H_
