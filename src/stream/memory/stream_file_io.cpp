// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/memory/stream_file_io.h"

#include <algorithm>

namespace halyard::stream {

StreamFileIo::~StreamFileIo() {
  for (void* piece : pieces_) {
    if (piece) api_.FreeHost(piece);
  }
  if (stream_) api_.DestroyStream(stream_);
}

Status StreamFileIo::Open() {
  if (!stream_) {
    if (Status status = api_.CreateStream(&stream_); status != kOk) return status;
  }
  for (size_t i = 0; i < pieces_.size(); ++i) {
    if (!pieces_[i]) {
      if (Status status = api_.AllocateHost(kPieceSize, &pieces_[i]); status != kOk) return status;
    }
    if (copied_[i]) continue;
    if (Status status = events_.Acquire(&copied_[i]); status != kOk) return status;
  }
  return kOk;
}

Status StreamFileIo::Transfer(bool reads_file, const DeviceRange& memory, const FileTransfer& file) {
  if (memory.length == 0) return kOk;
  const std::lock_guard lock(mutex_);
  if (Status status = Open(); status != kOk) return status;
  const Status status = reads_file ? Read(memory, file) : Write(memory, file);
  // The memory and the pieces are to be quiet afterwards, whatever became of the transfer.
  const auto finish = [&] { return TryTwice([&] { return api_.SynchronizeStream(stream_); }); };
  if (status == kOk) return finish();
  const ScopedErrorMessage keeper;
  static_cast<void>(finish());
  return status;
}

Status StreamFileIo::StartCopy(NativeAddress target, NativeAddress source, uint64_t length, size_t piece) {
  if (Status status = api_.Copy(stream_, target, source, length); status != kOk) return status;
  return api_.RecordEvent(copied_[piece].native(), stream_);
}

Status StreamFileIo::AwaitCopy(size_t piece) { return api_.SynchronizeEvent(copied_[piece].native()); }

Status StreamFileIo::Read(const DeviceRange& memory, const FileTransfer& file) {
  size_t piece = 0;
  for (uint64_t done = 0; done < memory.length; done += kPieceSize, piece ^= 1) {
    const uint64_t length = std::min(kPieceSize, memory.length - done);
    if (done >= 2 * kPieceSize) {
      if (Status status = AwaitCopy(piece); status != kOk) return status;
    }
    if (Status status = file(done, pieces_[piece], length); status != kOk) return status;
    if (Status status = StartCopy(memory.address + done, PieceAddress(piece), length, piece); status != kOk) {
      return status;
    }
  }
  return kOk;
}

Status StreamFileIo::Write(const DeviceRange& memory, const FileTransfer& file) {
  const auto start = [&](uint64_t at, size_t piece) {
    if (at >= memory.length) return kOk;
    return StartCopy(PieceAddress(piece), memory.address + at, std::min(kPieceSize, memory.length - at), piece);
  };
  if (Status status = start(0, 0); status != kOk) return status;
  size_t piece = 0;
  for (uint64_t done = 0; done < memory.length; done += kPieceSize, piece ^= 1) {
    if (Status status = start(done + kPieceSize, piece ^ 1); status != kOk) return status;
    if (Status status = AwaitCopy(piece); status != kOk) return status;
    const uint64_t length = std::min(kPieceSize, memory.length - done);
    if (Status status = file(done, pieces_[piece], length); status != kOk) return status;
  }
  return kOk;
}

}  // namespace halyard::stream
