// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstring>

#include "halyard/local_kernel_record.h"
#include "untrusted/bombs.h"
#include "untrusted/bytes_writer.h"
#include "untrusted/elf_writer.h"

namespace halyard::testing {
namespace {

constexpr uint16_t kAmd = 224, kCuda = 190, kX86 = 62;
constexpr uint32_t kAmdNote = 32;
constexpr uint64_t kStep = 0x10000;  // between addresses of segments

// --- MessagePack ---

std::string Text(const std::string& text) { return static_cast<char>(0xa0 + text.size()) + text; }

std::string ListOf(uint32_t count) {  // array 32
  std::string out = "\xdd";
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(count >> shift);
  return out;
}

std::string Metadata(uint32_t kernels, const std::string& each_behind_name, uint8_t keys) {
  std::string out = static_cast<char>(0x82) + Text("amdhsa.target") + static_cast<char>(0xd9) + static_cast<char>(26) +
                    "amdgcn-amd-amdhsa--gfx1100" + Text("amdhsa.kernels") + ListOf(kernels);
  for (uint32_t i = 0; i < kernels; ++i) {
    out += static_cast<char>(0x80 + keys) + Text(".name") + Text(ShortName(i)) + each_behind_name;
  }
  return out;
}

std::string Note(const std::string& metadata) {
  std::string out;
  Append(&out, uint32_t{7});
  Append(&out, static_cast<uint32_t>(metadata.size()));
  Append(&out, kAmdNote);
  out += std::string("AMDGPU\0\0", 8) + metadata;
  AppendZeros(&out, 4);
  return out;
}

std::string Dynamic(const std::vector<std::array<uint64_t, 2>>& entries) {
  std::string out;
  for (const auto& [tag, value] : entries) {
    Append(&out, tag);
    Append(&out, value);
  }
  Append(&out, std::array<uint64_t, 2>{});
  return out;
}

// The first kilobytes of the file, and some that have nothing.
std::vector<WrittenSegment> Loads(uint64_t file_size, size_t others) {
  std::vector<WrittenSegment> loads = {{1, 5, 0, 0, file_size}};
  const uint64_t end = (file_size / kStep + 1) * kStep;
  for (size_t i = 0; i < others; ++i) loads.push_back({1, 5, 0, end + i * kStep, 64});
  return loads;
}

/// A code object whose kernels all have the descriptor at address 0: its bytes there are refused only at the end.
std::string CodeObject(uint32_t kernels, uint32_t other_symbols, size_t other_segments) {
  WrittenElf elf;
  elf.machine = kAmd;
  std::string names(1, '\0'), symbols = WriteSymbol(0, 0, 0, 0, 0, 0);
  const auto add = [&](const std::string& name) {
    symbols += WriteSymbol(static_cast<uint32_t>(names.size()), 1, 0, 1, 4096, 64);
    names += name + '\0';
  };
  for (uint32_t i = 0; i < other_symbols; ++i) add("x" + ShortName(i) + ".kd");
  for (uint32_t i = 0; i < kernels; ++i) add(ShortName(i) + ".kd");
  const std::string descriptor(8192, '\0');  // somewhere in it is address 4096
  elf.sections = {{1, 0, descriptor},
                  {7, 0, Note(Metadata(kernels, "", 1))},
                  {11, 0, symbols, 4},
                  {3, 0, names},
                  {6, 0, Dynamic({})}};
  elf.note_section = 2;
  elf.dynamic_section = 5;
  const uint64_t size = WriteElf(elf).size();
  elf.segments = Loads(size, other_segments);
  return WriteElf(elf);
}

std::string AmdWith(const std::string& metadata) {
  WrittenElf elf;
  elf.machine = kAmd;
  elf.sections = {{7, 0, Note(metadata)}};
  elf.note_section = 1;
  return WriteElf(elf);
}

// --- The others ---

std::string SectionsWithOneName(uint16_t machine, size_t sections, size_t name_size) {
  WrittenElf elf;
  elf.machine = machine;
  elf.names = std::string(name_size, 'n') + '\0';
  for (size_t i = 0; i < sections; ++i) elf.sections.push_back({1, static_cast<uint32_t>(i % 2), ""});
  return WriteElf(elf);
}

std::string Cubin(size_t kernels) {
  WrittenElf elf;
  elf.machine = kCuda;
  elf.flags = 70;
  elf.names = std::string(1, '\0');
  std::string symbols = WriteSymbol(0, 0, 0, 0, 0, 0);
  for (size_t i = 0; i < kernels; ++i) {
    const auto at = static_cast<uint32_t>(elf.names.size());
    elf.names += ".nv.info." + ShortName(i) + '\0';
    elf.sections.push_back({1, at, ""});
    symbols += WriteSymbol(at + 9, 0x12, 0x10, 1, 0, 0);
  }
  elf.sections.push_back({2, 0, symbols, 0});
  return WriteElf(elf);
}

// One kernel that tells as many parameters as a section holds, all at the same place or each at its own.
std::string CubinParameters(size_t count, bool own_place) {
  std::string info;
  for (size_t i = 0; i < count; ++i) {
    Append(&info, uint16_t{0x1704});  // KPARAM_INFO, with its size
    Append(&info, uint16_t{12});
    Append(&info, uint32_t{0});
    Append(&info, static_cast<uint16_t>(own_place ? count - 1 - i : 0));
    Append(&info, static_cast<uint16_t>(own_place ? 4 * (count - 1 - i) : 0));
    Append(&info, uint32_t{4} << 18 | 0x1f000);
  }
  WrittenElf elf;
  elf.machine = kCuda;
  elf.flags = 70;
  elf.names = std::string("\0.nv.info.k\0", 12);
  const std::string symbols = WriteSymbol(0, 0, 0, 0, 0, 0) + WriteSymbol(10, 0x12, 0x10, 1, 0, 0);
  elf.sections = {{1, 1, info}, {2, 0, symbols, 0}};
  return WriteElf(elf);
}

std::string HostRecords(size_t kernels) {
  std::string records;
  for (size_t i = 0; i < kernels; ++i) {
    hal_local_kernel_record_t record = {};
    record.magic = HAL_LOCAL_KERNEL_RECORD_MAGIC;
    record.version = HAL_LOCAL_KERNEL_RECORD_VERSION;
    record.record_size = sizeof(record) + 8;
    record.name_offset = record.parameters_offset = sizeof(record);
    Append(&records, record);
    records += ShortName(i) + std::string(5, '\0');
  }
  WrittenElf elf;
  elf.machine = kX86;
  elf.names = std::string("\0" HAL_LOCAL_KERNEL_SECTION "\0", sizeof(HAL_LOCAL_KERNEL_SECTION) + 1);
  elf.sections = {{1, 1, records}};
  return WriteElf(elf);
}

// Each table of the dynamic section lies in one of the segments.
std::string TablesInSegments(size_t tables, size_t segments) {
  WrittenElf elf;
  elf.machine = kX86;
  std::vector<std::array<uint64_t, 2>> entries(tables);
  elf.sections = {{6, 0, Dynamic(std::vector<std::array<uint64_t, 2>>(tables, {5, 0}))}};
  elf.dynamic_section = 1;
  const uint64_t size = WriteElf(elf).size();
  elf.segments = Loads(size, segments);
  const uint64_t last = elf.segments.back().address;
  elf.sections = {{6, 0, Dynamic(std::vector<std::array<uint64_t, 2>>(tables, {5, last}))}};
  return WriteElf(elf);
}

}  // namespace

std::string LibrariesAndImports(size_t libraries, size_t imports) {
  WrittenElf elf;
  elf.machine = kX86;
  std::string names = std::string("\0libm.so.6\0", 11), symbols = WriteSymbol(0, 0, 0, 0, 0, 0);
  for (size_t i = 0; i < imports; ++i) {
    symbols += WriteSymbol(static_cast<uint32_t>(names.size()), 0x12, 0, 0, 0, 0);
    names += "missing_" + ShortName(i) + '\0';
  }
  elf.sections = {
      {11, 0, symbols, 2}, {3, 0, names}, {6, 0, Dynamic(std::vector<std::array<uint64_t, 2>>(libraries, {1, 1})), 2}};
  elf.dynamic_section = 3;
  return WriteElf(elf);
}

std::vector<Bomb> ElfBombs() {
  return {
      {"hsaco: kernels of few letters", "hsaco", AmdWith(Metadata(50'000, "", 1))},
      {"hsaco: empty arguments", "hsaco",
       AmdWith(Metadata(1, Text(".args") + ListOf(700'000) + std::string(700'000, '\x80'), 2))},
      {"hsaco: lists in lists", "hsaco", AmdWith(Metadata(1, Text(".x") + std::string(700'000, '\x91') + '\xc0', 2))},
      {"hsaco: kernels and symbols", "hsaco", CodeObject(2000, 20'000, 0)},
      {"hsaco: kernels and segments", "hsaco", CodeObject(2000, 0, 10'000)},
      {"cubin: sections with one long name", "cubin", SectionsWithOneName(kCuda, 8000, 300'000)},
      {"cubin: kernels", "cubin", Cubin(8000)},
      {"cubin: parameters", "cubin", CubinParameters(16'000, true)},
      {"cubin: one parameter often", "cubin", CubinParameters(40'000, false)},
      {"host: records", "host-shared-object", HostRecords(20'000)},
      {"host: sections with one long name", "host-shared-object", SectionsWithOneName(kX86, 8000, 300'000)},
      {"host: tables and segments", "host-shared-object", TablesInSegments(40'000, 15'000)},
  };
}

}  // namespace halyard::testing
