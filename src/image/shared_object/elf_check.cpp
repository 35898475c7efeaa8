// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/shared_object/elf_check.h"

#include <cstring>

#include "base/host_memory.h"

#if defined(__linux__)
#include <elf.h>
#include <link.h>
#endif

namespace halyard {

#if defined(__linux__)
namespace {

using Image = std::span<const std::byte>;
using Segment = ElfW(Phdr);

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
  if (header.e_phentsize != sizeof(Segment) ||
      !Inside(image, header.e_phoff, uint64_t{header.e_phnum} * sizeof(Segment))) {
    return Fail(HAL_STATUS_DATA_LOSS,
                "the shared object's program headers (%u at offset %llu) do not lie inside its %zu bytes",
                header.e_phnum, static_cast<unsigned long long>(header.e_phoff), image.size());
  }
  return kOk;
}

unsigned long long Number(uint64_t value) { return value; }  // for printf

Status CheckPlace(Image image, const Segment& segment, size_t index) {
  if (segment.p_align > 1 &&
      ((segment.p_align & (segment.p_align - 1)) != 0 || (segment.p_vaddr - segment.p_offset) % segment.p_align != 0)) {
    return Fail(HAL_STATUS_DATA_LOSS, "the shared object's segment %zu cannot be aligned to %llu bytes", index,
                Number(segment.p_align));
  }
  if (!Inside(image, segment.p_offset, segment.p_filesz) || segment.p_memsz < segment.p_filesz) {
    return Fail(HAL_STATUS_DATA_LOSS,
                "the shared object is cut short: segment %zu (%llu bytes at offset %llu) ends past its %zu bytes",
                index, Number(segment.p_filesz), Number(segment.p_offset), image.size());
  }
  return kOk;
}

/// What the loader will do with the segments, as far as it believes them.
class SegmentCheck {
 public:
  explicit SegmentCheck(Image image) : image_(image) {}

  Status Run(const ElfW(Ehdr) & header) {
    for (size_t i = 0; i < header.e_phnum; ++i) {
      const auto segment = Read<Segment>(image_, header.e_phoff + i * sizeof(Segment));
      if (Status status = Take(segment, i); status != kOk) return status;
    }
    if (!has_dynamic_) return FailWith(HAL_STATUS_DATA_LOSS, "the shared object has no dynamic section");
    if (!Loaded(dynamic_.p_vaddr, dynamic_.p_filesz)) return NotLoaded("dynamic section", dynamic_.p_vaddr);
    for (const Segment& segment : read_by_loader_) {
      if (segment.p_filesz > 0 && !Loaded(segment.p_vaddr, segment.p_filesz)) {
        return NotLoaded("notes or thread-local data", segment.p_vaddr);
      }
    }
    if (relro_.p_memsz > 0 && !Loaded(relro_.p_vaddr, 1)) return NotLoaded("relocated part", relro_.p_vaddr);
    return CheckDynamicSection();
  }

 private:
  Status Take(const Segment& segment, size_t index) {
    if (segment.p_type == PT_LOAD) {
      if (Status status = CheckPlace(image_, segment, index); status != kOk) return status;
      return TakeLoad(segment, index);
    }
    if (segment.p_type == PT_GNU_RELRO) relro_ = segment;
    if (segment.p_type == PT_NOTE || segment.p_type == PT_TLS || segment.p_type == PT_GNU_PROPERTY) {
      read_by_loader_.push_back(segment);
    }
    if (segment.p_type != PT_DYNAMIC) return kOk;
    if (has_dynamic_) return FailWith(HAL_STATUS_DATA_LOSS, "the shared object has two dynamic sections");
    has_dynamic_ = true;
    dynamic_ = segment;
    return CheckPlace(image_, segment, index);
  }

  Status TakeLoad(const Segment& segment, size_t index) {
    const uint64_t end = loads_.empty() ? 0 : loads_.back().p_vaddr + loads_.back().p_memsz;
    if (segment.p_vaddr < end || segment.p_memsz > kLargestImage || segment.p_vaddr > kLargestImage) {
      return Fail(
          HAL_STATUS_DATA_LOSS,
          "the shared object's segment %zu (%llu bytes at address %llu) overlaps the one before or is too large", index,
          Number(segment.p_memsz), Number(segment.p_vaddr));
    }
    loads_.push_back(segment);
    return kOk;
  }

  bool Loaded(uint64_t address, uint64_t size) const {
    for (const Segment& load : loads_) {
      if (address >= load.p_vaddr && address - load.p_vaddr <= load.p_memsz &&
          size <= load.p_memsz - (address - load.p_vaddr)) {
        return true;
      }
    }
    return false;
  }

  Status NotLoaded(const char* what, uint64_t address) const {
    return Fail(HAL_STATUS_DATA_LOSS, "the shared object's %s (address %llu) lies in none of its loaded segments", what,
                Number(address));
  }

  /// The tables that the loader reads before it runs anything.
  Status CheckDynamicSection() const {
    for (uint64_t at = 0; at + sizeof(ElfW(Dyn)) <= dynamic_.p_filesz; at += sizeof(ElfW(Dyn))) {
      const auto entry = Read<ElfW(Dyn)>(image_, dynamic_.p_offset + at);
      if (entry.d_tag == DT_NULL) return kOk;
      if (const char* const table = TableName(entry.d_tag); table && !Loaded(entry.d_un.d_ptr, 1)) {
        return NotLoaded(table, entry.d_un.d_ptr);
      }
    }
    return FailWith(HAL_STATUS_DATA_LOSS, "the shared object's dynamic section has no end");
  }

  static const char* TableName(ElfW(Sxword) tag) {
    switch (tag) {
      case DT_HASH:
      case DT_GNU_HASH:
        return "hash table";
      case DT_STRTAB:
        return "string table";
      case DT_SYMTAB:
        return "symbol table";
      case DT_RELA:
      case DT_REL:
      case DT_JMPREL:
        return "relocations";
      case DT_PLTGOT:
        return "global offset table";
      case DT_VERSYM:
      case DT_VERNEED:
      case DT_VERDEF:
        return "symbol versions";
      default:
        return nullptr;
    }
  }

  static constexpr uint64_t kLargestImage = uint64_t{1} << 40;  // so that sums of addresses do not overflow

  const Image image_;
  HostVector<Segment> loads_;           // in order of their addresses
  HostVector<Segment> read_by_loader_;  // where they lie in memory
  Segment dynamic_{};
  Segment relro_{};
  bool has_dynamic_ = false;
};

}  // namespace

Status CheckElfImage(Image image) {
  if (image.size() < sizeof(ElfW(Ehdr)) || std::memcmp(image.data(), ELFMAG, SELFMAG) != 0) {
    return Fail(HAL_STATUS_DATA_LOSS, "the %zu bytes are not an ELF shared object", image.size());
  }
  const auto header = Read<ElfW(Ehdr)>(image, 0);
  if (Status status = CheckHeader(image, header); status != kOk) return status;
  return SegmentCheck(image).Run(header);
}

#else

Status CheckElfImage(std::span<const std::byte>) { return kOk; }

#endif

}  // namespace halyard
