// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device memory that kernels use while they run, in addition to their bindings.
#ifndef HALYARD_STREAM_MEMORY_SCRATCH_BLOCKS_H_
#define HALYARD_STREAM_MEMORY_SCRATCH_BLOCKS_H_

#include <array>
#include <cstdint>
#include <mutex>

#include "base/status.h"
#include "stream/native/native_api.h"
#include "stream/native/stream_context.h"

namespace halyard::stream {

/// Each stream of the device's own keeps a block, which its dispatches use one after the other: once it is large enough
/// a dispatch costs no native call more. What is larger than `kMostKept` is allocated for one dispatch in the order of
/// the stream, and so is what a stream of the application needs, whose handle may stand for several streams.
///
/// Needs StreamMemory::stream_ordered(). Everything is within a NativeScope and thread-safe.
class ScratchBlocks {
 public:
  static constexpr uint64_t kMostKept = uint64_t{64} << 20;  // bytes, for each stream

  /// The memory of one dispatch, from before it is put into its stream until after that. Another thread that puts work
  /// into the same stream waits meanwhile, so that it frees no memory that the launch still is to get.
  class Lease {
   public:
    Lease() = default;
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    /// Once.
    Status Take(StreamContext& context, NativeStream stream, uint64_t length);
    NativeAddress address() const { return address_; }

   private:
    StreamContext* context_ = nullptr;  // NULL if nothing is to be freed
    NativeStream stream_ = nullptr;
    NativeAddress address_ = 0;
    std::unique_lock<std::mutex> lock_;  // of a kept block
  };

  explicit ScratchBlocks(StreamContext& context) : context_(context) {}

  /// Frees what is kept, each block in the order of its stream.
  void Trim() noexcept;
  /// The same in the order of one stream, once all that used it is completed.
  void TrimOn(NativeStream stream) noexcept;

 private:
  struct Block {
    std::mutex mutex;  // protects the block; native calls are made under it
    NativeAddress base = 0;
    uint64_t length = 0;
  };

  /// At least `length` bytes. With the block's mutex.
  Status Grow(NativeStream stream, uint64_t length, Block* block);
  template <class StreamOf>
  void Free(const StreamOf& stream_of) noexcept;

  StreamContext& context_;
  std::array<Block, StreamContext::kMaxStreams> blocks_;  // [lane]
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_MEMORY_SCRATCH_BLOCKS_H_
