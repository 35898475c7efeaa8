// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes ELF files of 64 bits, right or wrong.
#ifndef HALYARD_TESTS_UNTRUSTED_ELF_WRITER_H_
#define HALYARD_TESTS_UNTRUSTED_ELF_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

namespace halyard::testing {

struct WrittenSection {
  uint32_t type = 1;
  uint32_t name = 0;  ///< an offset in the section of names, which is section 0
  std::string contents = {};
  uint32_t link = 0;
};

struct WrittenSegment {
  uint32_t type = 1;  ///< PT_LOAD
  uint32_t flags = 5;
  uint64_t offset = 0;
  uint64_t address = 0;
  uint64_t size = 0;
};

struct WrittenElf {
  uint16_t machine = 0;
  uint8_t abi_version = 0;
  uint32_t flags = 0;
  std::string names = std::string(1, '\0');  ///< contents of section 0
  std::vector<WrittenSection> sections;
  std::vector<WrittenSegment> segments;
  /// For section `first`, made a segment of its own of that type, too; 0 for none.
  uint32_t note_section = 0;
  uint32_t dynamic_section = 0;
};

std::string WriteElf(const WrittenElf& elf);

/// An entry of a symbol table.
std::string WriteSymbol(uint32_t name, uint8_t info, uint8_t other, uint16_t section, uint64_t value, uint64_t size);

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_UNTRUSTED_ELF_WRITER_H_
