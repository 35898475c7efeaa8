// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds text to the readers of --exports, descriptions of entry points and of specialisation constants in JSON. Entry
// points must have names and constants that fit, and be the same after they were printed and read again. The constants
// are set in a module of SPIR-V that has one of each type.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "exports_text.h"
#include "specialized_module.h"
#include "support/failure.h"
#include "support/input_file.h"

namespace {

using halyard::tools::DescriptionFile;
using halyard::tools::ExitCode;
using halyard::tools::ExportDescription;
using halyard::tools::Failure;
using halyard::tools::PrintExports;
using halyard::tools::ReadExportDescriptions;
using halyard::tools::ReadExportsText;
using halyard::tools::ReadModule;
using halyard::tools::SpecializeArgument;

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

/// Runs a reader, which may refuse the text in words.
template <class Read>
void Try(Read&& read) {
  try {
    read();
  } catch (const Failure& failure) {
    Require(failure.code() == ExitCode::kInput);
    Require(failure.what()[0] != '\0');
  }
}

// All in one module, and only the first few: each takes readings of the module.
constexpr size_t kMostSet = 2;

// In the program, which so runs on machines that have no sources.
asm(".pushsection .rodata\n"
    "widths_begin: .incbin \"" HALYARD_WIDTHS_MODULE
    "\"\n"
    "widths_end: .popsection\n");
extern "C" const std::byte widths_begin[], widths_end[];

ReadModule ReadWidths() {
  ReadModule module = {{widths_begin, widths_end}, {}};
  Require(Succeeds(halyard::ReadSpirv(module.bytes, &module.image)));
  return module;
}

void CheckConstants(const std::vector<SpecializeArgument>& constants) {
  static const ReadModule module = ReadWidths();
  size_t set = 0;
  for (const SpecializeArgument& constant : constants) {
    Require(constant.code == ExitCode::kInput && !constant.constant.empty() && !constant.text.empty());
    if (set++ < kMostSet) static_cast<void>(CheckSetDefault(constant, module));
  }
  Try([&] {  // of an image that does not tell its constants
    for (const hal_specialization_t& one : ResolveSpecializations(constants, {}, "image", "msl")) {
      Require(one.size == 1 || one.size == 2 || one.size == 4 || one.size == 8);
      Require(one.size == 8 || one.value >> (8 * one.size) == 0);
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  DescriptionFile file;
  Try([&] { file = halyard::tools::ReadDescriptionText({reinterpret_cast<const char*>(data), size}); });
  if (file.path.empty()) return 0;
  Try([&] { CheckExports(ReadExportDescriptions(file)); });
  Try([&] { CheckConstants(ReadDescribedConstants(file)); });
  return 0;
}
