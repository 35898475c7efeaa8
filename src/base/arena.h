// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that is freed all at once.
#ifndef HALYARD_BASE_ARENA_H_
#define HALYARD_BASE_ARENA_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "base/host_memory.h"
#include "base/small_mutex.h"

namespace halyard {

/// Begins a block of an arena.
struct ArenaBlock {
  static constexpr size_t kAlignment = 16;

  ArenaBlock* next;
  size_t size;  // bytes, with this
};

/// Blocks of arenas that are gone, for the next ones. Thread-safe.
class ArenaPool {
 public:
  ArenaPool() = default;
  ArenaPool(const ArenaPool&) = delete;
  ArenaPool& operator=(const ArenaPool&) = delete;
  ~ArenaPool() { Trim(); }

  /// A block of exactly `size` bytes; NULL if none is kept.
  ArenaBlock* Take(size_t size) noexcept;
  /// Keeps those blocks of a list that it has room for, and frees the others.
  void Give(ArenaBlock* blocks) noexcept;
  /// Frees what is kept.
  void Trim() noexcept;

  /// A kept block has a power of two of bytes within these.
  static constexpr size_t kSmallest = 256;
  static constexpr size_t kLargest = size_t{128} << 10;

 private:
  static constexpr size_t kMaxBytes = size_t{8} << 20;
  static constexpr size_t kClasses = std::bit_width(kLargest) - std::bit_width(kSmallest) + 1;
  static size_t ClassOf(size_t size) { return static_cast<size_t>(std::bit_width(size) - std::bit_width(kSmallest)); }

  bool Keep(ArenaBlock* block) noexcept;

  SmallMutex mutex_;  // protects what follows; a leaf
  size_t bytes_ = 0;
  std::array<ArenaBlock*, kClasses> free_{};  // by size
};

/// A bump allocator for bytes and trivial types. Not synchronised.
///
/// It takes its blocks from a pool, if it has one, and gives them back there. Cleared, it keeps those that it took
/// first, 64 KiB at most or one.
class Arena {
 public:
  Arena() = default;
  /// `pool` outlives the arena.
  explicit Arena(ArenaPool& pool) : pool_(&pool) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { Free(first_); }

  /// `size` bytes, aligned to `alignment`, a power of two up to 16. May throw.
  void* Allocate(size_t size, size_t alignment = kAlignment) {
    size_t offset = Aligned(used_, alignment);
    if (!current_ || offset > current_->size || current_->size - offset < size) [[unlikely]] {
      NextBlock(size);
      offset = sizeof(ArenaBlock);
    }
    used_ = offset + size;
    return reinterpret_cast<char*>(current_) + offset;
  }

  /// A copy of a range of trivial objects; NULL for an empty one. May throw.
  template <class T>
  T* Copy(const T* data, size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kAlignment);
    if (count == 0) return nullptr;
    void* const memory = Allocate(count * sizeof(T));
    std::memcpy(memory, data, count * sizeof(T));
    return static_cast<T*>(memory);
  }

  void Clear() noexcept;

 private:
  static constexpr size_t kAlignment = ArenaBlock::kAlignment;
  static constexpr size_t kMaxKept = size_t{64} << 10;  // bytes of blocks
  static_assert(sizeof(ArenaBlock) % kAlignment == 0);

  static size_t Aligned(size_t offset, size_t alignment) { return (offset + alignment - 1) & ~(alignment - 1); }
  void NextBlock(size_t size);
  ArenaBlock* NewBlock(size_t size);
  void Use(ArenaBlock* block) noexcept;
  void Free(ArenaBlock* blocks) noexcept;

  ArenaBlock* first_ = nullptr;
  ArenaBlock* current_ = nullptr;  // those behind it are not used
  size_t used_ = 0;                // bytes of the current block
  ArenaPool* pool_ = nullptr;
};

/// For containers that live no longer than what is in an arena. What they free stays there.
template <class T>
struct ArenaAllocator {
  using value_type = T;
  explicit ArenaAllocator(Arena& from) noexcept : arena(&from) {}
  template <class U>
  // NOLINTNEXTLINE(google-explicit-constructor): containers convert it
  ArenaAllocator(const ArenaAllocator<U>& other) noexcept : arena(other.arena) {}
  T* allocate(size_t count) { return static_cast<T*>(arena->Allocate(count * sizeof(T), alignof(T))); }
  void deallocate(T*, size_t) noexcept {}
  bool operator==(const ArenaAllocator& other) const noexcept { return arena == other.arena; }

  Arena* arena;
};

}  // namespace halyard

#endif  // HALYARD_BASE_ARENA_H_
