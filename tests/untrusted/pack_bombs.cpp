// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "untrusted/bombs.h"
#include "untrusted/bytes_writer.h"

namespace halyard::testing {
namespace {

std::string Fatbin(size_t entries) {
  std::string out;
  Append(&out, uint32_t{0xba55ed50});
  Append(&out, uint16_t{1});
  Append(&out, uint16_t{16});
  Append(&out, uint64_t{64} * entries);
  for (size_t i = 0; i < entries; ++i) {
    std::string entry;
    Append(&entry, uint16_t{2});
    Append(&entry, uint16_t{0x101});
    Append(&entry, uint32_t{64});
    entry.resize(40);
    Append(&entry, uint64_t{0x2000});  // compressed
    entry.resize(64);
    out += entry;
  }
  return out;
}

void AppendSmall(std::string* out, uint32_t number, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) *out += static_cast<char>(number >> 8 * i);
}

/// A frame of Zstandard (RFC 8878): `head` as it is, then zeros, 128 KiB of which take four bytes.
std::string ZstdFrame(const std::string& head, size_t size) {
  constexpr size_t kBlock = size_t{128} << 10;
  constexpr uint32_t kRepeated = 2, kLast = 1;  // bits of a block's head, below its size
  std::string out = "\x28\xb5\x2f\xfd\xa0";     // a single segment, whose size has four bytes
  AppendSmall(&out, static_cast<uint32_t>(size), 4);
  AppendSmall(&out, static_cast<uint32_t>(head.size() << 3), 3);
  out += head;
  for (size_t left = size - head.size(); left > 0;) {
    const size_t part = std::min(left, kBlock);
    left -= part;
    AppendSmall(&out, static_cast<uint32_t>(part << 3) | kRepeated | (left == 0 ? kLast : 0), 3);
    out += '\0';
  }
  return out;
}

/// A compressed bundle (version 2) whose head says `told` bytes.
std::string CompressedBundle(const std::string& frame, size_t told) {
  std::string out = "CCOB";
  Append(&out, uint16_t{2});
  Append(&out, uint16_t{1});  // zstd
  Append(&out, static_cast<uint32_t>(24 + frame.size()));
  Append(&out, static_cast<uint32_t>(told));
  Append(&out, uint64_t{0});  // a hash, which nothing checks
  return out + frame;
}

// Each entry is the whole file.
std::string Bundle(size_t entries, size_t size) {
  std::string out = "__CLANG_OFFLOAD_BUNDLE__";
  Append(&out, uint64_t{entries});
  for (size_t i = 0; i < entries; ++i) {
    const std::string id = "hipv4-amdgcn-amd-amdhsa--gfx" + std::to_string(900 + i);
    Append(&out, uint64_t{0});
    Append(&out, uint64_t{size});
    Append(&out, uint64_t{id.size()});
    out += id;
  }
  out.resize(size);
  return out;
}

}  // namespace

std::vector<Bomb> PackBombs() {
  constexpr size_t kMebi = size_t{1} << 20;
  const std::string entries = Bundle(1024, 64 << 10);
  std::vector<Bomb> bombs = {{"fatbin: entries", "fatbin", Fatbin(10'000)},
                             {"bundle: entries", "hsaco", Bundle(1024, 700'000)}};
  const auto add = [&](const char* name, const std::string& bytes) { bombs.push_back({name, "hsaco", bytes}); };
  add("bundle: compressed, as large as it says", CompressedBundle(ZstdFrame(entries, 1024 * kMebi), 1024 * kMebi));
  add("bundle: compressed, as large as is taken", CompressedBundle(ZstdFrame(entries, 4 * kMebi), 4 * kMebi));
  add("bundle: compressed, larger than it says", CompressedBundle(ZstdFrame(entries, 1024 * kMebi), 4 * kMebi));
  add("bundle: compressed, smaller than it says", CompressedBundle(ZstdFrame("", 64), kMebi));
  return bombs;
}

std::vector<Bomb> ImageBombs() {
  std::vector<Bomb> all;
  for (auto* const make : {PtxBombs, SpirvBombs, ElfBombs, PackBombs}) {
    for (Bomb& bomb : make()) all.push_back(std::move(bomb));
  }
  return all;
}

}  // namespace halyard::testing
