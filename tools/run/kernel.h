// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One export of an executable, and what it takes: a kernel, or a function.
#ifndef HALYARD_TOOLS_RUN_KERNEL_H_
#define HALYARD_TOOLS_RUN_KERNEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "options.h"
#include "support/program/handles.h"

namespace halyard::tools {

/// A binding: of a kernel, or an argument or result of a function.
struct KernelBinding {
  hal_binding_access_t access = HAL_BINDING_ACCESS_READ_WRITE;
  const hal_value_type_t* type = nullptr;  ///< the function's; NULL for kernels, which take mere bytes
  bool is_result = false;                  ///< of a function
  uint32_t position = 0;                   ///< among the function's arguments or results
  std::string name = {};                   ///< of a kernel's parameter; empty if the file does not tell
  hal_element_type_t element_type = HAL_ELEMENT_TYPE_NONE;  ///< the same
};

/// A parameter of a kernel, as the file describes it.
struct KernelParameter {
  std::string name;  ///< empty if the file does not tell
  hal_parameter_kind_t kind = HAL_PARAMETER_KIND_BINDING;
  hal_element_type_t element_type = HAL_ELEMENT_TYPE_NONE;  ///< of a constant, or of what a binding holds
  uint32_t size = 0;                                        ///< of a constant: bytes
  uint32_t position = 0;                                    ///< among the bindings, or among the constants
  bool is_guess = false;                                    ///< whether it is an address or a number
};

struct Kernel {
  Executable executable;
  uint32_t ordinal = 0;
  std::string name;
  hal_dim3_t workgroup_size = {0, 0, 0};                ///< the export's own
  uint32_t constants_size = 0;                          ///< bytes
  std::vector<hal_parameter_t> constants;               ///< those of its parameters that are constants, by offset
  std::vector<KernelParameter> parameters;              ///< of a kernel, in its order
  std::vector<KernelBinding> bindings;                  ///< in flat order, as a dispatch takes them
  const hal_function_signature_t* signature = nullptr;  ///< of a function; NULL for kernels
  std::vector<uint32_t> scalars;                        ///< of a function: the argument that each constant is
};

/// Loads the executable. Throws Failure (kInput).
Executable LoadExecutable(hal_device_t* device, const RunOptions& options);
/// The ordinal of the export that the options name, or of the only one. Throws Failure, with the names that come near.
uint32_t FindExport(hal_executable_t* executable, const RunOptions& options);

/// Loads the executable and finds the export. Throws Failure (kInput), with the names that come near.
Kernel LoadKernel(hal_device_t* device, const RunOptions& options);

/// What the kernel takes, in a line: "saxpy(binding 0: read, binding 1: read_write; 4 bytes of constants)", and which
/// parameters are guesses; of a function "scale(binding 0: memref<4xf32>, f32) -> (binding 1: f32)".
std::string SignatureText(const Kernel& kernel);

/// "binding 1"; of a function "argument 2 (binding 1)" or "result 0 (binding 1)".
std::string BindingText(const Kernel& kernel, size_t binding);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_KERNEL_H_
