// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/queue/vulkan_file_io.h"

#include <algorithm>

#include "driver_kit/device/binding_table.h"

namespace halyard::vulkan {

Status VulkanFileIo::Transfer(bool reads_file, VulkanBuffer& buffer, uint64_t offset, uint64_t length,
                              const FileTransfer& file) {
  if (length == 0) return kOk;
  const FileTransfer outside = [&](uint64_t skip, void* data, uint64_t part) {
    return OutsideVendor(g_vulkan_gate, [&] { return file(skip, data, part); });
  };
  if (buffer.host_visible()) return TransferInPlace(reads_file, buffer, offset, length, outside);
  const std::lock_guard lock(mutex_);
  HAL_TRY(Open());
  return TransferStaged(reads_file, buffer, offset, length, outside);
}

Status VulkanFileIo::TransferInPlace(bool reads_file, VulkanBuffer& buffer, uint64_t offset, uint64_t length,
                                     const FileTransfer& file) {
  HAL_TRY(buffer.Invalidate(offset, length));  // before it is written, too: the flush takes neighbours along
  HAL_TRY(file(0, buffer.HostPointer(offset), length));
  return reads_file ? buffer.Flush(offset, length) : kOk;
}

Status VulkanFileIo::TransferStaged(bool reads_file, const VulkanBuffer& buffer, uint64_t offset, uint64_t length,
                                    const FileTransfer& file) {
  for (uint64_t done = 0; done < length; done += kPieceSize) {
    const uint64_t part = std::min(kPieceSize, length - done);
    if (reads_file) {
      HAL_TRY(file(done, piece_->contents, part));
      HAL_TRY(memory_.Flush(*piece_, 0, part));
      HAL_TRY(Copy(true, buffer, offset + done, part));
    } else {
      HAL_TRY(Copy(false, buffer, offset + done, part));
      HAL_TRY(memory_.Invalidate(*piece_, 0, part));
      HAL_TRY(file(done, piece_->contents, part));
    }
  }
  return kOk;
}

Status VulkanFileIo::Open() {
  if (!piece_) HAL_TRY(memory_.MakeStaging(kPieceSize, &piece_));
  return timeline_.Open();
}

Status VulkanFileIo::Copy(bool to_device, const VulkanBuffer& buffer, uint64_t offset, uint64_t length) {
  const VulkanBlock* const block = buffer.block();
  if (!block) return FailOutsideLife();
  VulkanRecording* recording = nullptr;
  HAL_TRY(recordings_.Acquire(&recording));
  Status status = recording->Begin();
  if (status == kOk) {
    const uint64_t at = block->offset + offset;
    const VkBufferCopy region{to_device ? 0 : at, to_device ? at : 0, length};
    const VkBuffer source = to_device ? piece_->buffer.get() : block->buffer.get();
    const VkBuffer target = to_device ? block->buffer.get() : piece_->buffer.get();
    memory_.context().vk().CmdCopyBuffer(recording->commands(), source, target, 1, &region);
    if (!to_device) recording->NoteHostWrite();
    status = recording->End();
  }
  bool ended = true;
  if (status == kOk) status = SubmitAndWait(*recording, &ended);
  if (ended) recording->Return();
  if (!ended) is_drained_ = false;
  return status;
}

// What is submitted is waited for, whatever becomes of it, as the device works on the piece.
Status VulkanFileIo::SubmitAndWait(VulkanRecording& recording, bool* out_ended) {
  VulkanContext& context = memory_.context();
  NativeBatch batch;
  batch.Run(recording.commands());
  const uint64_t value = value_ + 1;
  HAL_TRY(batch.Submit(context, context.queue(0), timeline_, value));
  value_ = value;
  const Status status = probe_.AwaitLast(timeline_, value, health_);
  *out_ended = status == kOk;
  return status;
}

}  // namespace halyard::vulkan
