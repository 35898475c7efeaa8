// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "import_stub.h"

#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr const char* kHead = R"(/* Made by halyard-pack. */
#if defined(__x86_64__)
#define HALYARD_JUMP(name, offset) \
  __asm__(".text\n.globl " name "\n.hidden " name "\n.type " name ", @function\n" name \
          ":\nendbr64\njmp *halyard_imports+" #offset "(%rip)\n")
#elif defined(__aarch64__)
#define HALYARD_JUMP(name, offset) \
  __asm__(".text\n.p2align 2\n.globl " name "\n.hidden " name "\n.type " name ", %function\n" name \
          ":\nhint #34\nadrp x16, halyard_imports+" #offset "\nldr x16, [x16, :lo12:halyard_imports+" #offset "]\nbr x16\n")
#else
#error "import tables are written for x86-64 and AArch64"
#endif
struct halyard_import { const char* name; void* target; };
struct halyard_imports { unsigned version, count; struct halyard_import imports[]; };
)";

// A name in quotes, inside a string of C: any character but quotes, backslashes and control characters.
std::string QuotedSymbol(const std::string& symbol) {
  for (const char c : symbol) {
    if (c != '"' && c != '\\' && static_cast<unsigned char>(c) >= ' ') continue;
    Fail(ExitCode::kInput, "a function '", symbol, "' cannot be imported: quotes, backslashes and control characters ",
         "are no part of a symbol");
  }
  return "\\\"" + symbol + "\\\"";
}

// Imports begin 8 bytes into the table and are 16 bytes long; the target is the second half.
std::string Jump(const std::string& symbol, size_t index) {
  const std::string name = QuotedSymbol(symbol);
  return Concat("HALYARD_JUMP(\"", name, "\", ", 16 * index + 16, ");\n");
}

}  // namespace

std::string ImportedSymbol(const MlirFunction& function) {
  return (function.has_c_interface ? "_mlir_ciface_" : "") + function.name;
}

std::vector<std::string> ImportedSymbols(const std::vector<MlirFunction>& declared) {
  std::vector<std::string> symbols;
  symbols.reserve(declared.size());
  for (const MlirFunction& function : declared) symbols.push_back(ImportedSymbol(function));
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
