// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections, segments, symbols and notes of 64-bit little-endian ELF files, for any machine and on every host.
#ifndef HALYARD_IMAGE_SHARED_OBJECT_ELF_READER_H_
#define HALYARD_IMAGE_SHARED_OBJECT_ELF_READER_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "image/shared_object/bytes.h"

namespace halyard {

struct ElfHeader {
  uint8_t abi_version = 0;  ///< e_ident[8]
  uint32_t version = 0;     ///< e_version
  uint16_t type = 0;        ///< ET_…
  uint16_t machine = 0;
  uint32_t flags = 0;
};

struct ElfSection {
  std::string_view name;
  uint32_t type = 0;
  uint32_t link = 0;
  uint32_t info = 0;        ///< sh_info: what it says depends on the type
  uint64_t flags = 0;       ///< SHF_…
  uint64_t alignment = 0;   ///< bytes
  uint64_t entry_size = 0;  ///< bytes
  uint64_t offset = 0;      ///< in the file; nothing is checked of a section without contents
  uint64_t size = 0;        ///< bytes in memory
  Bytes contents;           ///< empty if the file holds none
};

/// As the file says it: nothing is checked.
struct ElfSegment {
  uint32_t type = 0;         ///< PT_…
  uint32_t flags = 0;        ///< PF_…
  uint64_t offset = 0;       ///< in the file
  uint64_t address = 0;      ///< in memory
  uint64_t file_size = 0;    ///< bytes
  uint64_t memory_size = 0;  ///< bytes
  uint64_t alignment = 0;    ///< bytes
};

/// The last of segments in rising order that begins at an address or before it; NULL if none does.
const ElfSegment* FindSegmentAt(std::span<const ElfSegment> rising, uint64_t address);

struct ElfSymbol {
  std::string_view name;
  uint8_t type = 0;     ///< STT_…
  uint8_t binding = 0;  ///< STB_…
  uint8_t other = 0;    ///< st_other
  uint16_t section = 0;
  uint64_t address = 0;  ///< st_value
  uint64_t size = 0;     ///< bytes
};

struct ElfNote {
  std::string_view owner;
  uint32_t type = 0;
  Bytes description;
};

/// Everything is a view into the image. Failures are DATA_LOSS and name the field; INCOMPATIBLE for 32 bits.
class ElfReader {
 public:
  // Types of sections.
  static constexpr uint32_t kSymbolTable = 2;      ///< SHT_SYMTAB
  static constexpr uint32_t kNobits = 8;           ///< SHT_NOBITS
  static constexpr uint32_t kDynamicSymbols = 11;  ///< SHT_DYNSYM

  static bool LooksLikeElf(Bytes image);

  /// Checks the header and reads the sections. `what` names the image in messages: "the cubin".
  Status Open(Bytes image, const char* what);
  /// Checks the header alone: no section is found, no symbol and no library.
  Status OpenHeader(Bytes image, const char* what);

  const ElfHeader& Header() const { return header_; }
  const HostVector<ElfSection>& Sections() const { return sections_; }
  /// NULL if there is none of that name.
  const ElfSection* FindSection(std::string_view name) const;
  /// The first of that type; NULL if there is none.
  const ElfSection* FindSectionOfType(uint32_t type) const;
  /// Of the first table of that type; none if there is no table. Their names are at most as long as the image together.
  Status ReadSymbols(uint32_t table_type, HostVector<ElfSymbol>* out_symbols) const;
  /// What the dynamic section names as needed; none if there is no such section. As long as the names of symbols.
  Status ReadLibraries(HostVector<std::string_view>* out_names) const;
  /// The lists of folders, with colons between them, in which the loader looks for them: DT_RUNPATH, or DT_RPATH.
  Status ReadRunPaths(HostVector<std::string_view>* out_lists) const;
  Status ReadSegments(HostVector<ElfSegment>* out_segments) const;
  /// Of all note segments.
  Status ReadNotes(HostVector<ElfNote>* out_notes) const;

 private:
  Status ReadSections();
  Status ReadSection(uint64_t index, ElfSection* out_section) const;
  Status NameSections();
  Status FindStrings(const ElfSection& table, Bytes* out_strings) const;
  Status ReadName(Bytes strings, uint64_t offset, const char* field, uint64_t* bytes_left, std::string_view* out) const;
  Status ReadDynamicTexts(uint64_t tag, const char* field, HostVector<std::string_view>* out_texts) const;
  Status ReadNotes(Bytes segment, uint64_t alignment, HostVector<ElfNote>* out_notes) const;

  Bytes image_;
  const char* what_ = "the image";
  ElfHeader header_;
  HostVector<ElfSection> sections_;
  HostMap<std::string_view, size_t> by_name_;
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_SHARED_OBJECT_ELF_READER_H_
