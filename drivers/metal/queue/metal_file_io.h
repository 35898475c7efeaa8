// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves the bytes of a file to and from memory that the host cannot reach.
#ifndef HALYARD_METAL_QUEUE_METAL_FILE_IO_H_
#define HALYARD_METAL_QUEUE_METAL_FILE_IO_H_

#include <array>
#include <functional>
#include <mutex>

#include "base/host_event.h"
#include "base/status.h"
#include "metal/memory/metal_buffer.h"
#include "metal/native/metal_types.h"
#include "metal/recording/metal_encoding.h"

namespace halyard::metal {

class MetalRecordingDevice;

/// Goes through two pieces of shared memory, on a queue of its own: the file works on one while the device works on the
/// other. Blocks its thread. Thread-safe: one transfer at a time.
class MetalFileIo {
 public:
  /// Reads or writes `length` bytes of the file that begin `skip` bytes into the transfer.
  using FileTransfer = std::function<Status(uint64_t skip, void* data, uint64_t length)>;

  explicit MetalFileIo(MetalRecordingDevice& device);
  ~MetalFileIo();
  MetalFileIo(const MetalFileIo&) = delete;
  MetalFileIo& operator=(const MetalFileIo&) = delete;

  /// A copy that fails loses the device.
  Status Transfer(bool reads_file, const MetalBuffer& buffer, uint64_t offset, uint64_t length,
                  const FileTransfer& file);

 private:
  static constexpr uint64_t kPieceSize = uint64_t{4} << 20;  // bytes

  struct Piece {
    OwnedBuffer buffer;
    char* data = nullptr;
    HostEvent copied;        // the last copy that used it has ended
    bool in_flight = false;  // there is such a copy
    Failure failure;         // what Metal said of it; written before `copied` is set
  };
  struct Range {
    const MetalBuffer& buffer;
    uint64_t offset;
    uint64_t length;
  };

  Status Open();
  /// `out_loss` says what Metal said of a copy that failed, if one did.
  Status Move(bool reads_file, const Range& range, const FileTransfer& file, Failure* out_loss);
  Status Read(const Range& range, const FileTransfer& file);
  Status Write(const Range& range, const FileTransfer& file);
  /// Copies between a piece and the bytes that begin `done` into the range.
  Status StartCopy(bool to_device, const Range& range, uint64_t done, Piece& piece);
  Status EncodeCopy(NativeCommandBuffer commands, bool to_device, const Range& range, uint64_t done, uint64_t length,
                    const Piece& piece);
  Status AwaitCopy(Piece& piece);

  MetalRecordingDevice& device_;
  std::mutex mutex_;  // held for the length of a transfer; protects what follows
  Owned<NativeCommandQueue> queue_;
  MetalFences fences_;
  MetalEncoding::Scratch scratch_;
  std::array<Piece, 2> pieces_;
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_QUEUE_METAL_FILE_IO_H_
