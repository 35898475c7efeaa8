// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/shared_object/elf_symbols.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace halyard {
namespace {

using Bytes = std::span<const std::byte>;

// Of the ELF specification; <elf.h> is not everywhere where images are packed.
constexpr size_t kHeaderSize = 64;
constexpr size_t kSectionSize = 64;
constexpr size_t kSymbolSize = 24;
constexpr size_t kDynamicSize = 16;
constexpr uint32_t kDynamicEntries = 6;   // SHT_DYNAMIC
constexpr uint32_t kDynamicSymbols = 11;  // SHT_DYNSYM
constexpr uint64_t kNeeded = 1;           // DT_NEEDED
constexpr uint64_t kWeak = 2;             // STB_WEAK

// A number of 1 to 8 bytes, little-endian; the caller has checked that it lies inside.
uint64_t ReadUint(Bytes bytes, size_t offset, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | std::to_integer<uint64_t>(bytes[offset + i]);
  return value;
}

bool IsInside(Bytes bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

struct Section {
  uint32_t type = 0;
  uint32_t link = 0;
  Bytes contents;
};

std::optional<Section> ReadSection(Bytes image, uint64_t index) {
  const uint64_t table = ReadUint(image, 40, 8);
  const uint64_t count = ReadUint(image, 60, 2);
  if (index >= count || !IsInside(image, table, count * kSectionSize)) return std::nullopt;
  const size_t header = table + index * kSectionSize;
  const uint64_t offset = ReadUint(image, header + 24, 8);
  const uint64_t size = ReadUint(image, header + 32, 8);
  Section section;
  section.type = static_cast<uint32_t>(ReadUint(image, header + 4, 4));
  section.link = static_cast<uint32_t>(ReadUint(image, header + 40, 4));
  if (IsInside(image, offset, size)) section.contents = image.subspan(offset, size);
  return section;
}

std::optional<Section> FindSection(Bytes image, uint32_t type) {
  for (uint64_t i = 0;; ++i) {
    const std::optional<Section> section = ReadSection(image, i);
    if (!section || section->type == type) return section;
  }
}

/// The names of a string table. Entries may share them, or parts of them, so a file can name far more text than it has;
/// linkers make none that do. Time and memory stay within what the size of the file makes likely.
class NameReader {
 public:
  NameReader(Bytes image, Bytes strings) : left_(image.size()) {
    const auto zero = std::find(strings.rbegin(), strings.rend(), std::byte{0});
    strings_ = strings.first(static_cast<size_t>(strings.rend() - zero));
  }

  /// The text from `offset` to its zero byte; empty if it has none, or if the names have become too long.
  std::string_view At(uint64_t offset) {
    if (offset >= strings_.size() || is_too_long_) return {};
    const Bytes rest = strings_.subspan(offset);
    const auto size = static_cast<size_t>(std::ranges::find(rest, std::byte{0}) - rest.begin());
    is_too_long_ = size > left_;
    if (is_too_long_) return {};
    left_ -= size;
    return {reinterpret_cast<const char*>(rest.data()), size};
  }
  /// Whether all names together are longer than the file.
  bool IsTooLong() const { return is_too_long_; }

 private:
  Bytes strings_;  // up to its last zero byte
  uint64_t left_;
  bool is_too_long_ = false;
};

bool IsElf64(Bytes image) {
  return image.size() >= kHeaderSize && std::memcmp(image.data(),
                                                    "\x7f"
                                                    "ELF\x02\x01",
                                                    6) == 0;
}

// The names of the dynamic symbols that `wanted` (section index, binding) says yes to.
template <class Wanted>
std::optional<ElfNames> FindNames(Bytes image, Wanted&& wanted) {
  if (!IsElf64(image)) return std::nullopt;
  const std::optional<Section> symbols = FindSection(image, kDynamicSymbols);
  if (!symbols) return std::nullopt;
  const std::optional<Section> strings = ReadSection(image, symbols->link);
  if (!strings) return std::nullopt;
  ElfNames names;
  NameReader reader(image, strings->contents);
  for (size_t i = 0; i + kSymbolSize <= symbols->contents.size(); i += kSymbolSize) {
    const uint64_t section = ReadUint(symbols->contents, i + 6, 2);
    const uint64_t binding = ReadUint(symbols->contents, i + 4, 1) >> 4;
    const std::string_view name = reader.At(ReadUint(symbols->contents, i, 4));
    if (!name.empty() && wanted(section, binding)) names.push_back(name);
  }
  if (reader.IsTooLong()) return std::nullopt;
  return names;
}

/// Libraries that stay open for a while.
class OpenLibraries {
 public:
  OpenLibraries() = default;
  OpenLibraries(const OpenLibraries&) = delete;
  OpenLibraries& operator=(const OpenLibraries&) = delete;
  ~OpenLibraries() {
    for (void* const handle : handles_) dlclose(handle);
  }

  bool Open(const HostString& name) {
    void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle) handles_.push_back(handle);
    return handle != nullptr;
  }
  bool Have(const HostString& symbol) const {
    if (dlsym(RTLD_DEFAULT, symbol.c_str())) return true;
    return std::ranges::any_of(handles_, [&](void* handle) { return dlsym(handle, symbol.c_str()); });
  }

 private:
  HostVector<void*> handles_;
};

// "'a', 'b'".
HostString QuotedList(const HostVector<HostString>& names) {
  HostString text;
  for (const HostString& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

}  // namespace

std::optional<ElfNames> FindElfSymbols(Bytes image) {
  return FindNames(image, [](uint64_t section, uint64_t) { return section != 0; });
}

std::optional<ElfNames> FindElfImports(Bytes image) {
  return FindNames(image, [](uint64_t section, uint64_t binding) { return section == 0 && binding != kWeak; });
}

std::optional<ElfNames> FindElfLibraries(Bytes image) {
  if (!IsElf64(image)) return std::nullopt;
  const std::optional<Section> entries = FindSection(image, kDynamicEntries);
  if (!entries) return std::nullopt;
  const std::optional<Section> strings = ReadSection(image, entries->link);
  if (!strings) return std::nullopt;
  ElfNames names;
  NameReader reader(image, strings->contents);
  for (size_t i = 0; i + kDynamicSize <= entries->contents.size(); i += kDynamicSize) {
    if (ReadUint(entries->contents, i, 8) != kNeeded) continue;
    const std::string_view name = reader.At(ReadUint(entries->contents, i + 8, 8));
    if (!name.empty()) names.push_back(name);
  }
  if (reader.IsTooLong()) return std::nullopt;
  return names;
}

UnresolvedImports FindUnresolvedImports(Bytes image) {
  UnresolvedImports missing;
  OpenLibraries libraries;
  for (const std::string_view name : FindElfLibraries(image).value_or(ElfNames())) {
    if (!libraries.Open(HostString(name))) missing.libraries.emplace_back(name);
  }
  for (const std::string_view name : FindElfImports(image).value_or(ElfNames())) {
    if (!libraries.Have(HostString(name))) missing.symbols.emplace_back(name);
  }
  return missing;
}

HostString UnresolvedText(const UnresolvedImports& missing) {
  HostString text;
  if (!missing.libraries.empty()) text = "needs " + QuotedList(missing.libraries) + ", which cannot be loaded";
  if (missing.symbols.empty()) return text;
  if (!text.empty()) text += ", and ";
  return text + "calls " + QuotedList(missing.symbols) + ", which nothing provides";
}

}  // namespace halyard
