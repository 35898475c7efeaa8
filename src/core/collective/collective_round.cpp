// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/collective/collective_round.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "base/streaming_copy.h"
#include "core/collective/channel_group.h"
#include "core/collective/collective_part.h"
#include "core/file/host_bytes.h"
#include "core/peer/peer_copy.h"
#include "core/peer/peer_pipe.h"
#include "core/peer/peer_routes.h"
#include "core/validation/checks.h"
#include "driver_kit/object/vtable.h"

namespace halyard {
namespace {

constexpr hal_string_view_t kLabel = {"staged collective", 17};
constexpr size_t kStagingAlignment = size_t{64} << 10;

/// Where the host can use a range itself; NULL if it cannot.
std::byte* MapOnHost(const hal_buffer_ref_t& ref, hal_map_access_t access) {
  void* data = nullptr;
  if (!IsOnHost(*ref.buffer)) return nullptr;
  const auto map = [&] { return FromC(VtableOf(ref.buffer)->map(ref.buffer, access, ref.offset, ref.length, &data)); };
  return Succeeds(map()) ? static_cast<std::byte*>(data) : nullptr;
}

void Unmap(hal_buffer_t* buffer) noexcept { FromC(VtableOf(buffer)->unmap(buffer)).Ignore(); }

}  // namespace

// --- slots -----------------------------------------------------------------------------------------------------------

// It is in the signal lists of operations and nowhere else, so nothing waits for it.
CollectiveRound::Slot::Slot() : hal_semaphore_t{} {
  static constexpr hal_semaphore_vtable_t kTable = [] {
    hal_semaphore_vtable_t table{};
    table.struct_size = sizeof(table);
    table.destroy = [](hal_object_t*) {};  // a part of its round
    table.signal = Entry<&Slot::Signal>::Of<hal_semaphore_t>;
    table.fail = Entry<&Slot::Fail>::Of<hal_semaphore_t>;
    return table;
  }();
  hal_object_initialize(&object, HAL_OBJECT_KIND_SEMAPHORE, &kTable);
}

Status CollectiveRound::Slot::Signal(uint64_t /*value*/) {
  CountDown();
  return kOk;
}

Status CollectiveRound::Slot::Fail(hal_status_t status, hal_string_view_t message) {
  Failure failure(FailWith(status, View(message)));
  // The engine's other ranks may wait for this one: without it they are to end.
  if (step == Step::kLent) round->group_->EndAll(failure);
  round->FailFrom(failure.Take());
  CountDown();
  return kOk;
}

// What ended the operation lets go of the semaphore before the slot runs.
void CollectiveRound::Slot::CountDown() noexcept {
  if (pending.fetch_sub(1, std::memory_order_acq_rel) == 1) DrainScope::Defer(this);
}

// --- from the first part to the start --------------------------------------------------------------------------------

CollectiveRound::~CollectiveRound() { FreeStaging(); }

void CollectiveRound::Reset(size_t part_count) {
  match.parts.assign(part_count, nullptr);
  match.joined = match.ready = 0;
  match.deadline = {};
  match.is_running = false;
  stops_.store(false, std::memory_order_relaxed);
}

void CollectiveRound::EndParts(const Failure& failure) noexcept {
  for (CollectivePart*& part : match.parts) {
    if (!part) continue;
    part->End(failure);
    Release(static_cast<hal_semaphore_t*>(std::exchange(part, nullptr)));
  }
}

const CollectiveRequest& CollectiveRound::RequestOf(uint32_t part) const { return match.parts[part]->request(); }

// On whichever thread found the last part ready: it may be in the middle of a call of the application's.
void CollectiveRound::Start(std::shared_ptr<ChannelGroup> group) noexcept {
  group_ = std::move(group);
  DrainScope::Defer(this);
}

void CollectiveRound::Run() noexcept {
  slots_at_work_.store(1, std::memory_order_relaxed);  // this thread, until all are launched
  bool lent = false;
  Status status = Guard([&] { return LendToEngine(&lent); });
  if (status == kOk && !lent) {
    status = Guard([this] { return Prepare(); });
    if (status == kOk) Launch();
  }
  if (status != kOk) FailFrom(status);
  EndSlot();
}

/// Gives the operation to the channel's engine, whose signals move a slot on. The host does what the engine lacks.
Status CollectiveRound::LendToEngine(bool* out_lent) {
  hal_channel_engine_t* const engine = group_->engine();
  if (!engine || match.what.length == 0) return kOk;
  memory_.clear();
  if (slots_.empty()) slots_.push_back(std::make_unique<Slot>());
  Slot& slot = *slots_[0];
  slot.round = this;
  slot.step = Step::kLent;
  const auto part_count = static_cast<uint32_t>(match.parts.size());
  lent_.clear();
  for (uint32_t part = 0; part < part_count; ++part) {
    const CollectiveRequest& request = RequestOf(part);
    lent_.push_back({match.parts[part]->rank(), request.send_to, request.receive_from, 0, request.scale, request.source,
                     request.target, hal_timeline_point_t{&slot, 1}});
  }
  const Collective& what = match.what;
  const hal_collective_kind_t kind = what.kind->is_between_two() ? HAL_COLLECTIVE_SEND : what.kind->kind;
  const hal_engine_operation_t operation = {sizeof(operation), kind,       what.reduction,
                                            what.element_type, what.root,  what.count,
                                            what.length,       part_count, lent_.data()};
  slot.pending.store(part_count + 1, std::memory_order_relaxed);
  slots_at_work_.fetch_add(1, std::memory_order_relaxed);
  if (Status status = FromC(engine->run(engine, &operation)); status != kOk) {
    slots_at_work_.fetch_sub(1, std::memory_order_relaxed);  // never the last
    if (status.code() != HAL_STATUS_UNIMPLEMENTED) return status;
    status.Ignore();
    return kOk;
  }
  *out_lent = true;
  ChannelGroup::WatchEngine();
  if (!EndSubmission(slot)) EndSlot();
  return kOk;
}

Status CollectiveRound::Prepare() {
  const Collective& what = match.what;
  const auto part_count = static_cast<uint32_t>(match.parts.size());
  next_piece_.store(0, std::memory_order_relaxed);
  memory_.assign(part_count, {});
  scales_.clear();
  piece_count_ = 0;
  if (what.length == 0) return kOk;
  MapMemory();
  reduce_ = what.kind->reduces ? FindReduction(what.element_type, what.reduction) : nullptr;
  if (what.reduction == HAL_REDUCTION_SCALED_SUM) {
    for (uint32_t part = 0; part < part_count; ++part) scales_.push_back(RequestOf(part).scale);
  }
  const uint64_t staged = std::max(kLeastStagedPiece, std::bit_floor(kMostStaging / (part_count + 1)));
  piece_ = any_staged_ ? std::min(kPiece, staged) : kPiece;
  pieces_of_transfer_ = (what.length - 1) / piece_ + 1;
  const uint64_t transfers = CountTransfers(what, part_count);
  piece_count_ = transfers * pieces_of_transfer_;
  streams_ = what.length * transfers >= kStreamedFrom;
  return PrepareSlots();
}

void CollectiveRound::MapMemory() {
  any_staged_ = false;
  for (uint32_t part = 0; part < match.parts.size(); ++part) {
    const CollectiveRequest& request = RequestOf(part);
    PartMemory& memory = memory_[part];
    if (request.source.buffer) memory.source = MapOnHost(request.source, HAL_MAP_ACCESS_READ);
    if (request.target.buffer) memory.target = MapOnHost(request.target, HAL_MAP_ACCESS_READ | HAL_MAP_ACCESS_WRITE);
    memory.source_is_mapped = memory.source != nullptr;
    memory.target_is_mapped = memory.target != nullptr;
    any_staged_ |= request.source.buffer && !memory.source;
    any_staged_ |= request.target.buffer && !memory.target;
  }
}

void CollectiveRound::UnmapMemory() noexcept {
  for (uint32_t part = 0; part < memory_.size(); ++part) {
    if (memory_[part].source_is_mapped) Unmap(RequestOf(part).source.buffer);
    if (memory_[part].target_is_mapped) Unmap(RequestOf(part).target.buffer);
  }
  memory_.clear();
}

/// Bytes. With staging, each input and the result of a reduction have a piece. Otherwise what is exchanged in place has
/// a block.
size_t CollectiveRound::ScratchOfSlot() noexcept {
  const Collective& what = match.what;
  const bool exchanges = what.kind->kind == HAL_COLLECTIVE_ALL_TO_ALL || what.kind->kind == HAL_COLLECTIVE_PERMUTE;
  const auto in_place = [](const PartMemory& memory) { return memory.source && memory.source == memory.target; };
  scratch_ = 0;
  if (any_staged_) {
    scratch_ = piece_;
  } else if (exchanges && std::ranges::any_of(memory_, in_place)) {
    scratch_ = kExchangeBlock;
  }
  return scratch_ * (std::max<size_t>(match.parts.size(), 2) + 1);
}

Status CollectiveRound::PrepareSlots() {
  const size_t part_count = match.parts.size();
  const size_t most = any_staged_ ? kStagedSlots : std::max<size_t>(group_->worker_threads(), 1);
  slot_count_ = static_cast<size_t>(std::min<uint64_t>(piece_count_, most));
  while (slots_.size() < slot_count_) slots_.push_back(std::make_unique<Slot>());
  const size_t slot_memory = ScratchOfSlot();
  if (staging_size_ < slot_memory * slot_count_) {
    FreeStaging();
    staging_ = static_cast<std::byte*>(HostAllocate(slot_memory * slot_count_, kStagingAlignment));
    staging_size_ = slot_memory * slot_count_;
  }
  HostVector<hal_device_t*> workers;
  for (const CollectivePart* part : match.parts) {
    if (group_->is_worker(part->rank())) workers.push_back(part->device());
  }
  for (size_t i = 0; i < slot_count_; ++i) {
    Slot& slot = *slots_[i];
    slot.round = this;
    slot.worker = workers.empty() ? match.parts[i % part_count]->device() : workers[i % workers.size()];
    slot.memory = staging_ + i * slot_memory;
    slot.step = Step::kTake;
    slot.transfer_number = UINT64_MAX;
    slot.transfer.inputs.reserve(part_count);
    slot.transfer.outputs.reserve(part_count);
    slot.inputs.reserve(part_count);
    slot.outputs.reserve(part_count);
  }
  return kOk;
}

void CollectiveRound::FreeStaging() noexcept {
  if (staging_) HostFree(staging_, staging_size_, kStagingAlignment);
  staging_ = nullptr;
  staging_size_ = 0;
}

// So few bytes of the host's are moved before another thread would have begun.
void CollectiveRound::Launch() noexcept {
  if (piece_count_ == 0) return;
  const bool is_little = !any_staged_ && match.what.length * piece_count_ <= kMostInline;
  const size_t count = is_little ? 1 : slot_count_;
  slots_at_work_.fetch_add(count, std::memory_order_relaxed);
  for (size_t i = 0; i < count; ++i) Advance(*slots_[i], is_little);
}

// --- the way of a piece ----------------------------------------------------------------------------------------------

/// Moves a slot on, until another thread has to. `is_worker` says whether this one may work for long.
void CollectiveRound::Advance(Slot& slot, bool is_worker) noexcept {
  for (;;) {
    switch (slot.step) {
      case Step::kTake:
        if (stops_.load(std::memory_order_relaxed)) return EndSlot();
        if (!any_staged_ && !is_worker) {
          slot.step = Step::kFill;  // there is nothing to fill, so that the worker takes the piece
          slot.length = 0;
          break;
        }
        if (!TakePiece(slot)) return EndSlot();
        slot.step = Step::kFill;
        if (SubmitFills(slot)) return;
        break;
      case Step::kFill:
        if (!is_worker && NeedsWorker(slot)) {
          const Status status = Guard([&] { return SubmitWork(slot); });
          if (status == kOk) return;
          FailFrom(status);
        }
        slot.step = Step::kWork;
        break;
      case Step::kWork:
        if (slot.length > 0 && !stops_.load(std::memory_order_relaxed)) Work(slot);
        slot.step = Step::kEmpty;
        if (SubmitEmpties(slot)) return;
        break;
      case Step::kEmpty:
        slot.step = Step::kTake;
        break;
      case Step::kLent:
        return EndSlot();
    }
  }
}

bool CollectiveRound::TakePiece(Slot& slot) noexcept {
  const uint64_t number = next_piece_.fetch_add(1, std::memory_order_relaxed);
  if (number >= piece_count_) return false;
  const uint64_t transfer = number / pieces_of_transfer_;
  if (transfer != slot.transfer_number) {
    MakeTransfer(
        match.what, static_cast<uint32_t>(match.parts.size()), transfer,
        [this](uint32_t part) -> const CollectiveRequest& { return RequestOf(part); }, &slot.transfer);
    slot.transfer_number = transfer;
  }
  slot.offset = number % pieces_of_transfer_ * piece_;
  slot.length = std::min(piece_, match.what.length - slot.offset);
  Locate(slot);
  return true;
}

// The result of a reduction has the last place of the staging memory.
void CollectiveRound::Locate(Slot& slot) noexcept {
  const Transfer& transfer = slot.transfer;
  slot.inputs.clear();
  slot.outputs.clear();
  for (size_t i = 0; i < transfer.inputs.size(); ++i) {
    const TransferEnd& end = transfer.inputs[i];
    const std::byte* const mapped = memory_[end.part].source;
    slot.inputs.push_back(mapped ? mapped + end.offset + slot.offset : Scratch(slot, i));
  }
  for (const TransferEnd& end : transfer.outputs) {
    std::byte* const mapped = memory_[end.part].target;
    slot.outputs.push_back(mapped ? mapped + end.offset + slot.offset : nullptr);
  }
}

/// Whether the host has to touch the bytes of the piece.
bool CollectiveRound::NeedsWorker(const Slot& slot) const {
  if (!any_staged_ || reduce_ || slot.transfer.is_exchange()) return true;
  return std::ranges::any_of(slot.outputs, [](const std::byte* output) { return output != nullptr; });
}

/// True if another thread moves the slot on.
bool CollectiveRound::SubmitFills(Slot& slot) noexcept {
  if (!any_staged_) return false;
  slot.pending.store(1, std::memory_order_relaxed);
  for (size_t i = 0; i < slot.transfer.inputs.size(); ++i) {
    const TransferEnd& end = slot.transfer.inputs[i];
    if (IsStaged(end, true)) SubmitStaged(slot, true, end, Scratch(slot, i));
  }
  return EndSubmission(slot);
}

bool CollectiveRound::SubmitEmpties(Slot& slot) noexcept {
  if (!any_staged_ || slot.length == 0 || stops_.load(std::memory_order_relaxed)) return false;
  slot.pending.store(1, std::memory_order_relaxed);
  const Transfer& transfer = slot.transfer;
  for (size_t i = 0; i < transfer.outputs.size(); ++i) {
    if (!IsStaged(transfer.outputs[i], false)) continue;
    // What is not staged itself and goes to all is read where it is.
    std::byte* memory = const_cast<std::byte*>(slot.inputs[0]);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    if (reduce_) memory = Scratch(slot, transfer.inputs.size());
    if (!reduce_ && transfer.is_exchange()) memory = Scratch(slot, i);
    SubmitStaged(slot, false, transfer.outputs[i], memory);
  }
  return EndSubmission(slot);
}

/// Has a device copy one end of the piece to staging memory, or from there.
void CollectiveRound::SubmitStaged(Slot& slot, bool fills, const TransferEnd& end, std::byte* memory) noexcept {
  const CollectiveRequest& request = RequestOf(end.part);
  const hal_buffer_ref_t& range = fills ? request.source : request.target;
  hal_device_t* const device = match.parts[end.part]->device();
  slot.pending.fetch_add(1, std::memory_order_relaxed);
  const Status status = Guard([&]() -> Status {
    const Ref<hal_file_t> file = TakeHostBytes(memory, slot.length);
    const hal_timeline_point_t done = {&slot, 1};
    hal_queue_operation_t operation{};
    operation.struct_size = sizeof(operation);
    operation.type = fills ? HAL_QUEUE_OPERATION_TYPE_WRITE : HAL_QUEUE_OPERATION_TYPE_READ;
    operation.queues = QueuesFor(*range.buffer);
    operation.signal_list = hal_semaphore_list(&done, 1);
    operation.label = kLabel;
    operation.u.io = {file.get(), 0,
                      hal_buffer_ref(range.buffer, range.offset + end.offset + slot.offset, slot.length)};
    return SubmitApart(device, operation);
  });
  if (status == kOk) return;
  FailFrom(status);
  slot.pending.fetch_sub(1, std::memory_order_relaxed);  // never the last one
}

bool CollectiveRound::EndSubmission(Slot& slot) noexcept {
  return slot.pending.fetch_sub(1, std::memory_order_acq_rel) != 1;
}

Status CollectiveRound::SubmitWork(Slot& slot) const {
  hal_queue_operation_t operation{};
  operation.struct_size = sizeof(operation);
  operation.type = HAL_QUEUE_OPERATION_TYPE_HOST_CALL;
  operation.queues = ExistingQueues(slot.worker);
  operation.label = {"collective", 10};
  operation.u.host_call = {OnHost, &slot};
  return SubmitApart(slot.worker, operation);
}

// A host call of a lost device is told so, and is as good as any other then: the round fails with it.
hal_status_t CollectiveRound::OnHost(void* slot, hal_status_t status) {
  Slot& self = *static_cast<Slot*>(slot);
  CollectiveRound& round = *self.round;
  if (status != HAL_STATUS_OK) round.FailFrom(FailWith(status, hal_last_error_message()));
  const DrainScope scope;
  self.step = Step::kWork;
  round.Advance(self, true);
  return HAL_STATUS_OK;
}

void CollectiveRound::Work(Slot& slot) noexcept {
  if (!reduce_) {
    if (!slot.transfer.is_exchange()) return MoveToAll(slot);
    return scratch_ != 0 ? Exchange(slot) : MoveEach(slot);
  }
  // Those that are not staged, and the one place that all that are get their bytes from.
  const size_t output_count = slot.outputs.size();
  std::erase(slot.outputs, static_cast<std::byte*>(nullptr));
  if (slot.outputs.size() != output_count) slot.outputs.push_back(Scratch(slot, slot.inputs.size()));
  const auto kind = static_cast<hal_numeric_kind_t>(match.what.element_type >> 8 & 0x7F);
  reduce_({slot.inputs, scales_, slot.outputs, slot.length, kind, streams_});
}

void CollectiveRound::Move(std::byte* output, const std::byte* input, size_t length) const noexcept {
  if (output == input) return;
  if (streams_) {
    StreamingCopy(output, input, length);
  } else {
    std::memmove(output, input, length);
  }
}

void CollectiveRound::MoveToAll(const Slot& slot) const noexcept {
  for (std::byte* const output : slot.outputs) {
    if (output) Move(output, slot.inputs[0], slot.length);
  }
}

// In place, an input lies where another's output goes. So all inputs of a block are read before any output is written.
void CollectiveRound::Exchange(const Slot& slot) const noexcept {
  const size_t count = slot.inputs.size();
  for (uint64_t begin = 0; begin < slot.length; begin += scratch_) {
    const uint64_t bytes = std::min(scratch_, slot.length - begin);
    for (size_t i = 0; i < count; ++i) {
      if (slot.inputs[i] != Scratch(slot, i)) std::memcpy(Scratch(slot, i), slot.inputs[i] + begin, bytes);
    }
    for (size_t i = 0; i < count; ++i) {
      if (slot.outputs[i]) Move(slot.outputs[i] + begin, Scratch(slot, i), bytes);
    }
  }
}

void CollectiveRound::MoveEach(const Slot& slot) const noexcept {
  for (size_t i = 0; i < slot.inputs.size(); ++i) Move(slot.outputs[i], slot.inputs[i], slot.length);
}

// --- the end ---------------------------------------------------------------------------------------------------------

void CollectiveRound::FailFrom(Status status) noexcept {
  Stop();
  Failure failure(status);
  const std::lock_guard lock(mutex_);
  if (!failure_) std::swap(failure_, failure);
}

void CollectiveRound::EndSlot() noexcept {
  if (slots_at_work_.fetch_sub(1, std::memory_order_acq_rel) == 1) Finish();
}

void CollectiveRound::Finish() noexcept {
  const DrainScope scope;
  const std::shared_ptr<ChannelGroup> group = std::move(group_);
  UnmapMemory();
  Failure failure;
  {
    const std::lock_guard lock(mutex_);
    failure = std::move(failure_);
  }
  failure_ = {};
  group->EndRound(*this, std::move(failure));
}

}  // namespace halyard
