// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/peer/peer_copy.h"

#include <algorithm>
#include <cstddef>

#include "base/thread_local.h"
#include "core/file/host_bytes.h"
#include "core/peer/peer_pipe.h"
#include "core/peer/peer_routes.h"
#include "core/validation/checks.h"
#include "driver_kit/queue/command.h"

namespace halyard {
namespace {

/// Pieces large enough that their cost is that of their bytes, and so many of them that both devices are busy.
constexpr uint64_t kSmallestPiece = uint64_t{256} << 10;
constexpr uint64_t kUsualPieces = 8;

bool IsStrided(const hal_command_t& command) { return command.type == HAL_COMMAND_TYPE_COPY_STRIDED; }

const hal_buffer_ref_t& SourceOf(const hal_command_t& command) {
  return IsStrided(command) ? command.u.copy_strided.params->source : command.u.copy.source;
}

const hal_buffer_ref_t& TargetOf(const hal_command_t& command) {
  return IsStrided(command) ? command.u.copy_strided.params->target : command.u.copy.target;
}

CopyBox WholeBox(const hal_command_t& command) {
  if (IsStrided(command)) return BoxOf(*command.u.copy_strided.params);
  return {command.u.copy.source.length, 1, 1, {}, {}};
}

/// The bytes of a buffer as a file.
Status OpenHostMemory(const hal_buffer_ref_t& ref, hal_map_access_t access, Ref<hal_file_t>* out) {
  void* data = nullptr;
  HAL_TRY(VtableOf(ref.buffer)->map(ref.buffer, access, ref.offset, ref.length, &data));
  const Status status = Guard([&]() -> Status {
    *out = TakeHostBytes(data, ref.length, Ref<hal_buffer_t>::Retaining(ref.buffer));
    return kOk;
  });
  if (status != kOk) FromC(VtableOf(ref.buffer)->unmap(ref.buffer)).Ignore();
  return status;
}

/// While it exists, this thread does not do what the application asked it for, but has come upon other work. Unlike
/// ApplicationScope it puts nothing off, and the vendor is called.
class ApartScope {
 public:
  ApartScope() noexcept { ++t_thread.application_depth; }
  ~ApartScope() { --t_thread.application_depth; }
  ApartScope(const ApartScope&) = delete;
  ApartScope& operator=(const ApartScope&) = delete;
};

/// The one transfer that a copy is if one side is on the host: the other side's device reads from the host, or writes
/// to it.
struct HostTransfer {
  hal_queue_operation_type_t type;
  hal_buffer_ref_t host;
  hal_buffer_ref_t device;

  /// False if the host cannot reach the memory after all.
  bool Open(Ref<hal_file_t>* out_file, hal_queue_operation_t* operation) const {
    const bool reads = type == HAL_QUEUE_OPERATION_TYPE_READ;
    if (!IsOnHost(*host.buffer)) return false;
    if (!Succeeds(OpenHostMemory(host, reads ? HAL_MAP_ACCESS_READ : HAL_MAP_ACCESS_WRITE, out_file))) return false;
    operation->type = type;
    operation->u.io = {out_file->get(), 0, device};
    return true;
  }
};

/// The address of a range of which the host can move the bytes itself; 0 for any other.
uintptr_t HostAddress(const hal_buffer_ref_t& ref) {
  void* data = nullptr;
  if (!IsOnHost(*ref.buffer)) return 0;
  if (!Succeeds(FromC(VtableOf(ref.buffer)->map(ref.buffer, HAL_MAP_ACCESS_READ, ref.offset, ref.length, &data))))
    return 0;
  FromC(VtableOf(ref.buffer)->unmap(ref.buffer)).Ignore();
  return reinterpret_cast<uintptr_t>(data);
}

HostTransfer ReadFromHost(const hal_buffer_ref_t& source, const hal_buffer_ref_t& target) {
  return {HAL_QUEUE_OPERATION_TYPE_READ, source, target};
}
HostTransfer WriteToHost(const hal_buffer_ref_t& source, const hal_buffer_ref_t& target) {
  return {HAL_QUEUE_OPERATION_TYPE_WRITE, target, source};
}

}  // namespace

hal_queue_mask_t QueuesFor(const hal_buffer_t& buffer) { return buffer.queues & ExistingQueues(buffer.device); }

Status SubmitApart(hal_device_t* device, const hal_queue_operation_t& operation) {
  const auto kept = Ref<hal_device_t>::Retaining(device);  // the operation may end before its submission returns
  const ApartScope apart;
  return FromC(VtableOf(device)->submit(device, &operation));
}

Status CheckApart(const hal_command_t& copy) { return CheckApart(SourceOf(copy), TargetOf(copy)); }

Status CheckApart(const hal_buffer_ref_t& source, const hal_buffer_ref_t& target) {
  if (!source.buffer || !target.buffer || source.buffer->device == target.buffer->device) return kOk;
  const uintptr_t from = HostAddress(source);
  const uintptr_t to = from != 0 ? HostAddress(target) : 0;
  const bool apart = from <= to ? to - from >= source.length : from - to >= target.length;
  if (to == 0 || apart) return kOk;
  return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                  "source and target overlap: both buffers are the same memory of the host in part");
}

PeerCopy::PeerCopy(const hal_command_t& command)
    : source_(Ref<hal_buffer_t>::Retaining(SourceOf(command).buffer)),
      target_(Ref<hal_buffer_t>::Retaining(TargetOf(command).buffer)),
      source_offset_(SourceOf(command).offset),
      target_offset_(TargetOf(command).offset),
      box_(WholeBox(command)) {}

hal_buffer_ref_t PeerCopy::Source(uint64_t offset, uint64_t length) const {
  return hal_buffer_ref(source_.get(), source_offset_ + offset, length);
}

hal_buffer_ref_t PeerCopy::Target(uint64_t offset, uint64_t length) const {
  return hal_buffer_ref(target_.get(), target_offset_ + offset, length);
}

Status PeerCopy::Signal(uint64_t value) {
  if (value == kBegin) {
    Confirm();
  } else {
    DrainScope::Defer(this);
  }
  return kOk;
}

Status PeerCopy::FailFrom(hal_status_t status, hal_string_view_t message) {
  if (!moves_) return FailTimeline(status, message);  // it does not begin
  Fail(Failure(FailWith(status, View(message))));
  DrainScope::Defer(this);
  return kOk;
}

// With a reference for what moves the bytes, until Finish().
void PeerCopy::Run() noexcept {
  if (moves_) return Finish();
  const Status status = Guard([this]() -> Status {
    bool moved = false;
    if (box_.is_row()) HAL_TRY(MoveThroughHost(&moved));
    if (moved) return kOk;
    const uint64_t usual = box_.bytes() / kUsualPieces;
    pieces = CopyPieces(box_, std::clamp(usual, kSmallestPiece, PeerPipe::kSlotSize), UINT64_MAX);
    return PeerPipe::Start(*this);
  });
  if (status == kOk) return;
  Fail(Failure(status));
  Finish();
}

// Once the operation is submitted the copy may end at any time.
Status PeerCopy::MoveThroughHost(bool* out_moved) {
  const hal_buffer_ref_t from = Source(0, box_.width);
  const hal_buffer_ref_t to = Target(0, box_.width);
  const hal_timeline_point_t end = {this, kMoved};
  hal_queue_operation_t operation{};
  operation.struct_size = offsetof(hal_queue_operation_t, label);
  operation.signal_list = hal_semaphore_list(&end, 1);
  if (!ReadFromHost(from, to).Open(&file_, &operation) && !WriteToHost(from, to).Open(&file_, &operation)) return kOk;
  hal_buffer_t& buffer = *operation.u.io.buffer.buffer;
  operation.queues = QueuesFor(buffer);
  const auto self = Ref<hal_semaphore_t>::Retaining(this);
  moves_ = true;
  HAL_TRY(SubmitApart(buffer.device, operation));
  *out_moved = true;
  return kOk;
}

void PeerCopy::Finish() noexcept {
  const DrainScope scope;
  source_ = {};  // before the signals: a thread that sees them can rely on it
  target_ = {};
  file_ = {};
  EndTimeline(failure_);
  Release(static_cast<hal_semaphore_t*>(this));
}

Status PeerCopySubmission::Begin(hal_device_t* device, hal_queue_operation_t* operation) {
  const hal_command_t command = operation->u.command;
  const hal_buffer_ref_t source = SourceOf(command);
  const hal_buffer_ref_t target = TargetOf(command);
  if (WholeBox(command).empty()) {
    operation->type = HAL_QUEUE_OPERATION_TYPE_BARRIER;
    return kOk;
  }
  if (!IsStrided(command)) {
    const bool to_device = target.buffer->device == device;
    const HostTransfer transfer = to_device ? ReadFromHost(source, target) : WriteToHost(source, target);
    if (transfer.Open(&host_memory_, operation)) return kOk;
  }
  return barriers_.Begin(device, PeerCopy::Make(command), operation);
}

}  // namespace halyard
