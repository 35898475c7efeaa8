// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves the bytes of a file to and from device memory.
#ifndef HALYARD_STREAM_QUEUE_STREAM_FILE_IO_H_
#define HALYARD_STREAM_QUEUE_STREAM_FILE_IO_H_

#include <array>
#include <functional>
#include <mutex>

#include "base/status.h"
#include "stream/memory/device_range.h"
#include "stream/native/device_event.h"

namespace halyard::stream {

/// Stages each transfer through two pieces of pinned memory: file I/O uses one while the device uses the other. Blocks
/// its thread. Thread-safe: runs one transfer at a time.
class StreamFileIo {
 public:
  /// Reads or writes `length` bytes of the file that begin `skip` bytes into the transfer.
  using FileTransfer = std::function<Status(uint64_t skip, void* data, uint64_t length)>;

  StreamFileIo(NativeApi& api, DeviceEventPool& events) : api_(api), events_(events) {}
  /// Within a NativeScope.
  ~StreamFileIo();
  StreamFileIo(const StreamFileIo&) = delete;
  StreamFileIo& operator=(const StreamFileIo&) = delete;

  /// Within a NativeScope.
  Status Transfer(bool reads_file, const DeviceRange& memory, const FileTransfer& file);

 private:
  static constexpr uint64_t kPieceSize = uint64_t{4} << 20;  // bytes

  Status Open();
  Status Read(const DeviceRange& memory, const FileTransfer& file);
  Status Write(const DeviceRange& memory, const FileTransfer& file);
  Status StartCopy(NativeAddress target, NativeAddress source, uint64_t length, size_t piece);
  Status AwaitCopy(size_t piece);
  NativeAddress PieceAddress(size_t piece) const { return reinterpret_cast<uintptr_t>(pieces_[piece]); }

  NativeApi& api_;
  DeviceEventPool& events_;
  std::mutex mutex_;  // held for the length of a transfer; protects what follows
  NativeStream stream_ = nullptr;
  std::array<void*, 2> pieces_{};
  std::array<DeviceEventRef, 2> copied_;  // the last copy that used the piece
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_QUEUE_STREAM_FILE_IO_H_
