// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets bytes choose what is allocated from a RangeAllocator and freed. Ranges must be aligned, inside and apart, and
// one range must be left when all is free.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>

#include "base/range_allocator.h"

namespace halyard {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

class Walk {
 public:
  Walk(const uint8_t* data, size_t size) : data_(data), end_(data + size), size_(TakeLength()), ranges_(size_) {}

  void Run() {
    while (data_ < end_) {
      const uint8_t choice = Take();
      if (choice % 3 == 0) {
        Free(choice / 3);
      } else {
        Allocate(choice / 3 % 64);
      }
    }
    while (!used_.empty()) Free(0);
    Require(ranges_.IsEmpty() && ranges_.LargestFree() == size_);
  }

 private:
  uint8_t Take() { return data_ < end_ ? *data_++ : 0; }
  /// Any length up to 2^63, of 8 significant bits and a little more.
  uint64_t TakeLength() {
    const uint64_t value = uint64_t{Take()} << Take() % 56;
    return value + Take() % 3;
  }

  void Free(size_t place) {
    if (used_.empty()) return;
    const auto found = std::next(used_.begin(), static_cast<ptrdiff_t>(place % used_.size()));
    Require(ranges_.Free(found->first));
    Require(!ranges_.Free(found->first));
    used_bytes_ -= found->second;
    used_.erase(found);
    Require(ranges_.UsedBytes() == used_bytes_);
  }

  void Allocate(unsigned alignment_bits) {
    const uint64_t length = std::max<uint64_t>(TakeLength(), 1);
    const uint64_t alignment = uint64_t{1} << alignment_bits;
    const auto offset = ranges_.Allocate(length, alignment);
    if (!offset) return Require(alignment > 1 || length > ranges_.LargestFree() - ranges_.LargestFree() / 32);
    Require(*offset % alignment == 0 && *offset <= size_ && length <= size_ - *offset);
    const auto next = used_.lower_bound(*offset);
    if (next != used_.end()) Require(*offset + length <= next->first);
    if (next != used_.begin()) Require(std::prev(next)->first + std::prev(next)->second <= *offset);
    used_.emplace(*offset, length);
    used_bytes_ += length;
    Require(ranges_.UsedBytes() == used_bytes_);
  }

  const uint8_t* data_;
  const uint8_t* const end_;
  const uint64_t size_;
  RangeAllocator ranges_;
  std::map<uint64_t, uint64_t> used_;
  uint64_t used_bytes_ = 0;
};

}  // namespace
}  // namespace halyard

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  halyard::Walk(data, size).Run();
  return 0;
}
