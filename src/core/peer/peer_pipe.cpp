// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/peer/peer_pipe.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <utility>

#include "base/process_wide.h"
#include "core/file/host_bytes.h"
#include "core/validation/checks.h"

namespace halyard {
namespace {

/// Page sizes and what Vulkan's devices ask of imported memory are no larger.
constexpr size_t kMemoryAlignment = size_t{64} << 10;

constexpr hal_string_view_t kLabel = {"staged copy", 11};

hal_buffer_params_t StagingParams(hal_memory_type_t type) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.memory_type = type;
  params.usage = HAL_BUFFER_USAGE_TRANSFER_SOURCE | HAL_BUFFER_USAGE_TRANSFER_TARGET;
  return params;
}

/// All pipes, each found by its two devices.
class PeerPipes : public HostObject {
 public:
  PeerPipes() { SetDeviceEnding(OnDeviceEnding); }

  /// The caller keeps both devices.
  Status Find(hal_device_t* source, hal_device_t* target, PeerPipe** out) {
    *out = Look(source, target);
    if (*out) return kOk;
    auto made = std::make_unique<Kept>();  // without the lock: its device may be lost, which ends other copies
    HAL_TRY(made->pipe.Open(source, target));
    const std::lock_guard lock(mutex_);
    *out = LookLocked(source, target);  // another thread may have been as far
    if (*out) return kOk;
    *out = &made->pipe;
    pipes_.push_back(std::move(made));
    return kOk;
  }

 private:
  struct Kept : HostObject {
    PeerPipe pipe;
    bool ending = false;
  };

  PeerPipe* Look(hal_device_t* source, hal_device_t* target) {
    const std::lock_guard lock(mutex_);
    return LookLocked(source, target);
  }
  PeerPipe* LookLocked(hal_device_t* source, hal_device_t* target) {
    const auto found =
        std::ranges::find_if(pipes_, [&](const auto& kept) { return kept->pipe.Connects(source, target); });
    return found == pipes_.end() ? nullptr : &(*found)->pipe;
  }

  static void OnDeviceEnding(hal_device_t* device) noexcept {
    auto* const all = ProcessWide<PeerPipes>::Find();
    while (all && all->EndOne(device)) {
    }
  }

  // Drivers' memory is freed without the lock, as that may end other devices. The other device of the pipe is kept
  // meanwhile. If it ends already, on another thread, it waits there until the pipe is gone.
  bool EndOne(hal_device_t* device) noexcept {
    const auto uses = [device](const auto& kept) { return kept->pipe.Uses(device); };
    Ref<hal_device_t> other;
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] {
      return std::ranges::none_of(pipes_, [&](const auto& kept) { return kept->ending && uses(kept); });
    });
    const auto found = std::ranges::find_if(pipes_, uses);
    if (found == pipes_.end()) return false;
    Kept* const last = found->get();
    last->ending = true;
    other = TryRetain(last->pipe.OtherThan(device));
    lock.unlock();
    last->pipe.Close();
    lock.lock();
    std::erase_if(pipes_, [last](const auto& kept) { return kept.get() == last; });
    lock.unlock();
    ended_.notify_all();
    return true;
  }

  static Ref<hal_device_t> TryRetain(hal_device_t* device) noexcept {
    const std::atomic_ref count(device->object.ref_count);
    uint32_t value = count.load(std::memory_order_relaxed);
    while (value != 0) {
      if (count.compare_exchange_weak(value, value + 1, std::memory_order_relaxed))
        return Ref<hal_device_t>::Adopting(device);
    }
    return {};
  }

  std::mutex mutex_;               // protects pipes_; a leaf
  std::condition_variable ended_;  // a pipe that was ending
  HostVector<std::unique_ptr<Kept>> pipes_;
};

}  // namespace

void StagingMemory::Close() noexcept {
  if (hal_buffer_t* const buffer = std::exchange(buffer_, nullptr)) VtableOf(buffer)->destroy(&buffer->object);
}

Status StagingMemory::Open(hal_device_t* device, void* memory, uint64_t length) {
  device_ = device;
  if (Succeeds(Guard([&] { return Import(memory, length); }))) return kOk;
  return Allocate(length);
}

Status StagingMemory::Import(void* memory, uint64_t length) {
  hal_external_memory_t external = HAL_INIT(hal_external_memory_t);
  external.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  external.handle = reinterpret_cast<uintptr_t>(memory);
  external.length = length;
  hal_allocator_t* const allocator = device_->allocator;
  const hal_buffer_params_t params = StagingParams(0);
  HAL_TRY(VtableOf(allocator)->import(allocator, &params, &external, nullptr, nullptr, &buffer_));
  imported_ = true;
  SetBufferHead(device_, params, length, buffer_);
  return kOk;
}

Status StagingMemory::Allocate(uint64_t length) {
  hal_allocator_t* const allocator = device_->allocator;
  const hal_buffer_params_t params = StagingParams(HAL_MEMORY_TYPE_HOST_VISIBLE);
  HAL_TRY(VtableOf(allocator)->allocate(allocator, &params, length, &buffer_));
  SetBufferHead(device_, params, length, buffer_);
  return kOk;
}

// It is in the signal lists of operations and nowhere else, so nothing waits for it.
PeerPipe::Slot::Slot() : hal_semaphore_t{} {
  static constexpr hal_semaphore_vtable_t kTable = [] {
    hal_semaphore_vtable_t table{};
    table.struct_size = sizeof(table);
    table.destroy = [](hal_object_t*) {};  // a part of its pipe
    table.signal = Entry<&Slot::Signal>::Of<hal_semaphore_t>;
    table.fail = Entry<&Slot::Fail>::Of<hal_semaphore_t>;
    return table;
  }();
  hal_object_initialize(&object, HAL_OBJECT_KIND_SEMAPHORE, &kTable);
}

// What ended the operation lets go of the semaphore before the slot runs.
Status PeerPipe::Slot::Signal(uint64_t) {
  DrainScope::Defer(this);
  return kOk;
}

Status PeerPipe::Slot::Fail(hal_status_t status, hal_string_view_t message) {
  failure = Failure(FailWith(status, View(message)));
  DrainScope::Defer(this);
  return kOk;
}

// Moves the slot on. The operation may end before its submission returns, so that another thread moves the slot on. And
// with the last copy the pipe may end.
void PeerPipe::Slot::Run() noexcept {
  for (;;) {
    PeerCopy* ended = nullptr;
    const bool goes_on = pipe->Advance(*this, &ended);
    if (ended) ended->Finish();
    if (!goes_on) return;
    const Status status = Guard([this] { return pipe->Submit(*this); });
    if (status == kOk) return;
    failure = Failure(status);
  }
}

PeerPipe::~PeerPipe() { Close(); }

void PeerPipe::Close() noexcept {
  source_.Close();
  target_.Close();
  if (void* const memory = std::exchange(memory_, nullptr)) HostFree(memory, kLength, kMemoryAlignment);
}

Status PeerPipe::Open(hal_device_t* source, hal_device_t* target) {
  memory_ = HostAllocate(kLength, kMemoryAlignment);
  HAL_TRY(source_.Open(source, memory_, kLength));
  HAL_TRY(target_.Open(target, memory_, kLength));
  for (Slot& slot : slots_) {
    slot.pipe = this;
    slot.offset = idle_count_ * kSlotSize;
    idle_[idle_count_++] = &slot;
  }
  return kOk;
}

Status PeerPipe::Start(PeerCopy& copy) {
  // The copy may end before all slots have been looked at.
  const auto source = Ref<hal_device_t>::Retaining(copy.source_device());
  const auto target = Ref<hal_device_t>::Retaining(copy.target_device());
  PeerPipe* pipe = nullptr;
  HAL_TRY(ProcessWide<PeerPipes>::Get().Find(source.get(), target.get(), &pipe));
  pipe->Enqueue(copy);
  while (Slot* const slot = pipe->TakeIdle()) slot->Run();
  return kOk;
}

void PeerPipe::Enqueue(PeerCopy& copy) noexcept {
  const std::lock_guard lock(mutex_);
  copies_.Push(&copy);
}

PeerPipe::Slot* PeerPipe::TakeIdle() noexcept {
  const std::lock_guard lock(mutex_);
  return copies_.empty() || idle_count_ == 0 ? nullptr : idle_[--idle_count_];
}

/// False if the slot is idle now. `*out_ended` gets the copy whose last piece has ended, or NULL.
bool PeerPipe::Advance(Slot& slot, PeerCopy** out_ended) noexcept {
  if (slot.copy && !slot.failure) slot.step = StepAfter(slot.step);
  if (slot.copy && !slot.failure && slot.step != Step::kEnd) return true;
  const std::lock_guard lock(mutex_);
  if (slot.copy) *out_ended = EndPiece(slot);
  return TakePiece(slot);
}

PeerCopy* PeerPipe::EndPiece(Slot& slot) noexcept {
  PeerCopy& copy = *std::exchange(slot.copy, nullptr);
  if (slot.failure && !copy.failed()) {
    copy.Fail(slot.failure);
    // Of a copy that is not the first all pieces are under way.
    if (!copy.pieces.finished()) copies_.Pop();
    copy.pieces = {};
  }
  slot.failure = {};
  return --copy.pieces_under_way == 0 && copy.pieces.finished() ? &copy : nullptr;
}

bool PeerPipe::TakePiece(Slot& slot) noexcept {
  if (copies_.empty()) {
    idle_[idle_count_++] = &slot;
    return false;
  }
  auto& copy = static_cast<PeerCopy&>(*copies_.head());
  slot.copy = &copy;
  slot.piece = copy.pieces.Next();
  slot.step = Step::kFill;
  ++copy.pieces_under_way;
  if (copy.pieces.finished()) copies_.Pop();
  return true;
}

PeerPipe::Step PeerPipe::StepAfter(Step step) const {
  switch (step) {
    case Step::kFill:
      return source_.imported() ? StepAfter(Step::kStore) : Step::kStore;
    case Step::kStore:
      return target_.imported() ? Step::kEmpty : Step::kLoad;
    case Step::kLoad:
      return Step::kEmpty;
    default:
      return Step::kEnd;
  }
}

Status PeerPipe::Submit(Slot& slot) const {
  switch (slot.step) {
    case Step::kStore:
      return SubmitFile(slot, true);
    case Step::kLoad:
      return SubmitFile(slot, false);
    default:
      return SubmitCopy(slot, slot.step == Step::kFill);
  }
}

namespace {

Status SubmitStep(hal_device_t* device, hal_semaphore_t* slot, hal_queue_operation_t* operation) {
  const hal_timeline_point_t end = {slot, 1};
  operation->struct_size = sizeof(*operation);
  operation->signal_list = hal_semaphore_list(&end, 1);
  operation->label = kLabel;
  return SubmitApart(device, *operation);
}

/// Bytes from the first to the last.
uint64_t ExtentOf(const CopyBox& box, const CopyPitch& pitch) {
  return (box.depth - 1) * pitch.slice + (box.height - 1) * pitch.row + box.width;
}

}  // namespace

// The rows of a piece lie in the slot without gaps.
Status PeerPipe::SubmitCopy(Slot& slot, bool fills) const {
  const CopyPiece& piece = slot.piece;
  const CopyBox& box = piece.box;
  const StagingMemory& staging = fills ? source_ : target_;
  const CopyPitch packed = {box.width, box.width * box.height};
  const CopyPitch& pitch = fills ? box.source : box.target;
  const hal_buffer_ref_t outside = fills ? slot.copy->Source(piece.source, ExtentOf(box, pitch))
                                         : slot.copy->Target(piece.target, ExtentOf(box, pitch));
  const hal_buffer_ref_t inside = staging.Range(slot.offset, box.bytes());
  hal_strided_copy_params_t params = HAL_STRIDED_COPY_PARAMS_INIT;
  hal_queue_operation_t operation{};
  operation.type = HAL_QUEUE_OPERATION_TYPE_COMMAND;
  operation.queues = QueuesFor(*outside.buffer);
  hal_command_t& command = operation.u.command;
  if (box.is_row()) {
    command.type = HAL_COMMAND_TYPE_COPY;
    command.u.copy = fills ? hal_command_copy_t{outside, inside} : hal_command_copy_t{inside, outside};
    return SubmitStep(staging.device(), &slot, &operation);
  }
  const CopyPitch& from = fills ? pitch : packed;
  const CopyPitch& to = fills ? packed : pitch;
  params.source = fills ? outside : inside;
  params.target = fills ? inside : outside;
  params.width = box.width;
  params.height = box.height;
  params.depth = box.depth;
  params.source_row_pitch = from.row;
  params.source_slice_pitch = from.slice;
  params.target_row_pitch = to.row;
  params.target_slice_pitch = to.slice;
  command.type = HAL_COMMAND_TYPE_COPY_STRIDED;
  command.u.copy_strided = {&params};
  return SubmitStep(staging.device(), &slot, &operation);
}

Status PeerPipe::SubmitFile(Slot& slot, bool stores) const {
  const StagingMemory& staging = stores ? source_ : target_;
  const uint64_t length = slot.piece.box.bytes();
  const Ref<hal_file_t> file = TakeHostBytes(static_cast<char*>(memory_) + slot.offset, length);
  hal_queue_operation_t operation{};
  operation.type = stores ? HAL_QUEUE_OPERATION_TYPE_WRITE : HAL_QUEUE_OPERATION_TYPE_READ;
  operation.queues = ExistingQueues(staging.device());
  operation.u.io = {file.get(), 0, staging.Range(slot.offset, length)};
  return SubmitStep(staging.device(), &slot, &operation);
}

}  // namespace halyard
