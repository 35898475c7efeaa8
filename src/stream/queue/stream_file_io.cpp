// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/queue/stream_file_io.h"

#include <algorithm>

namespace halyard::stream {

StreamFileIo::~StreamFileIo() {
  for (void* piece : pieces_) {
    if (piece) api_.FreeHost(piece);
  }
  if (stream_) api_.DestroyStream(stream_);
}

Status StreamFileIo::Open() {
  if (!stream_) HAL_TRY(api_.CreateStream(&stream_));
  for (size_t i = 0; i < pieces_.size(); ++i) {
    if (!pieces_[i]) HAL_TRY(api_.AllocateHost(kPieceSize, &pieces_[i]));
    if (copied_[i]) continue;
    HAL_TRY(events_.Acquire(&copied_[i]));
  }
  return kOk;
}

Status StreamFileIo::Transfer(bool reads_file, const DeviceRange& memory, const FileTransfer& file) {
  if (memory.length == 0) return kOk;
  const std::lock_guard lock(mutex_);
  HAL_TRY(Open());
  const FileTransfer outside = [&](uint64_t skip, void* data, uint64_t length) {
    return OutsideVendor(api_.gate(), [&] { return file(skip, data, length); });
  };
  const Status status = reads_file ? Read(memory, outside) : Write(memory, outside);
  // The memory and the pieces are to be quiet afterwards, whatever became of the transfer.
  const auto finish = [&] {
    for (const DeviceEventRef& copied : copied_) HAL_TRY(AwaitEvent(api_, copied.native()));
    return TryTwice([&] { return api_.SynchronizeStream(stream_); });
  };
  if (status == kOk) return finish();
  finish().Ignore();
  return status;
}

Status StreamFileIo::StartCopy(NativeAddress target, NativeAddress source, uint64_t length, size_t piece) {
  HAL_TRY(api_.Copy(stream_, target, source, length));
  return api_.RecordEvent(copied_[piece].native(), stream_);
}

Status StreamFileIo::AwaitCopy(size_t piece) { return AwaitEvent(api_, copied_[piece].native()); }

Status StreamFileIo::Read(const DeviceRange& memory, const FileTransfer& file) {
  size_t piece = 0;
  for (uint64_t done = 0; done < memory.length; done += kPieceSize, piece ^= 1) {
    const uint64_t length = std::min(kPieceSize, memory.length - done);
    if (done >= 2 * kPieceSize) HAL_TRY(AwaitCopy(piece));
    HAL_TRY(file(done, pieces_[piece], length));
    HAL_TRY(StartCopy(memory.address + done, PieceAddress(piece), length, piece));
  }
  return kOk;
}

Status StreamFileIo::Write(const DeviceRange& memory, const FileTransfer& file) {
  const auto start = [&](uint64_t at, size_t piece) {
    if (at >= memory.length) return kOk;
    return StartCopy(PieceAddress(piece), memory.address + at, std::min(kPieceSize, memory.length - at), piece);
  };
  HAL_TRY(start(0, 0));
  size_t piece = 0;
  for (uint64_t done = 0; done < memory.length; done += kPieceSize, piece ^= 1) {
    HAL_TRY(start(done + kPieceSize, piece ^ 1));
    HAL_TRY(AwaitCopy(piece));
    const uint64_t length = std::min(kPieceSize, memory.length - done);
    HAL_TRY(file(done, pieces_[piece], length));
  }
  return kOk;
}

}  // namespace halyard::stream
