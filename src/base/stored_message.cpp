// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/stored_message.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>

#include "base/host_memory.h"

namespace halyard {
namespace {

constexpr size_t kBlockSize = 256;  // bytes, the zero at the end included
constexpr size_t kBlocks = 64;

std::array<std::array<char, kBlockSize>, kBlocks> g_blocks;
std::atomic<uint64_t> g_taken{0};  // one bit for each block

void* TakeBlock() noexcept {
  uint64_t taken = g_taken.load(std::memory_order_relaxed);
  while (taken != UINT64_MAX) {
    const uint64_t lowest_free = ~taken & (taken + 1);
    if (g_taken.compare_exchange_weak(taken, taken | lowest_free, std::memory_order_acquire)) {
      return g_blocks[static_cast<size_t>(__builtin_ctzll(lowest_free))].data();
    }
  }
  return nullptr;
}

bool IsBlock(const void* memory) noexcept {
  const std::less<> before;
  return !before(memory, static_cast<const void*>(&g_blocks)) &&
         before(memory, static_cast<const void*>(&g_blocks + 1));
}

void ReturnBlock(const void* memory) noexcept {
  const auto offset = static_cast<size_t>(static_cast<const char*>(memory) - g_blocks.front().data());
  g_taken.fetch_and(~(UINT64_C(1) << (offset / kBlockSize)), std::memory_order_release);
}

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
    void* const block = size <= kBlockSize ? TakeBlock() : nullptr;
    if (!block) throw;
    return block;
  }
}

void FreeMessage(void* memory, size_t size) noexcept {
  if (IsBlock(memory)) return ReturnBlock(memory);
  HostFree(memory, size, 1);
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
