// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections, symbols and notes of 64-bit little-endian ELF files, for any machine and on every host.
#ifndef HALYARD_IMAGE_SHARED_OBJECT_ELF_READER_H_
#define HALYARD_IMAGE_SHARED_OBJECT_ELF_READER_H_

#include <cstdint>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "image/shared_object/bytes.h"

namespace halyard {

struct ElfHeader {
  uint8_t abi_version = 0;  ///< e_ident[8]
  uint16_t machine = 0;
  uint32_t flags = 0;
};

struct ElfSection {
  std::string_view name;
  uint32_t type = 0;
  uint32_t link = 0;
  uint64_t size = 0;  ///< bytes in memory
  Bytes contents;     ///< empty if the file holds none
};

struct ElfSymbol {
  std::string_view name;
  uint8_t type = 0;   ///< STT_…
  uint8_t other = 0;  ///< st_other
  uint16_t section = 0;
};

struct ElfNote {
  std::string_view owner;
  uint32_t type = 0;
  Bytes description;
};

/// Everything is a view into the image. Failures are DATA_LOSS and name the field.
class ElfReader {
 public:
  static constexpr uint32_t kNobits = 8;  ///< SHT_NOBITS

  static bool LooksLikeElf(Bytes image);

  /// Checks the header and reads the sections. `what` names the image in messages: "the cubin".
  Status Open(Bytes image, const char* what);

  const ElfHeader& Header() const { return header_; }
  const HostVector<ElfSection>& Sections() const { return sections_; }
  /// NULL if there is none of that name.
  const ElfSection* FindSection(std::string_view name) const;
  /// Of the symbol table (not the dynamic one); none if there is no table.
  Status ReadSymbols(HostVector<ElfSymbol>* out_symbols) const;
  /// Of all note segments.
  Status ReadNotes(HostVector<ElfNote>* out_notes) const;

 private:
  Status ReadSections();
  Status ReadSection(uint64_t index, ElfSection* out_section) const;
  Status NameSections();
  Status ReadNotes(Bytes segment, uint64_t alignment, HostVector<ElfNote>* out_notes) const;

  Bytes image_;
  const char* what_ = "the image";
  ElfHeader header_;
  HostVector<ElfSection> sections_;
  HostMap<std::string_view, size_t> by_name_;
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_SHARED_OBJECT_ELF_READER_H_
