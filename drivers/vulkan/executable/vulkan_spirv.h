// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words of a SPIR-V module that the driver looks at and changes.
#ifndef HALYARD_VULKAN_EXECUTABLE_VULKAN_SPIRV_H_
#define HALYARD_VULKAN_EXECUTABLE_VULKAN_SPIRV_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/base.h"

namespace halyard::vulkan {

/// Checks that a module has a kernel of that name. `out_size` is where its LocalSize stands; 0 if constants give it.
Status FindEntryPoint(std::span<const uint32_t> words, std::string_view name, size_t* out_size);

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_EXECUTABLE_VULKAN_SPIRV_H_
