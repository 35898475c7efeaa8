// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an image tells of its kernels, the same for every format. What it does not tell is missing, never guessed: a
// description or another variant completes it.
#ifndef HALYARD_TOOLS_REFLECT_REFLECTED_KERNELS_H_
#define HALYARD_TOOLS_REFLECT_REFLECTED_KERNELS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halyard/buffer_view.h"
#include "halyard/executable.h"

namespace halyard::tools {

/// One parameter of a kernel.
struct ReflectedParameter {
  hal_parameter_kind_t kind = HAL_PARAMETER_KIND_BINDING;
  uint32_t size = 0;                ///< CONSTANT: bytes
  std::optional<uint32_t> offset;   ///< CONSTANT: in the constants. Images with one argument list say nothing
  std::optional<uint32_t> set;      ///< BINDING: only formats with descriptor sets know it
  std::optional<uint32_t> binding;  ///< BINDING: the same
  std::optional<hal_binding_access_t> access;  ///< BINDING: what the kernel does with it
  bool kind_is_guess = false;                  ///< 8 bytes that may be an address or a number
  std::string name;                            ///< empty if the image does not keep names
  /// Of a constant, or of the numbers that a binding points to; NONE if the image does not say.
  hal_element_type_t element_type = HAL_ELEMENT_TYPE_NONE;
};

/// One entry point.
struct ReflectedKernel {
  std::string name;  ///< its symbol in the image
  /// Work-items in a workgroup; missing if the kernel takes any.
  std::optional<hal_dim3_t> workgroup_size;
  /// The specialisation constants that give the size in x, y, z, for formats that have them.
  std::array<std::optional<uint32_t>, 3> workgroup_size_ids;
  bool is_workgroup_size_exact = false;          ///< no dispatch may have another
  hal_dim3_t fixed_sides = {0, 0, 0};            ///< of a size that is open elsewhere; 0 for open sides
  hal_dim3_t cluster_size = {0, 0, 0};           ///< workgroups of a cluster; 0 if it has none, or the launch says
  bool uses_dynamic_local_memory = false;        ///< needs bytes that a dispatch gives
  bool is_cooperative = false;                   ///< asks for the barrier of a whole grid
  std::optional<uint32_t> max_workgroup_volume;  ///< work-items that it was compiled for at most
  std::optional<uint32_t> local_memory_size;     ///< bytes of workgroup memory that the kernel declares
  std::optional<uint32_t> subgroup_size;         ///< work-items that run in lockstep
  std::optional<uint32_t> constants_size;        ///< bytes, to the end of the last one
  std::vector<ReflectedParameter> parameters;    ///< in order; sorted by (set, binding) where there is no order
  bool parameters_are_ordered = false;           ///< whether the image has an argument list, in the kernel's order
  bool parameters_are_complete = true;           ///< false if unused ones may be missing
  std::string obstacle;                          ///< why the library cannot call it; empty if it can
};

/// A specialisation constant of an image.
struct ReflectedConstant {
  uint32_t id = 0;
  std::string name;  ///< empty if the image does not say
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
  uint32_t size = 0;           ///< bytes that a specialisation gives; 4 for a boolean
  uint64_t default_value = 0;  ///< its bits
};

using ReflectedKernels = std::vector<ReflectedKernel>;

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_REFLECT_REFLECTED_KERNELS_H_
