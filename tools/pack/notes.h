// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a user should know of a file that was made: one short line for each kernel that it is about.
#ifndef HALYARD_TOOLS_PACK_NOTES_H_
#define HALYARD_TOOLS_PACK_NOTES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "image/halx/container_contents.h"
#include "support/kernels/export_description.h"

namespace halyard::tools {

/// A name that is longer than a line, as mangled names are, loses its middle.
std::string Shortened(std::string_view name);
/// The same in quotes.
std::string QuotedName(std::string_view name);

/// "--parameter=scale:3"; KERNEL in the place of such a name.
std::string ParameterOption(std::string_view kernel, size_t parameter);

inline constexpr size_t kMostKernelsInNotes = 8;  ///< that are named of those with guesses, or with addresses

/// Appends the exports that have parameters of which the images leave open what they are.
void AddGuesses(const std::vector<ExportDescription>& exports, std::vector<std::string>* notes);

/// Appends the images for AMD devices that leave open sizes of workgroups that others say.
void AddOpenSizes(const ContainerContents& contents, std::vector<std::string>* notes);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_NOTES_H_
