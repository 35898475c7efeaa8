// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hands out ranges of offsets, for memory that the host cannot or should not touch.
#ifndef HALYARD_BASE_RANGE_ALLOCATOR_H_
#define HALYARD_BASE_RANGE_ALLOCATOR_H_

#include <array>
#include <cstdint>
#include <optional>

#include "base/host_memory.h"

namespace halyard {

/// Divides the offsets [0, size) into ranges that are used or free. Not synchronised: the owner locks.
///
/// Free ranges are in lists, one for each class of lengths (two-level segregated fit): there are 32 classes between a
/// power of two and the next. So a search looks at bits and at one or two ranges, whatever their number is. Ranges that
/// are freed become one with free ranges beside them.
class RangeAllocator : public HostObject {
 public:
  static constexpr uint64_t kMaxSize = uint64_t{1} << 63;

  /// @param size  at most kMaxSize
  explicit RangeAllocator(uint64_t size);
  RangeAllocator(const RangeAllocator&) = delete;
  RangeAllocator& operator=(const RangeAllocator&) = delete;

  /// Finds a free range. A length of 0 counts as 1.
  ///
  /// Fails only if every free range is too short: shorter than `length + alignment - 1`, rounded up to the next class,
  /// which is 1/32 longer at most. Takes heap memory only if there are more ranges, used and free, than ever before.
  ///
  /// @param alignment  a power of two
  /// @return its offset, a multiple of `alignment`. May throw std::bad_alloc; then nothing has changed.
  std::optional<uint64_t> Allocate(uint64_t length, uint64_t alignment);

  /// Frees the range that begins at `offset`. False if none does; then nothing has changed.
  bool Free(uint64_t offset) noexcept;

  uint64_t Size() const { return size_; }
  uint64_t UsedBytes() const { return used_bytes_; }
  bool IsEmpty() const { return used_bytes_ == 0; }
  /// The length of the longest free range. Walks the free ranges of its class.
  uint64_t LargestFree() const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr unsigned kStepBits = 5;
  static constexpr size_t kSteps = size_t{1} << kStepBits;  // classes of a level
  static constexpr size_t kLevels = 64 - kStepBits + 1;

  /// A range. The links are indices of nodes_.
  struct Node {
    uint64_t offset = 0;
    uint64_t length = 0;
    uint32_t before = kNone, after = kNone;  // the ranges beside it
    uint32_t list_previous = kNone;          // free: of its class
    uint32_t list_next = kNone;              // free: of its class; used: of its bucket; unused nodes: of spare_
    bool is_free = false;
  };

  static uint64_t StepOf(uint64_t length);
  static uint32_t ClassOf(uint64_t length);
  static uint32_t ClassThatHolds(uint64_t length);

  void ReserveNodes();
  uint32_t TakeNode();
  void ReturnNode(uint32_t index) noexcept;

  uint32_t Find(uint64_t length, uint64_t alignment) const;
  uint32_t FirstFrom(uint32_t size_class) const;
  bool Fits(uint32_t index, uint64_t length, uint64_t alignment) const;

  void AddFree(uint32_t index) noexcept;
  void RemoveFree(uint32_t index) noexcept;
  void AddUsed(uint32_t index) noexcept;
  uint32_t RemoveUsed(uint64_t offset) noexcept;
  uint32_t BucketOf(uint64_t offset) const;

  uint32_t SplitOff(uint32_t index, uint64_t length) noexcept;
  void JoinWithNext(uint32_t index) noexcept;

  const uint64_t size_;
  uint64_t used_bytes_ = 0;
  uint64_t levels_ = 0;                          // bit L: a class of level L has ranges
  std::array<uint32_t, kLevels> steps_ = {};     // [level], bit S: its class S has ranges
  std::array<uint32_t, kLevels * kSteps> free_;  // [class]: the first range of its list
  HostVector<Node> nodes_;                       // a power of two; never shrinks
  uint32_t spare_ = kNone;                       // unused nodes
  size_t spare_count_ = 0;
  HostVector<uint32_t> buckets_;  // as many as nodes; each lists used ranges by a hash of their offset
};

}  // namespace halyard

#endif  // HALYARD_BASE_RANGE_ALLOCATOR_H_
