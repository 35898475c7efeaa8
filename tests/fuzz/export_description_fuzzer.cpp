// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds text to the reader of --exports, descriptions of entry points in JSON. What it accepts must have names and
// constants that fit, and be the same after it was printed and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "exports_text.h"
#include "support/failure.h"

namespace {

using halyard::tools::ExportDescription;
using halyard::tools::PrintExports;
using halyard::tools::ReadExportsText;

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckExport(const ExportDescription& description) {
  Require(!description.name.empty());
  Require(!description.signature || !description.says_kernel);
  for (const hal_parameter_t& parameter : description.parameters) {
    Require(parameter.kind == HAL_PARAMETER_KIND_BINDING || parameter.kind == HAL_PARAMETER_KIND_CONSTANT);
    Require(uint64_t{parameter.offset} + parameter.size <= description.constants_size);
    Require(parameter.access <= HAL_BINDING_ACCESS_WRITE);
  }
}

void CheckExports(const std::vector<ExportDescription>& exports) {
  if (exports.empty()) return;  // a description of specialisation constants alone
  std::set<std::string_view> names;
  for (const ExportDescription& description : exports) {
    CheckExport(description);
    Require(names.insert(description.name).second);
  }
  const std::string text = PrintExports(exports);
  Require(PrintExports(ReadExportsText(text)) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    CheckExports(ReadExportsText({reinterpret_cast<const char*>(data), size}));
  } catch (const halyard::tools::Failure& failure) {
    Require(failure.code() == halyard::tools::ExitCode::kInput);
    Require(failure.what()[0] != '\0');
  }
  return 0;
}
