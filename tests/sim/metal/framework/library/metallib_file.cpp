// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/library/metallib_file.h"

#include <xxhash.h>

#include <cstdint>
#include <cstring>

namespace halyard::metal_sim {
namespace {

struct Header {
  char magic[4] = {'M', 'T', 'L', 'B'};
  uint32_t version = 1;
  uint64_t length = 0;
  uint64_t hash = 0;
};
static_assert(sizeof(Header) == 24);

uint64_t HashOf(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

}  // namespace

std::string WriteMetallib(std::string_view text) {
  Header header;
  header.length = text.size();
  header.hash = HashOf(text);
  std::string file(reinterpret_cast<const char*>(&header), sizeof(header));
  return file.append(text);
}

MetallibText ReadMetallib(std::span<const std::byte> bytes) {
  const Header expected;
  Header header;
  if (bytes.size() < sizeof(header)) return {{}, "the file ends inside its header"};
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.magic, expected.magic, sizeof(header.magic)) != 0) return {{}, "the file has no MTLB header"};
  if (header.version != expected.version) return {{}, "the file has another version"};
  if (header.length != bytes.size() - sizeof(header)) return {{}, "the file has another length than its header says"};
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + sizeof(header), header.length);
  if (header.hash != HashOf(text)) return {{}, "the file is damaged: its hash does not match"};
  return {text, nullptr};
}

}  // namespace halyard::metal_sim
