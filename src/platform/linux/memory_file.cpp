// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/mman.h>

#include <cerrno>
#include <charconv>

#include "platform/folder.h"

namespace halyard {

int CreateMemoryFile(FileDescriptor* out) noexcept {
  const int number = memfd_create("halyard-image", MFD_CLOEXEC);
  const int error = number < 0 ? errno : 0;
  *out = FileDescriptor(number);
  return error;
}

// The spelling: the number, in "//" and "/." for its bits.
std::string_view SpellMemoryFile(const FileDescriptor& file, uint32_t number, std::span<char> room) noexcept {
  constexpr std::string_view kFolder = "/proc/self/fd";
  char* end = room.data() + kFolder.copy(room.data(), kFolder.size());
  for (uint32_t i = 0; i < 32; ++i) {
    *end++ = '/';
    *end++ = (number >> i & 1) != 0 ? '.' : '/';
  }
  *end++ = '/';
  end = std::to_chars(end, room.data() + room.size(), file.get()).ptr;
  return {room.data(), end};
}

}  // namespace halyard
