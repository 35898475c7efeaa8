// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions of exports that lie in memory, for fuzzers: the reader takes the path of a file.
#ifndef HALYARD_TESTS_FUZZ_EXPORTS_TEXT_H_
#define HALYARD_TESTS_FUZZ_EXPORTS_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "support/kernels/export_description.h"

namespace halyard::tools {

/// Reads a description. Throws Failure as ReadExportDescriptions() does.
std::vector<ExportDescription> ReadExportsText(std::string_view text);

/// Reads the JSON of a description alone. Throws Failure as ReadDescriptionFile() does.
DescriptionFile ReadDescriptionText(std::string_view text);

/// The same as a tool prints it.
std::string PrintExports(const std::vector<ExportDescription>& exports);

}  // namespace halyard::tools

#endif  // HALYARD_TESTS_FUZZ_EXPORTS_TEXT_H_
