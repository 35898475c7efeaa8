// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Relocatable objects of the host that would have the linker do or keep much.
#include "halyard/halyard.h"
#include "untrusted/bytes_writer.h"
#include "untrusted/cost.h"

namespace halyard::testing {
namespace {

struct Section {
  uint32_t type;
  uint64_t flags;
  uint64_t offset;  // behind the header
  uint64_t size;
  uint32_t link = 0;
  uint32_t info = 0;
  uint64_t alignment = 1;
  uint64_t entry_size = 0;
  uint32_t name = 0;
};

constexpr uint32_t kContents = 1, kSymbols = 2, kNames = 3, kRela = 4, kZeros = 8;
constexpr uint64_t kWritten = 3, kRead = 2, kCode = 6;

/// An object of this machine: the header, `bytes`, the sections. The last section has the names.
std::string WriteObject(const std::string& bytes, const std::vector<Section>& sections) {
  std::string file(
      "\x7f"
      "ELF\x02\x01\x01",
      7);
  file.resize(16);
  Append(&file, uint16_t{1});
#if defined(__aarch64__)
  Append(&file, uint16_t{183});
#else
  Append(&file, uint16_t{62});
#endif
  Append(&file, uint32_t{1});
  AppendZeros(&file, 40);
  Append(&file, uint64_t{64 + bytes.size()});
  Append(&file, uint64_t{64});  // flags, and the size of this header
  file.resize(58);
  Append(&file, uint16_t{64});
  Append(&file, static_cast<uint16_t>(sections.size()));
  Append(&file, static_cast<uint16_t>(sections.size() - 1));
  file += bytes;
  for (const Section& one : sections) {
    Append(&file, one.name);
    Append(&file, one.type);
    Append(&file, one.flags);
    Append(&file, uint64_t{0});
    Append(&file, 64 + one.offset);
    Append(&file, one.size);
    Append(&file, one.link);
    Append(&file, one.info);
    Append(&file, one.alignment);
    Append(&file, one.entry_size);
  }
  return file;
}

std::string Symbol(uint32_t name, uint16_t section, uint64_t value, uint64_t size) {
  std::string out;
  Append(&out, name);
  Append(&out, uint8_t{0x11});
  Append(&out, uint8_t{0});
  Append(&out, section);
  Append(&out, value);
  Append(&out, size);
  return out;
}

std::string Relocation(uint64_t offset, uint32_t type, uint32_t symbol) {
  std::string out;
  Append(&out, offset);
  Append(&out, type);
  Append(&out, symbol);
  Append(&out, uint64_t{0});
  return out;
}

/// Sections that share their bytes.
std::string Overlapping(size_t count) {
  std::vector<Section> sections(count, {kContents, kCode, 0, 1 << 16});
  sections.push_back({kNames, 0, 0, 1});
  return WriteObject(std::string(1 << 16, '\0'), sections);
}

/// Sections of a byte, each on a page of its own.
std::string Aligned(size_t count) {
  std::vector<Section> sections;
  for (size_t i = 0; i < count; ++i) sections.push_back({kContents, i % 2 ? kRead : kCode, i, 1, 0, 0, 4096});
  sections.push_back({kNames, 0, count, 1});
  return WriteObject(std::string(count + 1, '\0'), sections);
}

/// Memory that no byte of the file stands for.
std::string Zeros(size_t count, uint64_t size) {
  std::vector<Section> sections(count, {kZeros, kWritten, 0, size, 0, 0, 4096});
  sections.push_back({kNames, 0, 0, 1});
  return WriteObject(std::string(1, '\0'), sections);
}

/// Relocation sections that share their entries.
std::string SharedRelocations(size_t count) {
  std::string bytes(64, '\0');
  const size_t relocations = bytes.size();
  for (size_t i = 0; i < 1000; ++i) bytes += Relocation(0, 1, 0);
  const size_t symbols = bytes.size();
  bytes += Symbol(0, 0, 0, 0);
  std::vector<Section> sections = {{kContents, kCode, 0, 64},
                                   {kSymbols, 0, symbols, 24, static_cast<uint32_t>(2 * count + 1), 0, 8, 24}};
  for (size_t i = 1; i < count; ++i) {
    const auto section = static_cast<uint32_t>(sections.size());
    sections.push_back({kContents, kCode, 0, 8});
    sections.push_back({kRela, 0, relocations, 24'000, 1, section, 8, 24});
  }
  sections[1].link = static_cast<uint32_t>(sections.size());
  sections.push_back({kNames, 0, 0, 1});
  return WriteObject(bytes, sections);
}

/// Calls of many functions, each of which is missing or gets a slot and a stub.
std::string CallsOfOthers(size_t count, bool weak) {
  std::string names(1, '\0');
  std::string symbols = Symbol(0, 0, 0, 0);
  std::string relocations;
  for (size_t i = 0; i < count; ++i) {
    std::string symbol = Symbol(static_cast<uint32_t>(names.size()), 0, 0, 0);
    if (weak) symbol[4] = 0x20;
    symbols += symbol;
    names += "halyard_missing_" + ShortName(i) + '\0';
#if defined(__aarch64__)
    relocations += Relocation(0, 283, static_cast<uint32_t>(i + 1));
#else
    relocations += Relocation(0, 4, static_cast<uint32_t>(i + 1));
#endif
  }
  std::string bytes(16, '\0');
  bytes += symbols + relocations + names;
  return WriteObject(bytes, {{kContents, kCode, 0, 16},
                             {kSymbols, 0, 16, symbols.size(), 3, 0, 8, 24},
                             {kRela, 0, 16 + symbols.size(), relocations.size(), 1, 0, 8, 24},
                             {kNames, 0, 16 + symbols.size() + relocations.size(), names.size()}});
}

TEST(Linking, Objects) {
  hal_device_t* device = nullptr;
  ASSERT_EQ(hal_device_create(hal_string_view("local://sync"), &device), HAL_STATUS_OK);
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.name = hal_string_view("absent");
  const std::pair<const char*, std::string> bombs[] = {
      {"sections that share bytes", Overlapping(2000)}, {"sections on pages", Aligned(30'000)},
      {"much memory of zeros", Zeros(1, 1 << 28)},      {"more memory than addresses", Zeros(1000, uint64_t{1} << 60)},
      {"shared relocations", SharedRelocations(2000)},  {"missing functions", CallsOfOthers(20'000, false)},
      {"weak functions", CallsOfOthers(20'000, true)}};
  for (const auto& bomb : bombs) {
    const char* const name = bomb.first;
    const std::string& bytes = bomb.second;
    ExpectCheap(name, bytes.size(), [&] {
      hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
      params.format = hal_string_view(HAL_EXECUTABLE_FORMAT_HOST_OBJECT);
      params.data = bytes.data();
      params.data_size = bytes.size();
      params.exports = &info;
      params.export_count = 1;
      hal_executable_t* executable = nullptr;
      EXPECT_NE(hal_executable_create(device, &params, &executable), HAL_STATUS_OK) << name;
    });
  }
  hal_device_release(device);
}

}  // namespace
}  // namespace halyard::testing
