// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/recording/vulkan_transfers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "vulkan/recording/vulkan_recording.h"

namespace halyard::vulkan {
namespace {

constexpr uint32_t kMostRegions = 256;  // of one vkCmdCopyBuffer
constexpr uint64_t kWord = 4;           // bytes; vkCmdFillBuffer and vkCmdUpdateBuffer take multiples of it

void CopyBytes(VulkanRecording& recording, const StagedBytes& from, VkBuffer to, uint64_t offset, uint64_t length) {
  const VkBufferCopy region{from.offset, offset, length};
  recording.vk().CmdCopyBuffer(recording.commands(), from.buffer, to, 1, &region);
}

// Bytes of the pattern as it lies from `offset` on, for a few bytes at an end of a range.
Status FillEnd(VulkanRecording& recording, const NativeBytes& target, uint32_t pattern) {
  StagedBytes bytes;
  HAL_TRY(recording.staging().Take(target.length, 1, &bytes));
  std::memcpy(bytes.data, &pattern, target.length);
  CopyBytes(recording, bytes, target.buffer, target.offset, target.length);
  return kOk;
}

}  // namespace

// The pattern begins with the range. So behind the first bytes it is turned by as many.
Status RecordFill(VulkanRecording& recording, const NativeBytes& target, uint32_t pattern) {
  const uint64_t head = std::min((kWord - target.offset % kWord) % kWord, target.length);
  const uint64_t words = (target.length - head) / kWord * kWord;
  const uint64_t tail = target.length - head - words;
  const uint32_t turned = std::rotr(pattern, static_cast<int>(head * 8));
  if (head > 0) HAL_TRY(FillEnd(recording, {target.buffer, target.offset, head}, pattern));
  if (words > 0) {
    recording.vk().CmdFillBuffer(recording.commands(), target.buffer, target.offset + head, words, turned);
  }
  return tail > 0 ? FillEnd(recording, {target.buffer, target.offset + head + words, tail}, turned) : kOk;
}

Status RecordUpdate(VulkanRecording& recording, const NativeBytes& target, const void* data) {
  if (target.offset % kWord == 0 && target.length % kWord == 0) {
    recording.vk().CmdUpdateBuffer(recording.commands(), target.buffer, target.offset, target.length, data);
    return kOk;
  }
  StagedBytes bytes;
  HAL_TRY(recording.staging().Take(target.length, kWord, &bytes));
  std::memcpy(bytes.data, data, target.length);
  CopyBytes(recording, bytes, target.buffer, target.offset, target.length);
  return kOk;
}

Status RecordCopy(VulkanRecording& recording, const NativeBytes& target, VkBuffer source, uint64_t source_offset) {
  const VkBufferCopy region{source_offset, target.offset, target.length};
  recording.vk().CmdCopyBuffer(recording.commands(), source, target.buffer, 1, &region);
  return kOk;
}

void RecordCopyRows(VulkanRecording& recording, const NativeBytes& target, const NativeBytes& source,
                    const CopyBox& box) {
  std::array<VkBufferCopy, kMostRegions> regions;
  uint32_t count = 0;
  const auto record = [&] {
    recording.vk().CmdCopyBuffer(recording.commands(), source.buffer, target.buffer, count, regions.data());
    count = 0;
  };
  ForEachRow(box, [&](uint64_t from, uint64_t to) {
    regions[count++] = {source.offset + from, target.offset + to, box.width};
    if (count == kMostRegions) record();
  });
  if (count > 0) record();
}

}  // namespace halyard::vulkan
