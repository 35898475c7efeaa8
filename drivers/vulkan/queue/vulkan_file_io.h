// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves the bytes of a file to and from memory of a Vulkan device.
#ifndef HALYARD_VULKAN_QUEUE_VULKAN_FILE_IO_H_
#define HALYARD_VULKAN_QUEUE_VULKAN_FILE_IO_H_

#include <functional>
#include <memory>
#include <mutex>

#include "base/status.h"
#include "vulkan/memory/vulkan_buffer.h"
#include "vulkan/native/vulkan_timeline.h"
#include "vulkan/queue/vulkan_probe.h"
#include "vulkan/recording/vulkan_recording.h"

namespace halyard::vulkan {

/// Memory that the host can reach is written and read in place. Other memory goes through a piece of staging, with a
/// timeline of its own, on the device's first queue. Blocks its thread. Thread-safe: one such transfer at a time.
class VulkanFileIo {
 public:
  /// Reads or writes `length` bytes of the file that begin `skip` bytes into the transfer.
  using FileTransfer = std::function<Status(uint64_t skip, void* data, uint64_t length)>;

  VulkanFileIo(VulkanMemory& memory, RecordingPool& recordings, VulkanProbe& probe, const DeviceHealth& health)
      : memory_(memory), recordings_(recordings), probe_(probe), health_(health), timeline_(memory.context()) {}

  /// Whether the device has ended all copies. When nothing is transferred any more.
  bool is_drained() const { return is_drained_; }

  Status Transfer(bool reads_file, VulkanBuffer& buffer, uint64_t offset, uint64_t length, const FileTransfer& file);

 private:
  static constexpr uint64_t kPieceSize = uint64_t{8} << 20;  // bytes

  Status Open();
  Status TransferInPlace(bool reads_file, VulkanBuffer& buffer, uint64_t offset, uint64_t length,
                         const FileTransfer& file);
  Status TransferStaged(bool reads_file, const VulkanBuffer& buffer, uint64_t offset, uint64_t length,
                        const FileTransfer& file);
  /// Copies between the piece and a range, and waits for the end.
  Status Copy(bool to_device, const VulkanBuffer& buffer, uint64_t offset, uint64_t length);
  Status SubmitAndWait(VulkanRecording& recording, bool* out_ended);

  VulkanMemory& memory_;
  RecordingPool& recordings_;
  VulkanProbe& probe_;
  const DeviceHealth& health_;
  std::mutex mutex_;  // held for the length of a staged transfer; protects what follows
  std::unique_ptr<VulkanBlock> piece_;
  VulkanTimeline timeline_;
  uint64_t value_ = 0;
  bool is_drained_ = true;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_QUEUE_VULKAN_FILE_IO_H_
