// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-pack: makes executable files (.halx), and shows them.
#include "dump.h"
#include "mlir/mlir_pack.h"
#include "options.h"
#include "pack.h"
#include "support/program/tool.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

std::string StubText(const PackOptions& options) {
  const std::vector<std::string> symbols = WriteImportStub(options);
  if (options.json) return JsonText({{"file", options.import_stub}, {"imports", symbols}});
  return Concat(options.import_stub, ": imports ", JoinText(symbols), "\n");
}

void PrintPacked(const PackOptions& options, const Packed& packed) {
  const Container container = ParseContainer(packed.bytes);
  if (!options.json) {
    Print(SummaryText(options.output, container));
    for (const std::string& note : packed.notes) Print(Concat("note: ", note, "\n"));
    return;
  }
  Json json = DumpJson(options.output, container);
  json["notes"] = packed.notes;
  Print(JsonText(json));
}

ExitCode Run(int argc, char** argv) {
  const std::optional<PackOptions> options = ParsePackOptions(argc, argv);
  if (!options) return ExitCode::kOk;
  if (options->WritesStubOnly()) {
    Print(StubText(*options));
  } else if (!options->translate.empty()) {
    Translate(*options);
  } else if (options->dump.empty()) {
    PrintPacked(*options, Pack(*options));
  } else {
    const Container container = OpenContainer(options->dump);
    Print(options->json ? JsonText(DumpJson(options->dump, container)) : DumpText(options->dump, container));
  }
  return ExitCode::kOk;
}

}  // namespace
}  // namespace halyard::tools

int main(int argc, char** argv) { return halyard::tools::RunTool("halyard-pack", argc, argv, halyard::tools::Run); }
