// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/stored_message.h"

#include <array>
#include <cstring>
#include <new>

#include "base/host_memory.h"
#include "base/reserve.h"

namespace halyard {
namespace {

constexpr size_t kBlockSize = 256;  // bytes, the zero at the end included
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

void* AllocateMessage(size_t size) {
  try {
    return HostAllocate(size, 1);
  } catch (const std::bad_alloc&) {
    void* const block = g_spare_blocks.Take(size);
    if (!block) throw;
    return block;
  }
}

void FreeMessage(void* memory, size_t size) noexcept {
  if (!g_spare_blocks.Return(memory)) HostFree(memory, size, 1);
}

void StoreMessage(std::string_view text, StoredMessage* out) noexcept {
  try {
    out->assign(text);
    return;
  } catch (const std::exception&) {  // a length that no string has, or no memory
    out->clear();
  }
  std::array<char, kBlockSize - 1> cut;
  try {
    StoredMessage kept;
    kept.reserve(cut.size());  // exactly a block: growing by itself, a string asks for more than it needs
    kept.assign(cut.data(), CopyTruncated(text, cut.data(), cut.size()));
    out->swap(kept);
  } catch (const std::bad_alloc&) {  // the reserve is used up; the status still says what happened
    return;
  }
}

}  // namespace halyard
