// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-pack: makes executable files (.halx), and shows them.
#include "dump.h"
#include "options.h"
#include "pack.h"
#include "support/tool.h"

namespace halyard::tools {
namespace {

ExitCode Run(int argc, char** argv) {
  const std::optional<PackOptions> options = ParsePackOptions(argc, argv);
  if (!options) return ExitCode::kOk;
  if (!options->translate.empty()) {
    Translate(*options);
  } else if (options->dump.empty()) {
    const HostVector<std::byte> bytes = Pack(*options);
    const Container container = ParseContainer(bytes);
    Print(options->json ? JsonText(DumpJson(options->output, container)) : SummaryText(options->output, container));
  } else {
    const Container container = OpenContainer(options->dump);
    Print(options->json ? JsonText(DumpJson(options->dump, container)) : DumpText(options->dump, container));
  }
  return ExitCode::kOk;
}

}  // namespace
}  // namespace halyard::tools

int main(int argc, char** argv) { return halyard::tools::RunTool("halyard-pack", argc, argv, halyard::tools::Run); }
