// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/queue/metal_file_io.h"

#include <algorithm>
#include <utility>

#include "metal/native/metal_calls.h"
#include "metal/native/metal_errors.h"
#include "metal/recording/metal_recording_device.h"

namespace halyard::metal {

namespace {

// On a thread of Metal.
void NoteEnd(NativeCommandBuffer native, Failure* out_failure) noexcept {
  const AutoreleaseScope scope;
  const id<MTLCommandBuffer> commands = Id(native);
  if ([commands status] != MTLCommandBufferStatusError) return;
  *out_failure = Failure(FailCall(HAL_STATUS_ABORTED, "a copy for a file failed", [commands error]));
}

}  // namespace

MetalFileIo::MetalFileIo(MetalRecordingDevice& device) : device_(device), fences_(device.native()) {}

MetalFileIo::~MetalFileIo() {
  const AutoreleaseScope scope;
  for (Piece& piece : pieces_) piece.buffer = {};
  queue_ = {};
}

Status MetalFileIo::Open() {
  if (!queue_) HAL_TRY(NewCommandQueue(device_.native(), 8, &queue_));
  for (Piece& piece : pieces_) {
    if (piece.buffer) continue;
    HAL_TRY(device_.memory().MakeUncounted(MemoryKind::kShared, kPieceSize, &piece.buffer));
    piece.data = static_cast<char*>(Contents(piece.buffer.get()));
  }
  return kOk;
}

Status MetalFileIo::Transfer(bool reads_file, const MetalBuffer& buffer, uint64_t offset, uint64_t length,
                             const FileTransfer& file) {
  if (length == 0) return kOk;
  const AutoreleaseScope scope;
  Failure loss;
  Failure failure(Move(reads_file, {buffer, buffer.offset() + offset, length}, file, &loss));
  if (!loss) return failure.Take();
  device_.LosePermanently(loss.Take());  // without a lock, as a loss calls the application
  return device_.health().Check();
}

Status MetalFileIo::Move(bool reads_file, const Range& range, const FileTransfer& file, Failure* out_loss) {
  const std::lock_guard lock(mutex_);
  HAL_TRY(Open());
  Failure first(reads_file ? Read(range, file) : Write(range, file));
  // The memory and the pieces are to be quiet afterwards, whatever became of the transfer.
  for (Piece& piece : pieces_) {
    Failure ended(AwaitCopy(piece));
    if (!first) first = std::move(ended);
    if (piece.failure) *out_loss = std::exchange(piece.failure, {});
  }
  return first.Take();
}

Status MetalFileIo::Read(const Range& range, const FileTransfer& file) {
  size_t turn = 0;
  for (uint64_t done = 0; done < range.length; done += kPieceSize, turn ^= 1) {
    Piece& piece = pieces_[turn];
    HAL_TRY(AwaitCopy(piece));
    HAL_TRY(file(done, piece.data, std::min(kPieceSize, range.length - done)));
    HAL_TRY(StartCopy(true, range, done, piece));
  }
  return kOk;
}

Status MetalFileIo::Write(const Range& range, const FileTransfer& file) {
  HAL_TRY(StartCopy(false, range, 0, pieces_[0]));
  size_t turn = 0;
  for (uint64_t done = 0; done < range.length; done += kPieceSize, turn ^= 1) {
    if (done + kPieceSize < range.length) HAL_TRY(StartCopy(false, range, done + kPieceSize, pieces_[turn ^ 1]));
    HAL_TRY(AwaitCopy(pieces_[turn]));
    HAL_TRY(file(done, pieces_[turn].data, std::min(kPieceSize, range.length - done)));
  }
  return kOk;
}

Status MetalFileIo::StartCopy(bool to_device, const Range& range, uint64_t done, Piece& piece) {
  const id<MTLCommandBuffer> commands = [Id(queue_.get()) commandBufferWithUnretainedReferences];
  if (!commands) return FailNil("commandBufferWithUnretainedReferences");
  const uint64_t length = std::min(kPieceSize, range.length - done);
  HAL_TRY(EncodeCopy(ToNative<NativeCommandBuffer>(commands), to_device, range, done, length, piece));
  Piece* const used = &piece;
  [commands addCompletedHandler:^(id<MTLCommandBuffer> ended) {
    NoteEnd(ToNative<NativeCommandBuffer>(ended), &used->failure);
    used->copied.Set();
  }];
  piece.copied.Reset();
  piece.in_flight = true;
  device_.memory().residency().Publish();
  [commands commit];
  return kOk;
}

Status MetalFileIo::EncodeCopy(NativeCommandBuffer commands, bool to_device, const Range& range, uint64_t done,
                               uint64_t length, const Piece& piece) {
  const MetalOptions& options = device_.options();
  MetalEncoding encoding(commands, {options.concurrent, !options.residency_set}, fences_, scratch_);
  const NativeBytes memory{range.buffer.native(), range.offset + done, length};
  const NativeBytes bytes{piece.buffer.get(), 0, length};
  MetalTransfers& transfers = device_.transfers();
  const NativeBytes& target = to_device ? memory : bytes;
  const NativeBytes& source = to_device ? bytes : memory;
  HAL_TRY(encoding.BeginPass(transfers.KindOfCopy(target, source.offset, true), {}));
  encoding.UseArgument(range.buffer, to_device);
  HAL_TRY(transfers.Copy(encoding, target, source.buffer, source.offset));
  HAL_TRY(encoding.EndPass(0, false));
  return encoding.FinishManaged();
}

Status MetalFileIo::AwaitCopy(Piece& piece) {
  if (!std::exchange(piece.in_flight, false)) return kOk;
  piece.copied.Wait(Deadline{});
  return piece.failure.Share();
}

}  // namespace halyard::metal
