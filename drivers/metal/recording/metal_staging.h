// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that the host writes for one submission: argument buffers and the data of updates.
#ifndef HALYARD_METAL_RECORDING_METAL_STAGING_H_
#define HALYARD_METAL_RECORDING_METAL_STAGING_H_

#include <cstdint>

#include "base/host_memory.h"
#include "base/status.h"
#include "metal/executable/metal_arguments.h"
#include "metal/memory/metal_memory.h"

namespace halyard::metal {

/// A ring of blocks. A block is used by successive submissions until it is full, and again once the last of them is
/// completed. If none is free there is one more block, so a long command buffer never has to wait.
///
/// With the lane's mutex.
class MetalStaging {
 public:
  explicit MetalStaging(MetalMemory& memory) : memory_(memory) {}

  /// What follows is for submission `epoch`; those up to `completed` are completed.
  void Begin(uint64_t epoch, uint64_t completed) {
    epoch_ = epoch;
    completed_ = completed;
  }
  /// `length` bytes at a multiple of `alignment`, a power of two up to 4096.
  Status Take(uint64_t length, uint64_t alignment, StagedBytes* out);

 private:
  static constexpr uint64_t kBlockSize = uint64_t{256} << 10;  // bytes

  struct Block {
    OwnedBuffer buffer;
    char* data = nullptr;
    uint64_t size = 0;   // bytes
    uint64_t epoch = 0;  // of the last submission that uses it
  };

  Status NextBlock(uint64_t length);

  MetalMemory& memory_;
  uint64_t epoch_ = 0;
  uint64_t completed_ = 0;
  Block current_;
  uint64_t used_ = 0;       // bytes of it
  HostVector<Block> full_;  // the oldest first; a deque would allocate each time that it moves on
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_RECORDING_METAL_STAGING_H_
