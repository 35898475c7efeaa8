// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A source of portable kernels, taken apart: what each kernel takes, and the text of its body, which is not looked
// into. docs/kernels.md describes the language.
#ifndef HALYARD_TOOLS_KERNELS_KERNEL_SOURCE_H_
#define HALYARD_TOOLS_KERNELS_KERNEL_SOURCE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/executable.h"

namespace halyard::tools {

/// A binding or constant, in the order of the kernel.
struct KernelParameter {
  hal_parameter_kind_t kind = HAL_PARAMETER_KIND_BINDING;
  hal_binding_access_t access = HAL_BINDING_ACCESS_READ;
  std::string type;    ///< of an element
  std::string name;    ///< in the body
  uint32_t set = 0;    ///< of a binding
  uint32_t place = 0;  ///< of a binding: its number in the set; of a constant: its offset in bytes
  uint32_t count = 0;  ///< of a constant: elements of the array, 0 if it is none
  size_t line = 0;
};

/// Memory that the work-items of a workgroup share.
struct LocalArray {
  std::string type;
  std::string name;
  uint32_t count = 0;  ///< elements; 0 if the dispatch says how much there is
  size_t line = 0;
};

/// One kernel.
struct Kernel {
  std::string name;
  hal_dim3_t workgroup_size = {0, 0, 0};  ///< 0 in x if each dispatch says
  std::vector<KernelParameter> parameters;
  std::vector<LocalArray> locals;
  std::string body;              ///< with its braces
  size_t body_line = 0;          ///< where that begins
  bool has_item_blocks = false;  ///< whether work-items run in `each_item` blocks, or the body is one work-item's
};

/// A file of kernels.
struct KernelSource {
  std::string path;
  std::string shared;  ///< what stands outside the kernels; these are blank, so that every line keeps its number
  std::vector<Kernel> kernels;
};

/// Takes a file apart. Throws Failure (kInput): "path:line: …".
KernelSource ParseKernelSource(std::string path, std::string_view text);

/// Bytes of an element type; 0 if it is none of the language.
uint32_t SizeOfType(std::string_view type);
/// Bytes of a constant, all elements of an array together.
uint32_t SizeOf(const KernelParameter& constant);
/// Bytes of constants that a dispatch gives.
uint32_t ConstantsSize(const Kernel& kernel);
/// Where an array begins in the workgroup memory of the host; behind the last one if `ordinal` is their number. What
/// the dispatch adds begins there, too.
uint32_t LocalOffset(const Kernel& kernel, size_t ordinal);
/// The number that a dispatch gives a binding: they are counted through the sets in order, within a set by number.
uint32_t DispatchOrdinal(const Kernel& kernel, const KernelParameter& binding);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_KERNELS_KERNEL_SOURCE_H_
