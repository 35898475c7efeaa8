// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Showing an executable file.
#ifndef HALYARD_TOOLS_PACK_DUMP_H_
#define HALYARD_TOOLS_PACK_DUMP_H_

#include <cstddef>
#include <span>
#include <string>

#include "image/halx/container.h"
#include "support/json.h"

namespace halyard::tools {

/// Opens and verifies a file, contents of the images included. Throws Failure (kInput) with the field that is wrong.
Container OpenContainer(const std::string& path);
/// The same for bytes, which must outlive it.
Container ParseContainer(std::span<const std::byte> bytes);

/// One line: how much of what is in it.
std::string SummaryText(const std::string& path, const Container& container);
/// Everything but the images' bytes.
std::string DumpText(const std::string& path, const Container& container);
Json DumpJson(const std::string& path, const Container& container);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_DUMP_H_
