// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream_api/elf_image.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace halyard::sim {

size_t ElfSize(const void* image) {
  const auto* bytes = static_cast<const std::byte*>(image);
  Elf64_Ehdr header;
  std::memcpy(&header, bytes, sizeof(header));
  size_t end = std::max<size_t>(header.e_shoff + size_t{header.e_shnum} * header.e_shentsize,
                                header.e_phoff + size_t{header.e_phnum} * header.e_phentsize);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes + header.e_shoff + i * header.e_shentsize, sizeof(section));
    if (section.sh_type != SHT_NOBITS) end = std::max<size_t>(end, section.sh_offset + section.sh_size);
  }
  return end;
}

bool BeginsAs(const void* image, const void* magic, size_t size) {
  const auto* bytes = static_cast<const std::byte*>(image);
  const auto* wanted = static_cast<const std::byte*>(magic);
  return std::mismatch(wanted, wanted + size, bytes).first == wanted + size;
}

}  // namespace halyard::sim
