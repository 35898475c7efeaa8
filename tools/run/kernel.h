// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One export of an executable, and what it takes.
#ifndef HALYARD_TOOLS_RUN_KERNEL_H_
#define HALYARD_TOOLS_RUN_KERNEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "options.h"
#include "support/handles.h"

namespace halyard::tools {

struct Kernel {
  Executable executable;
  uint32_t ordinal = 0;
  std::string name;
  hal_dim3_t workgroup_size = {0, 0, 0};       ///< the export's own
  uint32_t constants_size = 0;                 ///< bytes
  std::vector<hal_parameter_t> constants;      ///< those of its parameters that are constants, by offset
  std::vector<hal_binding_access_t> bindings;  ///< in flat order, as a dispatch takes them
};

/// Loads the executable and finds the export. Throws Failure (kInput), with the names that come near.
Kernel LoadKernel(hal_device_t* device, const RunOptions& options);

/// What the kernel takes, in a line: "saxpy(binding 0: read, binding 1: read_write; 4 bytes of constants)".
std::string SignatureText(const Kernel& kernel);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_KERNEL_H_
