// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/shared_object/elf_reader.h"

#include <algorithm>

namespace halyard {
namespace {

// Of the ELF specification; <elf.h> is not everywhere.
constexpr uint64_t kHeaderSize = 64;
constexpr uint64_t kSectionSize = 64;
constexpr uint64_t kSegmentSize = 56;
constexpr uint64_t kSymbolSize = 24;
constexpr uint32_t kSymbolTable = 2;  // SHT_SYMTAB
constexpr uint32_t kNoteSegment = 4;  // PT_NOTE
constexpr uint64_t kNoteHeaderSize = 12;
/// Symbols may share one long name, which would have to be read for each of them.
constexpr uint64_t kMostNameBytes = uint64_t{256} << 20;

unsigned long long Number(uint64_t value) { return value; }  // for printf

uint64_t RoundUp(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

}  // namespace

bool ElfReader::LooksLikeElf(Bytes image) {
  return AsText(image).starts_with(
      "\x7f"
      "ELF");
}

Status ElfReader::Open(Bytes image, const char* what) {
  image_ = image;
  what_ = what;
  if (image.size() < kHeaderSize || !LooksLikeElf(image)) {
    return Fail(HAL_STATUS_DATA_LOSS, "%s: its %zu bytes are no ELF file", what, image.size());
  }
  const auto elf_class = ReadUint<uint8_t>(image, 4);
  const auto order = ReadUint<uint8_t>(image, 5);
  if (elf_class != 2 || order != 1) {
    return Fail(HAL_STATUS_DATA_LOSS,
                "%s: it is of ELF class %u in byte order %u; expected class 2 (64 bits) in order 1", what, elf_class,
                order);
  }
  header_.abi_version = ReadUint<uint8_t>(image, 8);
  header_.machine = ReadUint<uint16_t>(image, 18);
  header_.flags = ReadUint<uint32_t>(image, 48);
  return ReadSections();
}

Status ElfReader::ReadSections() {
  const auto table = ReadUint<uint64_t>(image_, 40);
  const auto entry_size = ReadUint<uint16_t>(image_, 58);
  const auto count = ReadUint<uint16_t>(image_, 60);
  if (count == 0) return kOk;
  if (entry_size != kSectionSize) {
    return Fail(HAL_STATUS_DATA_LOSS, "%s: e_shentsize is %u, not %llu", what_, entry_size, Number(kSectionSize));
  }
  if (!IsInside(image_, table, count * kSectionSize)) {
    return Fail(HAL_STATUS_DATA_LOSS, "%s: e_shoff %llu with %u sections exceeds its %zu bytes", what_, Number(table),
                count, image_.size());
  }
  sections_.resize(count);
  for (uint64_t i = 0; i < count; ++i) {
    if (Status status = ReadSection(i, &sections_[i]); status != kOk) return status;
  }
  return NameSections();
}

Status ElfReader::ReadSection(uint64_t index, ElfSection* out_section) const {
  const uint64_t header = ReadUint<uint64_t>(image_, 40) + index * kSectionSize;
  const auto offset = ReadUint<uint64_t>(image_, header + 24);
  out_section->type = ReadUint<uint32_t>(image_, header + 4);
  out_section->size = ReadUint<uint64_t>(image_, header + 32);
  out_section->link = ReadUint<uint32_t>(image_, header + 40);
  if (out_section->type == 0 || out_section->type == kNobits) return kOk;
  if (!IsInside(image_, offset, out_section->size)) {
    return Fail(HAL_STATUS_DATA_LOSS, "%s: section %llu: offset %llu + size %llu exceeds its %zu bytes", what_,
                Number(index), Number(offset), Number(out_section->size), image_.size());
  }
  out_section->contents = image_.subspan(offset, out_section->size);
  return kOk;
}

Status ElfReader::NameSections() {
  const auto strings = ReadUint<uint16_t>(image_, 62);
  if (strings >= sections_.size()) {
    return Fail(HAL_STATUS_DATA_LOSS, "%s: e_shstrndx is %u, but there are %zu sections", what_, strings,
                sections_.size());
  }
  for (size_t i = 0; i < sections_.size(); ++i) {
    const auto offset = ReadUint<uint32_t>(image_, ReadUint<uint64_t>(image_, 40) + i * kSectionSize);
    const auto name = TextAt(sections_[strings].contents, offset);
    if (!name) {
      return Fail(HAL_STATUS_DATA_LOSS, "%s: section %zu: sh_name %u is outside of the section names", what_, i,
                  offset);
    }
    sections_[i].name = *name;
    by_name_.try_emplace(*name, i);
  }
  return kOk;
}

const ElfSection* ElfReader::FindSection(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &sections_[found->second];
}

Status ElfReader::ReadSymbols(HostVector<ElfSymbol>* out_symbols) const {
  const auto table = std::find_if(sections_.begin(), sections_.end(),
                                  [](const ElfSection& section) { return section.type == kSymbolTable; });
  if (table == sections_.end()) return kOk;
  if (table->link >= sections_.size()) {
    return Fail(HAL_STATUS_DATA_LOSS, "%s: the symbol table's sh_link is %u, but there are %zu sections", what_,
                table->link, sections_.size());
  }
  uint64_t name_bytes = 0;
  for (uint64_t at = 0; at + kSymbolSize <= table->contents.size(); at += kSymbolSize) {
    const auto offset = ReadUint<uint32_t>(table->contents, at);
    const auto name = TextAt(sections_[table->link].contents, offset);
    if (!name) {
      return Fail(HAL_STATUS_DATA_LOSS, "%s: symbol %llu: st_name %u is outside of the symbol names", what_,
                  Number(at / kSymbolSize), offset);
    }
    name_bytes += name->size();
    if (name_bytes > kMostNameBytes) {
      return Fail(HAL_STATUS_DATA_LOSS, "%s: symbol %llu: the names of the symbols have more than 256 MiB", what_,
                  Number(at / kSymbolSize));
    }
    const auto type = static_cast<uint8_t>(ReadUint<uint8_t>(table->contents, at + 4) & 0xf);
    out_symbols->push_back(
        {*name, type, ReadUint<uint8_t>(table->contents, at + 5), ReadUint<uint16_t>(table->contents, at + 6)});
  }
  return kOk;
}

Status ElfReader::ReadNotes(HostVector<ElfNote>* out_notes) const {
  const auto table = ReadUint<uint64_t>(image_, 32);
  const auto entry_size = ReadUint<uint16_t>(image_, 54);
  const auto count = ReadUint<uint16_t>(image_, 56);
  if (count == 0) return kOk;
  if (entry_size != kSegmentSize || !IsInside(image_, table, count * kSegmentSize)) {
    return Fail(HAL_STATUS_DATA_LOSS, "%s: e_phoff %llu with %u program headers of %u bytes exceeds its %zu bytes",
                what_, Number(table), count, entry_size, image_.size());
  }
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t header = table + i * kSegmentSize;
    if (ReadUint<uint32_t>(image_, header) != kNoteSegment) continue;
    const auto offset = ReadUint<uint64_t>(image_, header + 8);
    const auto size = ReadUint<uint64_t>(image_, header + 32);
    if (!IsInside(image_, offset, size)) {
      return Fail(HAL_STATUS_DATA_LOSS, "%s: program header %llu: p_offset %llu + p_filesz %llu exceeds its %zu bytes",
                  what_, Number(i), Number(offset), Number(size), image_.size());
    }
    const uint64_t alignment = ReadUint<uint64_t>(image_, header + 48) == 8 ? 8 : 4;
    if (Status status = ReadNotes(image_.subspan(offset, size), alignment, out_notes); status != kOk) return status;
  }
  return kOk;
}

Status ElfReader::ReadNotes(Bytes segment, uint64_t alignment, HostVector<ElfNote>* out_notes) const {
  uint64_t at = 0;
  while (at + kNoteHeaderSize <= segment.size()) {
    const uint64_t owner_size = ReadUint<uint32_t>(segment, at);
    const uint64_t size = ReadUint<uint32_t>(segment, at + 4);
    const uint64_t owner = at + kNoteHeaderSize;
    const uint64_t description = RoundUp(owner + owner_size, alignment);
    if (!IsInside(segment, owner, owner_size) || !IsInside(segment, description, size)) {
      return Fail(HAL_STATUS_DATA_LOSS, "%s: the note at byte %llu (n_namesz %llu, n_descsz %llu) exceeds its segment",
                  what_, Number(at), Number(owner_size), Number(size));
    }
    if (out_notes->size() >= image_.size() / kNoteHeaderSize) {
      return Fail(HAL_STATUS_DATA_LOSS, "%s: the note at byte %llu: its segment overlaps another one", what_,
                  Number(at));
    }
    const std::string_view name = AsText(segment.subspan(owner, owner_size));
    out_notes->push_back(
        {name.substr(0, name.find('\0')), ReadUint<uint32_t>(segment, at + 8), segment.subspan(description, size)});
    at = RoundUp(description + size, alignment);
  }
  return kOk;
}

}  // namespace halyard
