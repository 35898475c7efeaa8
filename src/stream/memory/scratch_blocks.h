// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scratch memory: device memory that kernels use while they run, in addition to their bindings.
#ifndef HALYARD_STREAM_MEMORY_SCRATCH_BLOCKS_H_
#define HALYARD_STREAM_MEMORY_SCRATCH_BLOCKS_H_

#include <array>
#include <cstdint>
#include <mutex>

#include "base/status.h"
#include "stream/native/native_api.h"
#include "stream/native/stream_context.h"

namespace halyard::stream {

/// Keeps a block for each of the device's own streams, whose dispatches use it one after the other. Once the block is
/// large enough, a dispatch costs no additional native call. A dispatch that needs more than `kMostKept` gets memory of
/// its own, in the order of the stream. So does a dispatch in an external stream, because its handle may stand for
/// several streams.
///
/// Needs StreamMemory::stream_ordered(). Everything is within a NativeScope and thread-safe.
class ScratchBlocks {
 public:
  static constexpr uint64_t kMostKept = uint64_t{64} << 20;  // bytes, for each stream

  /// The memory of one dispatch, held from before the dispatch is put into its stream until after that. Another thread
  /// that puts work into the same stream waits meanwhile, so that it frees no memory that the launch will get.
  class Lease {
   public:
    Lease() = default;
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    /// Called once.
    Status Take(StreamContext& context, NativeStream stream, uint64_t length);
    NativeAddress address() const { return address_; }

   private:
    StreamContext* context_ = nullptr;  // NULL if nothing is to be freed
    NativeStream stream_ = nullptr;
    NativeAddress address_ = 0;
    std::unique_lock<std::mutex> lock_;  // of a kept block
  };

  explicit ScratchBlocks(StreamContext& context) : context_(context) {}

  /// Frees the kept blocks, each in the order of its stream.
  void Trim() noexcept;
  /// Frees them in the order of one stream, once all work that used them is completed.
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
