// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/elf_check.h"

#include <cstring>

#if defined(__linux__)
#include <elf.h>
#include <link.h>
#endif

namespace halyard {

#if defined(__linux__)
namespace {

using Image = std::span<const std::byte>;

#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#else
constexpr unsigned kMachine = EM_NONE;  // not checked
#endif

template <class T>
T Read(Image image, uint64_t offset) {
  T value;
  std::memcpy(&value, image.data() + offset, sizeof(T));
  return value;
}

bool Inside(Image image, uint64_t offset, uint64_t size) {
  return offset <= image.size() && size <= image.size() - offset;
}

Status CheckHeader(Image image, const ElfW(Ehdr) & header) {
  if (header.e_ident[EI_CLASS] == ELFCLASSNONE || header.e_ident[EI_VERSION] != EV_CURRENT) {
    return Fail(HAL_STATUS_DATA_LOSS, "the ELF header is malformed: class %u, version %u", header.e_ident[EI_CLASS],
                header.e_ident[EI_VERSION]);
  }
  const unsigned char own_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  if (header.e_ident[EI_CLASS] != own_class || (kMachine != EM_NONE && header.e_machine != kMachine)) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the shared object is for machine %u, this host is machine %u",
                header.e_machine, kMachine);
  }
  if (header.e_type != ET_DYN) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the ELF file is of type %u, not a shared object (type %u); link with -shared",
                header.e_type, static_cast<unsigned>(ET_DYN));
  }
  if (header.e_phentsize != sizeof(ElfW(Phdr)) ||
      !Inside(image, header.e_phoff, uint64_t{header.e_phnum} * sizeof(ElfW(Phdr)))) {
    return Fail(HAL_STATUS_DATA_LOSS,
                "the shared object's program headers (%u at offset %llu) do not lie inside its %zu bytes",
                header.e_phnum, static_cast<unsigned long long>(header.e_phoff), image.size());
  }
  return kOk;
}

Status CheckSegments(Image image, const ElfW(Ehdr) & header) {
  bool has_dynamic = false;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = Read<ElfW(Phdr)>(image, header.e_phoff + i * sizeof(ElfW(Phdr)));
    if (segment.p_type == PT_DYNAMIC) has_dynamic = true;
    if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) continue;
    if (segment.p_align > 1 && ((segment.p_align & (segment.p_align - 1)) != 0 ||
                                (segment.p_vaddr - segment.p_offset) % segment.p_align != 0)) {
      return Fail(HAL_STATUS_DATA_LOSS, "the shared object's segment %llu cannot be aligned to %llu bytes",
                  static_cast<unsigned long long>(i), static_cast<unsigned long long>(segment.p_align));
    }
    if (!Inside(image, segment.p_offset, segment.p_filesz) || segment.p_memsz < segment.p_filesz) {
      return Fail(HAL_STATUS_DATA_LOSS,
                  "the shared object is cut short: segment %llu (%llu bytes at offset %llu) ends past its %zu bytes",
                  static_cast<unsigned long long>(i), static_cast<unsigned long long>(segment.p_filesz),
                  static_cast<unsigned long long>(segment.p_offset), image.size());
    }
  }
  if (has_dynamic) return kOk;
  return FailWith(HAL_STATUS_DATA_LOSS, "the shared object has no dynamic section");
}

}  // namespace

Status CheckElfImage(Image image) {
  if (image.size() < sizeof(ElfW(Ehdr)) || std::memcmp(image.data(), ELFMAG, SELFMAG) != 0) {
    return Fail(HAL_STATUS_DATA_LOSS, "the %zu bytes are not an ELF shared object", image.size());
  }
  const auto header = Read<ElfW(Ehdr)>(image, 0);
  if (Status status = CheckHeader(image, header); status != kOk) return status;
  return CheckSegments(image, header);
}

#else

Status CheckElfImage(std::span<const std::byte>) { return kOk; }

#endif

}  // namespace halyard
