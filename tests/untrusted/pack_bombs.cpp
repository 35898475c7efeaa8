// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
  return {{"fatbin: entries", "fatbin", Fatbin(10'000)}, {"bundle: entries", "hsaco", Bundle(1024, 700'000)}};
}

std::vector<Bomb> ImageBombs() {
  std::vector<Bomb> all;
  for (auto* const make : {PtxBombs, SpirvBombs, ElfBombs, PackBombs}) {
    for (Bomb& bomb : make()) all.push_back(std::move(bomb));
  }
  return all;
}

}  // namespace halyard::testing
