// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The completion values of a device's queues, in memory that the device can write.
#ifndef HALYARD_STREAM_NATIVE_EPOCH_COUNTERS_H_
#define HALYARD_STREAM_NATIVE_EPOCH_COUNTERS_H_

#include <atomic>
#include <cstdint>

#include "base/prefetch.h"
#include "stream/native/native_api.h"

namespace halyard::stream {

/// One 64-bit counter for each queue, each in its own cache line. If the streams write the counters, their pages are
/// registered with the API. A counter holds the last completion value of its queue.
class EpochCounters {
 public:
  explicit EpochCounters(NativeApi& api) : api_(api) {}
  /// Within a NativeScope.
  ~EpochCounters();
  EpochCounters(const EpochCounters&) = delete;
  EpochCounters& operator=(const EpochCounters&) = delete;

  /// @param device_writes  whether the device writes them, or only the host
  Status Make(uint32_t count, bool device_writes);

  std::atomic_ref<uint64_t> Counter(uint32_t index) const { return std::atomic_ref(lines_[index].value); }
  NativeAddress Address(uint32_t index) const { return address_ + index * sizeof(Line); }

 private:
  struct alignas(kCacheLine) Line {
    uint64_t value;
  };

  NativeApi& api_;
  Line* lines_ = nullptr;
  size_t size_ = 0;  // bytes
  bool registered_ = false;
  NativeAddress address_ = 0;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_NATIVE_EPOCH_COUNTERS_H_
