// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "untrusted/elf_writer.h"

#include "untrusted/bytes_writer.h"

namespace halyard::testing {
namespace {

constexpr size_t kHeaderSize = 64;
constexpr uint32_t kDynamic = 2;
constexpr uint32_t kNote = 4;

std::string Header(const WrittenElf& elf, uint64_t segments_at, uint64_t sections_at, size_t segments,
                   size_t sections) {
  std::string out(
      "\x7f"
      "ELF\x02\x01\x01\x40",
      8);
  Append(&out, elf.abi_version);
  out.resize(16);
  Append(&out, uint16_t{3});  // ET_DYN
  Append(&out, elf.machine);
  Append(&out, uint32_t{1});
  Append(&out, uint64_t{0});
  Append(&out, segments_at);
  Append(&out, sections_at);
  Append(&out, elf.flags);
  for (const size_t number : {kHeaderSize, size_t{56}, segments, size_t{64}, sections, size_t{0}}) {
    Append(&out, static_cast<uint16_t>(number));
  }
  return out;
}

void AppendSegment(std::string* out, const WrittenSegment& segment) {
  Append(out, segment.type);
  Append(out, segment.flags);
  for (const uint64_t number :
       {segment.offset, segment.address, segment.address, segment.size, segment.size, uint64_t{1}}) {
    Append(out, number);
  }
}

void AppendSection(std::string* out, const WrittenSection& section, uint64_t offset) {
  Append(out, section.name);
  Append(out, section.type);
  Append(out, uint64_t{0});
  Append(out, uint64_t{0});
  Append(out, offset);
  Append(out, uint64_t{section.contents.size()});
  Append(out, section.link);
  Append(out, uint32_t{0});
  Append(out, uint64_t{1});
  Append(out, uint64_t{0});
}

}  // namespace

std::string WriteElf(const WrittenElf& elf) {
  std::vector<WrittenSection> sections = {{3, 0, elf.names}};
  sections.insert(sections.end(), elf.sections.begin(), elf.sections.end());
  std::vector<WrittenSegment> segments = elf.segments;
  std::string contents;
  std::vector<uint64_t> offsets;
  for (const WrittenSection& section : sections) {
    AppendZeros(&contents, 8);
    offsets.push_back(kHeaderSize + contents.size());
    contents += section.contents;
  }
  AppendZeros(&contents, 8);
  for (const auto& [type, index] : {std::pair(kNote, elf.note_section), std::pair(kDynamic, elf.dynamic_section)}) {
    if (index > 0) segments.push_back({type, 4, offsets[index], offsets[index], sections[index].contents.size()});
  }
  const uint64_t segments_at = kHeaderSize + contents.size();
  const uint64_t sections_at = segments_at + 56 * segments.size();
  std::string out = Header(elf, segments_at, sections_at, segments.size(), sections.size()) + contents;
  for (const WrittenSegment& segment : segments) AppendSegment(&out, segment);
  for (size_t i = 0; i < sections.size(); ++i) AppendSection(&out, sections[i], offsets[i]);
  return out;
}

std::string WriteSymbol(uint32_t name, uint8_t info, uint8_t other, uint16_t section, uint64_t value, uint64_t size) {
  std::string out;
  Append(&out, name);
  Append(&out, info);
  Append(&out, other);
  Append(&out, section);
  Append(&out, value);
  Append(&out, size);
  return out;
}

}  // namespace halyard::testing
