// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of --specialize, and the constants that they are for.
#ifndef HALYARD_TOOLS_RUN_SPECIALIZATION_H_
#define HALYARD_TOOLS_RUN_SPECIALIZATION_H_

#include <string>
#include <string_view>
#include <vector>

#include "halyard/buffer_view.h"
#include "halyard/executable.h"

namespace halyard::tools {

/// `ID=VALUE` or `NAME=VALUE`, with `:TYPE` behind.
struct SpecializeArgument {
  std::string text;
  std::string constant;  ///< ID or NAME
  std::string value;
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;  ///< NONE if the image has to say
};
SpecializeArgument ParseSpecializeArgument(std::string_view text);

/// Finds the constants in what an executable's SPIR-V tells. Images of other formats tell nothing, so their constants
/// are named by ID with a type. Throws Failure (kUsage): a constant that does not exist, with those that do; a value
/// that its type cannot hold; one constant twice. kInput if the file cannot be read.
/// @param format  of a raw image; the container's for an executable file
std::vector<hal_specialization_t> ResolveSpecializations(const std::vector<SpecializeArgument>& arguments,
                                                         const std::string& path, const std::string& format);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_SPECIALIZATION_H_
