// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_objects.h"

#include <algorithm>
#include <string_view>

#include "halyard/local_kernel.h"
#include "image/shared_object/elf_check.h"
#include "image/shared_object/elf_reader.h"
#include "image/shared_object/elf_symbols.h"
#include "support/failure.h"
#include "support/program/check.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr uint16_t kRelocatable = 1;  // ET_REL
constexpr uint16_t kProgram = 2;      // ET_EXEC
constexpr size_t kMostFunctions = 8;  // that a message names

// Programs that may lie anywhere look like shared objects except for a flag of their dynamic section.
bool IsMovableProgram(const ElfReader& elf) {
  constexpr uint32_t kDynamic = 6;  // SHT_DYNAMIC
  constexpr size_t kEntrySize = 16;
  constexpr uint64_t kFlags1 = 0x6ffffffb;  // DT_FLAGS_1
  constexpr uint64_t kPie = 0x08000000;     // DF_1_PIE
  const ElfSection* const section = elf.FindSectionOfType(kDynamic);
  if (!section) return false;
  for (size_t at = 0; at + kEntrySize <= section->contents.size(); at += kEntrySize) {
    if (ReadUint<uint64_t>(section->contents, at) != kFlags1) continue;
    return (ReadUint<uint64_t>(section->contents, at + 8) & kPie) != 0;
  }
  return false;
}

struct Functions {
  std::vector<std::string> names;
  bool are_kernels = false;  // at least one is marked as a kernel
};

// Names that users write come first; those of compilers begin with "_".
Functions FunctionsToName(std::span<const std::byte> image) {
  Functions functions;
  for (const std::string_view symbol : FindElfSymbols(image).value_or(ElfNames())) {
    const bool is_mark = symbol.starts_with(HAL_LOCAL_KERNEL_MARK_PREFIX);
    functions.are_kernels |= is_mark;
    if (!is_mark && (!symbol.starts_with("_") || symbol.starts_with("_Z"))) functions.names.emplace_back(symbol);
  }
  std::stable_partition(functions.names.begin(), functions.names.end(),
                        [](const std::string& name) { return !name.starts_with("_"); });
  return functions;
}

}  // namespace

void CheckObjectFile(const std::string& path, std::span<const std::byte> image) {
  if (AsText(image).starts_with("MZ")) return;  // a library of Windows, whose loader looks at it
  ElfReader elf;
  if (Succeeds(elf.Open(image, "the shared object"))) {
    if (elf.Header().type == kRelocatable) {
      Fail(ExitCode::kInput, "'", path, "' is a relocatable object, which no device loads; link it: cc -shared ", path,
           " -o FILE.so");
    }
    if (elf.Header().type == kProgram || IsMovableProgram(elf)) {
      Fail(ExitCode::kInput, "'", path, "' is a program, which no device loads; link it with cc -shared -fPIC");
    }
  }
  // Only images for this machine are looked into; the others are INCOMPATIBLE here, which is no reason to refuse them.
  const halyard::Failure failure(CheckElfImage(image));
  if (failure.code() == HAL_STATUS_DATA_LOSS) Fail(ExitCode::kInput, "'", path, "': ", failure.message());
}

void CheckObjectIsComplete(const std::string& path, std::span<const std::byte> image, std::vector<std::string>* notes) {
  if (!Succeeds(CheckElfImage(image))) return;  // for another machine
  const UnresolvedImports missing = FindUnresolvedImports(image);
  if (missing.empty()) return;
  if (!missing.libraries.empty()) {
    notes->push_back(Concat("'", path, "' ", UnresolvedText({missing.libraries, {}}),
                            " here; each machine that runs it needs them"));
    return;
  }
  Fail(ExitCode::kInput, "'", path, "' ", UnresolvedText(missing),
       "; link it with the objects or libraries that have them: cc -shared … OBJECT.o -lLIBRARY -o ", path);
}

std::string HowToDescribe(std::span<const std::byte> image) {
  const auto [names, are_kernels] = FunctionsToName(image);
  if (names.empty()) return "it exports no function; describe it with --exports=FILE";
  std::vector<std::string> named;
  for (size_t i = 0; i < names.size() && i < kMostFunctions; ++i) named.push_back("'" + names[i] + "'");
  if (names.size() > kMostFunctions) named.push_back(Concat("and ", names.size() - kMostFunctions, " more"));
  return Concat("it has ", JoinText(named), ". --exports=FILE describes ",
                are_kernels ? "a kernel" : "a plain C function", ": {\"exports\": [{\"name\": \"", names.front(),
                "\", ",
                are_kernels ? R"("parameters": [{"kind": "binding", "binding": 0}])"
                            : R"("convention": "c", "arguments": ["i64", "const f32*", "f32*"])",
                "}]}");
}

}  // namespace halyard::tools
