// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "import_stub.h"

#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr const char* kHead = R"(/* Made by halyard-pack. */
#if !defined(__x86_64__)
#error "import tables are written for x86-64"
#endif
struct halyard_import { const char* name; void* target; };
struct halyard_imports { unsigned version, count; struct halyard_import imports[]; };
)";

// Imports begin 8 bytes into the table and are 16 bytes long; the target is the second half.
std::string Jump(const std::string& symbol, size_t index) {
  return Concat("__asm__(\".text\\n.globl ", symbol, "\\n.hidden ", symbol, "\\n.type ", symbol, ", @function\\n",
                symbol, ":\\nendbr64\\njmp *halyard_imports+", 16 * index + 16, "(%rip)\\n\");\n");
}

}  // namespace

std::vector<std::string> ImportedSymbols(const std::vector<MlirFunction>& functions) {
  std::vector<std::string> symbols;
  for (const MlirFunction& function : functions) {
    if (!function.is_external) continue;
    symbols.push_back((function.has_c_interface ? "_mlir_ciface_" : "") + function.name);
  }
  symbols.insert(symbols.end(), {"memrefCopy", "abort"});
  return symbols;
}

std::string ImportStub(const std::vector<std::string>& symbols) {
  std::string text = kHead;
  text += Concat("__attribute__((visibility(\"hidden\"))) struct halyard_imports halyard_imports = {1, ",
                 symbols.size(), ", {\n");
  for (const std::string& symbol : symbols) text += Concat("  {\"", symbol, "\", 0},\n");
  text +=
      "}};\n"
      "__attribute__((visibility(\"default\"))) struct halyard_imports* halyard_import_table = &halyard_imports;\n";
  for (size_t i = 0; i < symbols.size(); ++i) text += Jump(symbols[i], i);
  return text;
}

}  // namespace halyard::tools
