// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values for specialisation constants, of --specialize and of descriptions, and the constants that they are for.
#ifndef HALYARD_TOOLS_SUPPORT_SPECIALIZATION_H_
#define HALYARD_TOOLS_SUPPORT_SPECIALIZATION_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/buffer_view.h"
#include "halyard/executable.h"
#include "support/failure.h"
#include "support/kernels/export_description.h"

namespace halyard::tools {

/// A value for a constant: `ID=VALUE` or `NAME=VALUE`, with `:TYPE` behind, or an entry of a description.
struct SpecializeArgument {
  std::string text;      ///< for messages: "--specialize=BLOCK=64"
  std::string constant;  ///< ID or NAME
  std::string value;
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;  ///< NONE if the image has to say
  std::string name = {};                            ///< of a description that has an ID: the constant's name there
  ExitCode code = ExitCode::kUsage;                 ///< of what is wrong with it
};
SpecializeArgument ParseSpecializeArgument(std::string_view text);

/// The specialisation constants of a description, in its order; none without a file. Throws Failure (kInput).
std::vector<SpecializeArgument> ReadDescribedConstants(const DescriptionFile& file);

/// Finds the constants in what an executable's SPIR-V tells. Images of other formats tell nothing, so their constants
/// are those that a description has with number and type; others are named by ID with a type. An argument overrules
/// the description. Throws Failure with the argument's code: a constant that does not exist, with those that do; a
/// value that its type cannot hold; a name or type that the image contradicts; one constant twice. kInput if the file
/// cannot be read.
/// @param format  of a raw image; the container's for an executable file
std::vector<hal_specialization_t> ResolveSpecializations(const std::vector<SpecializeArgument>& described,
                                                         const std::vector<SpecializeArgument>& arguments,
                                                         const std::string& path, const std::string& format);

/// Makes a value the default of a constant in a module of SPIR-V. False if the module has no such constant. Throws as
/// the function above, and if no kernel can have the value, such as 0 work-items. The module is unchanged then.
bool SetDefault(const SpecializeArgument& argument, std::vector<std::byte>* module);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_SPECIALIZATION_H_
