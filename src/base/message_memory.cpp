// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/message_memory.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/host_memory.h"
#include "base/reserve.h"

namespace halyard {
namespace {

constexpr size_t kBlockSize = 288;  // bytes: for a FailureText with 255 bytes of text and a zero
constinit Reserve<kBlockSize> g_spare_blocks;

// A character of UTF-8 goes on with bytes of the form 10xxxxxx.
bool IsMiddle(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

}  // namespace

size_t CopyTruncated(std::string_view text, char* out, size_t room) noexcept {
  if (text.empty()) return 0;
  if (text.size() <= room) {
    std::memmove(out, text.data(), text.size());
    return text.size();
  }
  constexpr std::string_view kCut = "…";
  size_t length = room - kCut.size();
  while (length > 0 && IsMiddle(text[length])) --length;
  std::memmove(out, text.data(), length);
  std::memcpy(out + length, kCut.data(), kCut.size());
  return length + kCut.size();
}

void* AllocateMessage(size_t* size) noexcept {
  if (HostMemoryIsUsed()) {
    try {
      return HostAllocate(*size, alignof(std::max_align_t));
    } catch (const std::bad_alloc&) {  // the reserve has some
    }
  }
  *size = std::min(*size, kBlockSize);
  return g_spare_blocks.Take(*size);
}

void FreeMessage(void* memory, size_t size) noexcept {
  if (!g_spare_blocks.Return(memory)) HostFree(memory, size, alignof(std::max_align_t));
}

}  // namespace halyard
