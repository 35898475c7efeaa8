// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A source of portable kernels in the languages that compilers know. Errors in a body are reported where the user wrote
// it: every piece of his text stands behind a #line.
#ifndef HALYARD_TOOLS_KERNELS_EMITTERS_H_
#define HALYARD_TOOLS_KERNELS_EMITTERS_H_

#include <string>
#include <string_view>

#include "kernel_source.h"

namespace halyard::tools {

/// C++17 for the workgroup ABI of the local driver (halyard/local_kernel.h).
std::string HostText(const KernelSource& source);

/// The same in C11, for a host that has no C++ compiler.
std::string HostCText(const KernelSource& source);

/// What an object of the host tells of a kernel, in C and C++, so that it can be used without a description.
std::string KernelRecordText(const Kernel& kernel);

/// CUDA and HIP in one: C++ for clang, which needs no header and no library of either.
std::string GpuText(const KernelSource& source);

/// GLSL for Vulkan 1.2, one kernel alone.
std::string GlslText(const KernelSource& source, const Kernel& kernel);

/// What the kernels export, as halyard-pack reads it.
std::string ExportsText(const KernelSource& source);

/// "#line 12 "path"", so that the next line of the text counts as that one.
std::string LineDirective(const KernelSource& source, size_t line);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_KERNELS_EMITTERS_H_
