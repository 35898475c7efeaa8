// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds bytes to what looks at shared objects before the system's loader gets them, and at their symbols. What is
// accepted must be what the loader needs, and names must be texts of the image that take no more room than it does.
#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "base/status.h"
#include "image/shared_object/elf_check.h"
#include "image/shared_object/elf_symbols.h"

namespace halyard {
namespace {

using Image = std::span<const std::byte>;

/// Ends the run: libFuzzer keeps the input.
void Require(bool condition) {
  if (!condition) std::abort();
}

template <class T>
T Read(Image image, uint64_t offset) {
  Require(offset <= image.size() && sizeof(T) <= image.size() - offset);
  T value;
  std::memcpy(&value, image.data() + offset, sizeof(T));
  return value;
}

/// Loaded segments lie in the image and do not overlap in memory, and there is one dynamic section.
void CheckSegments(Image image) {
  const auto header = Read<Elf64_Ehdr>(image, 0);
  uint64_t end = 0;
  size_t dynamic_sections = 0;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = Read<Elf64_Phdr>(image, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type == PT_DYNAMIC) ++dynamic_sections;
    if (segment.p_type != PT_LOAD) continue;
    Require(segment.p_offset <= image.size() && segment.p_filesz <= image.size() - segment.p_offset);
    Require(segment.p_vaddr >= end && segment.p_memsz <= UINT64_MAX - segment.p_vaddr);
    end = segment.p_vaddr + segment.p_memsz;
  }
  Require(dynamic_sections == 1);
}

/// Whether it could be loaded.
void TryToCheck(Image image) {
  const Failure failure(CheckElfImage(image));
  if (!failure) return CheckSegments(image);
  Require(failure.code() == HAL_STATUS_DATA_LOSS || failure.code() == HAL_STATUS_INCOMPATIBLE);
  Require(!failure.message().empty());
}

/// Each name ends inside the image with a zero byte.
ElfNames CheckNames(Image image, const std::optional<ElfNames>& names) {
  const char* const begin = reinterpret_cast<const char*>(image.data());
  const char* const end = begin + image.size();
  size_t size = 0;
  for (const std::string_view name : names.value_or(ElfNames())) {
    Require(!name.empty() && name.data() >= begin && name.data() + name.size() < end);
    Require(name.find('\0') == std::string_view::npos && *(name.data() + name.size()) == '\0');
    size += name.size();
  }
  Require(size <= image.size());  // a caller that copies or prints them must not run out of memory
  return names.value_or(ElfNames());
}

/// FindUnresolvedImports() itself would load whatever libraries an input names.
void TryToName(Image image) {
  const std::optional<ElfNames> exports = FindElfSymbols(image);
  const std::optional<ElfNames> imports = FindElfImports(image);
  CheckNames(image, exports);
  UnresolvedImports missing;
  for (const std::string_view name : CheckNames(image, FindElfLibraries(image))) missing.libraries.emplace_back(name);
  for (const std::string_view name : CheckNames(image, imports)) missing.symbols.emplace_back(name);
  Require(UnresolvedText(missing).empty() == missing.empty());
}

}  // namespace
}  // namespace halyard

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto image = std::as_bytes(std::span(data, size));
  halyard::TryToCheck(image);
  halyard::TryToName(image);
  return 0;
}
