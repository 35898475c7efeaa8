// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/pipeline/argument_layout.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "framework/settings.h"

namespace halyard::metal_sim {
namespace {

struct Header {
  char magic[8] = {'A', 'R', 'G', 'U', 'M', 'E', 'N', 'T'};
  uint64_t size = 0;  // bytes of the struct
};

Header HeaderOf(const msl_host::Argument& argument) {
  Header header;
  header.size = argument.data_size;
  return header;
}

}  // namespace

bool IsArgumentBuffer(const msl_host::Argument& argument) {
  return std::any_of(argument.members.begin(), argument.members.end(),
                     [](const msl_host::Member& member) { return member.pointer; });
}

size_t EncodedHeader() { return TheSettings().tier < 2 ? sizeof(Header) : 0; }

size_t EncodedLength(const msl_host::Argument& argument) { return EncodedHeader() + argument.data_size; }

void WriteEncodedHeader(const msl_host::Argument& argument, void* encoded) {
  const Header header = HeaderOf(argument);
  std::memcpy(encoded, &header, EncodedHeader());
}

bool DecodeArguments(const msl_host::Argument& argument, const void* encoded, void* plain) {
  const Header header = HeaderOf(argument);
  if (std::memcmp(encoded, &header, EncodedHeader()) != 0) return false;
  std::memcpy(plain, static_cast<const std::byte*>(encoded) + EncodedHeader(), argument.data_size);
  return true;
}

}  // namespace halyard::metal_sim
