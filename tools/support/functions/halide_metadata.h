// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What functions that Halide compiled say of their arguments: halide_filter_metadata_t of HalideRuntime.h.
#ifndef HALYARD_TOOLS_SUPPORT_HALIDE_METADATA_H_
#define HALYARD_TOOLS_SUPPORT_HALIDE_METADATA_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "support/kernels/export_description.h"

namespace halyard::tools {

/// The functions of a shared object for x86-64 that Halide describes in it, sorted by name. Reads the file without
/// loading it. A function whose description cannot be read, or which takes what cannot be passed, is left out.
std::vector<ExportDescription> DescribeHalideFunctions(const std::string& path, std::span<const std::byte> image);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_HALIDE_METADATA_H_
