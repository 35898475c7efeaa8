// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>

#include "platform/memory.h"

namespace halyard {

// "7f0c-7f1c rw-s …" for each mapping, in the order of their addresses. The rest of a line may be long.
bool MayBeWritten(const void* begin, size_t size) noexcept {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> maps(std::fopen("/proc/self/maps", "re"));
  if (!maps) return true;
  uintptr_t next = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t end = next + size;
  std::array<char, 256> line;
  bool is_start = true;
  while (next < end && std::fgets(line.data(), line.size(), maps.get())) {
    uintptr_t from = 0;
    uintptr_t to = 0;
    char may_write = 0;
    const bool is_mapping =
        is_start && std::sscanf(line.data(), "%" SCNxPTR "-%" SCNxPTR " %*c%c", &from, &to, &may_write) == 3;
    is_start = std::char_traits<char>::find(line.data(), std::char_traits<char>::length(line.data()), '\n') != nullptr;
    if (!is_mapping || to <= next) continue;
    if (from > next || may_write != 'w') return false;
    next = to;
  }
  return next >= end;
}

}  // namespace halyard
