// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transfers and file operations that touch the wrong bytes. None leaves its buffer: ranges only ever shrink.
#include "mutants/mutations.h"

namespace halyard::mutants {
namespace {

/// Cuts `bytes` off the end of a range.
void CutEnd(hal_buffer_ref_t& ref, uint64_t bytes) {
  if (ref.length != HAL_WHOLE_SIZE && ref.length >= bytes) ref.length -= bytes;
}

/// Cuts `bytes` off the start of a range.
void CutStart(hal_buffer_ref_t& ref, uint64_t bytes) {
  if (ref.length == HAL_WHOLE_SIZE || ref.length < bytes) return;
  ref.offset += bytes;
  ref.length -= bytes;
}

void FillShort(hal_command_t& command) {
  if (command.type == HAL_COMMAND_TYPE_FILL) CutEnd(command.u.fill.target, command.u.fill.pattern_size);
}

void FillLate(hal_command_t& command) {
  if (command.type == HAL_COMMAND_TYPE_FILL) CutStart(command.u.fill.target, command.u.fill.pattern_size);
}

// Two bytes are filled as if they were one, four as if they were two.
void FillHalfThePattern(hal_command_t& command) {
  if (command.type != HAL_COMMAND_TYPE_FILL) return;
  hal_command_fill_t& fill = command.u.fill;
  if (fill.pattern_size == 2) fill.pattern = (fill.pattern & 0xFF) * 0x01010101u;
  if (fill.pattern_size == 4) fill.pattern = (fill.pattern & 0xFFFF) * 0x00010001u;
}

void FillByteSwapped(hal_command_t& command) {
  if (command.type == HAL_COMMAND_TYPE_FILL) command.u.fill.pattern = __builtin_bswap32(command.u.fill.pattern);
}

// As if the hardware could only fill whole words.
void FillWholeWords(hal_command_t& command) {
  if (command.type == HAL_COMMAND_TYPE_FILL) CutEnd(command.u.fill.target, command.u.fill.target.length % 4);
}

void CopyShort(hal_command_t& command) {
  if (command.type != HAL_COMMAND_TYPE_COPY) return;
  CutEnd(command.u.copy.source, 1);
  CutEnd(command.u.copy.target, 1);
}

void CopyShifted(hal_command_t& command) {
  if (command.type != HAL_COMMAND_TYPE_COPY || command.u.copy.target.length == HAL_WHOLE_SIZE) return;
  CutStart(command.u.copy.source, 1);
  CutEnd(command.u.copy.target, 1);
}

// As if the source always began at a multiple of four.
void CopyAligned(hal_command_t& command) {
  if (command.type == HAL_COMMAND_TYPE_COPY) command.u.copy.source.offset &= ~UINT64_C(3);
}

void CopyFromStart(hal_command_t& command) {
  if (command.type == HAL_COMMAND_TYPE_COPY) command.u.copy.source.offset = 0;
}

/// Has a strided copy run with parameters that `change` has changed. The driver copies them before it returns.
template <auto change>
void PlantInStrides(hal_command_t& command) {
  static thread_local hal_strided_copy_params_t changed;
  if (command.type != HAL_COMMAND_TYPE_COPY_STRIDED) return;
  changed = *command.u.copy_strided.params;
  change(changed);
  command.u.copy_strided.params = &changed;
}

void NarrowRows(hal_strided_copy_params_t& copy) { copy.width -= copy.width > 0 ? 1 : 0; }
void LoseRow(hal_strided_copy_params_t& copy) { copy.height -= copy.height > 1 ? 1 : 0; }
void LoseSlice(hal_strided_copy_params_t& copy) { copy.depth -= copy.depth > 1 ? 1 : 0; }
void PackSource(hal_strided_copy_params_t& copy) { copy.source_row_pitch = copy.width; }
void PackSlices(hal_strided_copy_params_t& copy) { copy.target_slice_pitch = copy.height * copy.target_row_pitch; }

void UpdateShort(hal_command_t& command) {
  if (command.type == HAL_COMMAND_TYPE_UPDATE) CutEnd(command.u.update.target, 1);
}

void UpdateAtStart(hal_command_t& command) {
  if (command.type == HAL_COMMAND_TYPE_UPDATE) command.u.update.target.offset = 0;
}

bool IsIo(const hal_queue_operation_t& operation) {
  return operation.type == HAL_QUEUE_OPERATION_TYPE_READ || operation.type == HAL_QUEUE_OPERATION_TYPE_WRITE;
}

void IgnoreFileOffset(hal_queue_operation_t& operation) {
  if (IsIo(operation)) operation.u.io.file_offset = 0;
}

void IgnoreBufferOffsetOfFiles(hal_queue_operation_t& operation) {
  if (IsIo(operation)) operation.u.io.buffer.offset = 0;
}

void TransferFilesShort(hal_queue_operation_t& operation) {
  if (IsIo(operation)) CutEnd(operation.u.io.buffer, 1);
}

void WriteNothing(hal_queue_operation_t& operation) {
  if (operation.type == HAL_QUEUE_OPERATION_TYPE_WRITE) operation.type = HAL_QUEUE_OPERATION_TYPE_BARRIER;
}

// The local driver could do them all.
hal_status_t TakePeerCopies(hal_device_t*, hal_device_t*, hal_command_type_t) { return HAL_STATUS_OK; }

void LosePeerCopy(hal_queue_operation_t& operation) {
  if (operation.type != HAL_QUEUE_OPERATION_TYPE_COMMAND || operation.u.command.type != HAL_COMMAND_TYPE_COPY) return;
  const hal_command_copy_t& copy = operation.u.command.u.copy;
  if (copy.source.buffer->device != copy.target.buffer->device) operation = BarrierLike(operation);
}

// The command becomes a barrier.
void LoseRecordedPeerCopy(hal_command_t& command) {
  if (command.type != HAL_COMMAND_TYPE_COPY) return;
  const hal_buffer_t* const source = command.u.copy.source.buffer;
  const hal_buffer_t* const target = command.u.copy.target.buffer;
  if (source && target && source->device != target->device) command.type = HAL_COMMAND_TYPE_BARRIER;
}

// Recordings of the core's that are cut are submitted in parts, of which each waits for the one before.
void ForgetWaitsOfExecutions(hal_queue_operation_t& operation) {
  if (operation.type == HAL_QUEUE_OPERATION_TYPE_EXECUTE) operation.wait_list = {};
}

constexpr Mutant kTransferMutants[] = {
    {"fill-short", "a fill leaves its last element out", "*FillTest.*", PlantInCommands<FillShort>},
    {"fill-late", "a fill leaves its first element out", "*FillTest.*", PlantInCommands<FillLate>},
    {"fill-half-pattern", "a fill repeats the first half of a pattern of 2 or 4 bytes", "*FillTest.*",
     PlantInCommands<FillHalfThePattern>},
    {"fill-byte-order", "a fill writes the bytes of its pattern backwards", "*FillTest.*",
     PlantInCommands<FillByteSwapped>},
    {"fill-whole-words", "a fill leaves out what is left after whole words", "*FillTest.*",
     PlantInCommands<FillWholeWords>},
    {"copy-short", "a copy leaves its last byte out", "*CopyTest.*", PlantInCommands<CopyShort>},
    {"copy-shifted", "a copy reads one byte further on", "*CopyTest.*", PlantInCommands<CopyShifted>},
    {"copy-aligned", "a copy takes its source from a multiple of 4", "*CopyTest.*", PlantInCommands<CopyAligned>},
    {"copy-offset-ignored", "a copy takes its source from the buffer's start", "*CopyTest.*",
     PlantInCommands<CopyFromStart>},
    {"strided-narrow", "a strided copy leaves the last byte of each row out", "*StridedCopyTest.*",
     PlantInCommands<PlantInStrides<NarrowRows>>},
    {"strided-rows", "a strided copy leaves the last row of each slice out", "*StridedCopyTest.*",
     PlantInCommands<PlantInStrides<LoseRow>>},
    {"strided-slices", "a strided copy leaves the last slice out", "*StridedCopyTest.*",
     PlantInCommands<PlantInStrides<LoseSlice>>},
    {"strided-source-packed", "a strided copy reads its rows without gaps", "*StridedCopyTest.*",
     PlantInCommands<PlantInStrides<PackSource>>},
    {"strided-slices-packed", "a strided copy writes its slices without gaps", "*StridedCopyTest.*",
     PlantInCommands<PlantInStrides<PackSlices>>},
    {"peer-copy-lost", "a driver that takes copies between its devices only signals", "*PeerCopyTest.*Twin*",
     [](Tables& tables) {
       tables.device.check_peer_copy = TakePeerCopies;
       tables.device.submit = SubmitMutated<LosePeerCopy>;
     }},
    {"peer-recording-lost", "a driver that records copies between its devices does not do them",
     "*PeerCopyRecordingTest.*Twin*",
     [](Tables& tables) {
       tables.device.check_peer_copy = TakePeerCopies;
       PlantInCommands<LoseRecordedPeerCopy>(tables);
     }},
    {"peer-recording-unordered", "an execution does not wait", "*PeerCopyRecordingTest.*",
     [](Tables& tables) { tables.device.submit = SubmitMutated<ForgetWaitsOfExecutions>; }},
    {"update-short", "an update leaves its last byte out", "*UpdateTest.*", PlantInCommands<UpdateShort>},
    {"update-offset-ignored", "an update writes to the buffer's start", "*UpdateTest.*",
     PlantInCommands<UpdateAtStart>},
    {"file-offset-ignored", "reads and writes begin at the file's start", "*FileRangeTest.*",
     [](Tables& tables) { tables.device.submit = SubmitMutated<IgnoreFileOffset>; }},
    {"file-buffer-offset-ignored", "reads and writes begin at the buffer's start", "*FileRangeTest.*",
     [](Tables& tables) { tables.device.submit = SubmitMutated<IgnoreBufferOffsetOfFiles>; }},
    {"file-short", "reads and writes leave the last byte out", "*FileRangeTest.*",
     [](Tables& tables) { tables.device.submit = SubmitMutated<TransferFilesShort>; }},
    {"file-write-lost", "writes do not reach the file", "*File*",
     [](Tables& tables) { tables.device.submit = SubmitMutated<WriteNothing>; }},
};

}  // namespace

std::span<const Mutant> TransferMutants() { return kTransferMutants; }

}  // namespace halyard::mutants
