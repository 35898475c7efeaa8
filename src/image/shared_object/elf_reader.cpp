// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/shared_object/elf_reader.h"

#include <algorithm>
#include <iterator>

#include "base/round_up.h"
#include "base/text/printf_number.h"

namespace halyard {
namespace {

// Of the ELF specification; <elf.h> is not everywhere.
constexpr uint64_t kElfHeaderSize = 64;
constexpr uint64_t kSectionSize = 64;
constexpr uint64_t kSegmentSize = 56;
constexpr uint64_t kSymbolSize = 24;
constexpr uint64_t kDynamicSize = 16;
constexpr uint32_t kDynamicSection = 6;  // SHT_DYNAMIC
constexpr uint64_t kNeeded = 1;          // DT_NEEDED
constexpr uint64_t kOldRunPath = 15;     // DT_RPATH
constexpr uint64_t kRunPath = 29;        // DT_RUNPATH
constexpr uint32_t kNoteSegment = 4;     // PT_NOTE
constexpr uint64_t kNoteHeaderSize = 12;

}  // namespace

const ElfSegment* FindSegmentAt(std::span<const ElfSegment> rising, uint64_t address) {
  const auto behind = std::ranges::upper_bound(rising, address, {}, &ElfSegment::address);
  return behind == rising.begin() ? nullptr : &*std::prev(behind);
}

bool ElfReader::LooksLikeElf(Bytes image) {
  return AsText(image).starts_with(
      "\x7f"
      "ELF");
}

Status ElfReader::Open(Bytes image, const char* what) {
  HAL_TRY(OpenHeader(image, what));
  return ReadSections();
}

Status ElfReader::OpenHeader(Bytes image, const char* what) {
  image_ = image;
  what_ = what;
  if (image.size() < kElfHeaderSize || !LooksLikeElf(image)) {
    return Fail(HAL_STATUS_DATA_LOSS, "%s: its %zu bytes are no ELF file", what, image.size());
  }
  const auto elf_class = ReadUint<uint8_t>(image, 4);
  const auto order = ReadUint<uint8_t>(image, 5);
  const auto version = ReadUint<uint8_t>(image, 6);
  if (elf_class == 1) return Fail(HAL_STATUS_INCOMPATIBLE, "%s: it is of 32 bits; expected 64", what);
  if (elf_class != 2 || order != 1 || version != 1) {
    return Fail(
        HAL_STATUS_DATA_LOSS,
        "%s: it is of ELF class %u in byte order %u, version %u; expected class 2 (64 bits), order 1, version 1", what,
        elf_class, order, version);
  }
  header_.abi_version = ReadUint<uint8_t>(image, 8);
  header_.type = ReadUint<uint16_t>(image, 16);
  header_.machine = ReadUint<uint16_t>(image, 18);
  header_.version = ReadUint<uint32_t>(image, 20);
  header_.flags = ReadUint<uint32_t>(image, 48);
  return kOk;
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
  for (uint64_t i = 0; i < count; ++i) HAL_TRY(ReadSection(i, &sections_[i]));
  return NameSections();
}

Status ElfReader::ReadSection(uint64_t index, ElfSection* out_section) const {
  const uint64_t header = ReadUint<uint64_t>(image_, 40) + index * kSectionSize;
  const auto offset = ReadUint<uint64_t>(image_, header + 24);
  out_section->offset = offset;
  out_section->type = ReadUint<uint32_t>(image_, header + 4);
  out_section->size = ReadUint<uint64_t>(image_, header + 32);
  out_section->link = ReadUint<uint32_t>(image_, header + 40);
  out_section->info = ReadUint<uint32_t>(image_, header + 44);
  out_section->flags = ReadUint<uint64_t>(image_, header + 8);
  out_section->alignment = ReadUint<uint64_t>(image_, header + 48);
  out_section->entry_size = ReadUint<uint64_t>(image_, header + 56);
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
  uint64_t name_bytes = image_.size();
  for (size_t i = 0; i < sections_.size(); ++i) {
    const auto offset = ReadUint<uint32_t>(image_, ReadUint<uint64_t>(image_, 40) + i * kSectionSize);
    HAL_TRY(ReadName(sections_[strings].contents, offset, "sh_name", &name_bytes, &sections_[i].name));
    by_name_.try_emplace(sections_[i].name, i);
  }
  return kOk;
}

const ElfSection* ElfReader::FindSection(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &sections_[found->second];
}

const ElfSection* ElfReader::FindSectionOfType(uint32_t type) const {
  const auto found = std::ranges::find(sections_, type, &ElfSection::type);
  return found == sections_.end() ? nullptr : &*found;
}

Status ElfReader::FindStrings(const ElfSection& table, Bytes* out_strings) const {
  if (table.link >= sections_.size()) {
    return Fail(HAL_STATUS_DATA_LOSS, "%s: sh_link of section '%.*s' is %u, but there are %zu sections", what_,
                HALYARD_SV(table.name), table.link, sections_.size());
  }
  *out_strings = sections_[table.link].contents;
  return kOk;
}

// Entries may share names, or parts of them, so that a file can name far more text than it has; linkers make none that
// do. `bytes_left` keeps time and memory within what the size of the file makes likely.
Status ElfReader::ReadName(Bytes strings, uint64_t offset, const char* field, uint64_t* bytes_left,
                           std::string_view* out) const {
  const auto name = TextAt(strings, offset);
  if (!name) return Fail(HAL_STATUS_DATA_LOSS, "%s: %s %llu is outside of the names", what_, field, Number(offset));
  if (name->size() > *bytes_left) {
    return Fail(HAL_STATUS_DATA_LOSS, "%s: its names take more than its %zu bytes", what_, image_.size());
  }
  *bytes_left -= name->size();
  *out = *name;
  return kOk;
}

Status ElfReader::ReadSymbols(uint32_t table_type, HostVector<ElfSymbol>* out_symbols) const {
  const ElfSection* const table = FindSectionOfType(table_type);
  if (!table) return kOk;
  Bytes strings;
  HAL_TRY(FindStrings(*table, &strings));
  uint64_t name_bytes = image_.size();
  for (uint64_t at = 0; at + kSymbolSize <= table->contents.size(); at += kSymbolSize) {
    const Bytes entry = table->contents.subspan(at, kSymbolSize);
    const auto info = ReadUint<uint8_t>(entry, 4);
    ElfSymbol symbol;
    const auto name = ReadUint<uint32_t>(entry, 0);
    HAL_TRY(ReadName(strings, name, "st_name", &name_bytes, &symbol.name));
    symbol.type = info & 0xf;
    symbol.binding = info >> 4;
    symbol.other = ReadUint<uint8_t>(entry, 5);
    symbol.section = ReadUint<uint16_t>(entry, 6);
    symbol.address = ReadUint<uint64_t>(entry, 8);
    symbol.size = ReadUint<uint64_t>(entry, 16);
    out_symbols->push_back(symbol);
  }
  return kOk;
}

Status ElfReader::ReadLibraries(HostVector<std::string_view>* out_names) const {
  return ReadDynamicTexts(kNeeded, "DT_NEEDED", out_names);
}

Status ElfReader::ReadRunPaths(HostVector<std::string_view>* out_lists) const {
  HAL_TRY(ReadDynamicTexts(kRunPath, "DT_RUNPATH", out_lists));
  return out_lists->empty() ? ReadDynamicTexts(kOldRunPath, "DT_RPATH", out_lists) : kOk;
}

Status ElfReader::ReadDynamicTexts(uint64_t tag, const char* field, HostVector<std::string_view>* out_texts) const {
  const ElfSection* const table = FindSectionOfType(kDynamicSection);
  if (!table) return kOk;
  Bytes strings;
  HAL_TRY(FindStrings(*table, &strings));
  uint64_t name_bytes = image_.size();
  for (uint64_t at = 0; at + kDynamicSize <= table->contents.size(); at += kDynamicSize) {
    if (ReadUint<uint64_t>(table->contents, at) != tag) continue;
    std::string_view name;
    const auto offset = ReadUint<uint64_t>(table->contents, at + 8);
    HAL_TRY(ReadName(strings, offset, field, &name_bytes, &name));
    out_texts->push_back(name);
  }
  return kOk;
}

Status ElfReader::ReadSegments(HostVector<ElfSegment>* out_segments) const {
  const auto table = ReadUint<uint64_t>(image_, 32);
  const auto entry_size = ReadUint<uint16_t>(image_, 54);
  const auto count = ReadUint<uint16_t>(image_, 56);
  if (count == 0) return kOk;
  if (entry_size != kSegmentSize || !IsInside(image_, table, count * kSegmentSize)) {
    return Fail(HAL_STATUS_DATA_LOSS, "%s: e_phoff %llu with %u program headers of %u bytes exceeds its %zu bytes",
                what_, Number(table), count, entry_size, image_.size());
  }
  for (uint64_t i = 0; i < count; ++i) {
    const Bytes header = image_.subspan(table + i * kSegmentSize, kSegmentSize);
    out_segments->push_back({ReadUint<uint32_t>(header, 0), ReadUint<uint32_t>(header, 4),
                             ReadUint<uint64_t>(header, 8), ReadUint<uint64_t>(header, 16),
                             ReadUint<uint64_t>(header, 32), ReadUint<uint64_t>(header, 40),
                             ReadUint<uint64_t>(header, 48)});
  }
  return kOk;
}

Status ElfReader::ReadNotes(HostVector<ElfNote>* out_notes) const {
  HostVector<ElfSegment> segments;
  HAL_TRY(ReadSegments(&segments));
  for (size_t i = 0; i < segments.size(); ++i) {
    const ElfSegment& segment = segments[i];
    if (segment.type != kNoteSegment) continue;
    if (!IsInside(image_, segment.offset, segment.file_size)) {
      return Fail(HAL_STATUS_DATA_LOSS, "%s: program header %zu: p_offset %llu + p_filesz %llu exceeds its %zu bytes",
                  what_, i, Number(segment.offset), Number(segment.file_size), image_.size());
    }
    const uint64_t alignment = segment.alignment == 8 ? 8 : 4;
    const Bytes contents = image_.subspan(segment.offset, segment.file_size);
    HAL_TRY(ReadNotes(contents, alignment, out_notes));
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
