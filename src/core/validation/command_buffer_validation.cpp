// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/validation/command_buffer_validation.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "core/peer/cut_recording.h"
#include "core/validation/checks.h"
#include "core/validation/command_validation.h"
#include "core/validation/strided_copy_validation.h"

namespace halyard {
namespace {

/// Inserts into a sorted vector without repetition; false if it was there.
template <class T>
bool InsertSorted(HostVector<T>& sorted, T value) {
  const auto place = std::lower_bound(sorted.begin(), sorted.end(), value, std::less<>());
  if (place != sorted.end() && *place == value) return false;
  sorted.insert(place, value);
  return true;
}

Status CheckSlotCopy(const hal_command_copy_t& copy, std::span<const hal_buffer_ref_t> table) {
  const hal_buffer_ref_t source = AtExecution(copy.source, table);
  const hal_buffer_ref_t target = AtExecution(copy.target, table);
  if (source.length != target.length) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT,
                "a copy from all of slot %u to all of slot %u finds %" PRIu64 " and %" PRIu64 " bytes",
                copy.source.slot, copy.target.slot, source.length, target.length);
  }
  if (!Overlap(source, target)) return CheckApart(source, target);
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "with this table a copy of %" PRIu64 " bytes overlaps itself, from byte %" PRIu64 " to byte %" PRIu64
              " of one allocation",
              source.length, source.offset, target.offset);
}

}  // namespace

CommandBufferValidation::CommandBufferValidation() {
  destroy = [](CommandBufferAttachment* self) { delete static_cast<CommandBufferValidation*>(self); };
}

CommandBufferValidation::~CommandBufferValidation() = default;

CutRecording& CommandBufferValidation::Cut(hal_command_buffer_t& whole) {
  if (!cut_) cut_ = std::make_unique<CutRecording>(whole);
  return *cut_;
}

Status CommandBufferValidation::Poison(Status failure) {
  if (!failure_) failure_ = Failure(failure.Share());
  return failure;
}

bool CommandBufferValidation::CloseGroup() {
  if (open_groups_.empty()) return false;
  open_groups_.pop_back();
  return true;
}

bool CommandBufferValidation::SignalEvent(hal_event_t* event) { return InsertSorted(signalled_, event); }

bool CommandBufferValidation::IsSignalled(hal_event_t* event) const {
  return std::binary_search(signalled_.begin(), signalled_.end(), event, std::less<>());
}

void CommandBufferValidation::RequireSlot(const hal_buffer_ref_t& ref, const BufferUse& use) {
  if (ref.slot >= slots_.size()) slots_.resize(size_t{ref.slot} + 1);
  Slot& slot = slots_[ref.slot];
  const bool whole = ref.length == HAL_WHOLE_SIZE;
  slot.use.usage |= use.usage;
  slot.use.writes |= use.writes;
  slot.use.alignment = std::max(slot.use.alignment, use.alignment);
  // With an explicit length the slot's own does not matter. Otherwise, as the offset is aligned, the slot's length
  // has to be.
  if (whole) slot.use.length_alignment = std::max(slot.use.length_alignment, use.length_alignment);
  if (whole && use.max_length < HAL_WHOLE_SIZE - ref.offset) {
    slot.use.max_length = std::min(slot.use.max_length, ref.offset + use.max_length);
  }
  slot.min_length = std::max(slot.min_length, ref.offset + (whole ? 0 : ref.length));
}

void CommandBufferValidation::AddQueueAllocation(hal_buffer_t* allocation) {
  InsertSorted(queue_allocations_, allocation);
}

void CommandBufferValidation::AddNumbers(const hal_export_info_t& info, const hal_dispatch_params_t& params) {
  const hal_dim3_t& recorded = params.workgroup_count;
  constexpr uint64_t kRecorded = Count::kRecorded;
  Count count = {&info, {recorded.x, recorded.y, recorded.z}, {kRecorded, kRecorded, kRecorded}};
  bool has_count = false;
  for (const hal_number_ref_t& ref : std::span(params.numbers, params.number_count)) {
    numbers_size_ = std::max(numbers_size_, uint64_t{ref.offset} + ref.length);
    if (ref.kind != HAL_NUMBER_KIND_WORKGROUP_COUNT) continue;
    has_count = true;
    for (uint32_t at = 0; at < ref.length; at += sizeof(uint32_t)) {
      count.offsets[(ref.target_offset + at) / sizeof(uint32_t)] = uint64_t{ref.offset} + at;
    }
  }
  if (has_count) counts_.push_back(count);
}

Status CommandBufferValidation::CheckNumbers(const hal_device_limits_t& limits, const void* numbers,
                                             size_t size) const {
  if (size < numbers_size_) {
    return Fail(HAL_STATUS_OUT_OF_RANGE,
                "the block of numbers has %zu bytes, but the command buffer uses %" PRIu64 " of it", size,
                numbers_size_);
  }
  HAL_TRY(CheckNotNull("params->numbers", numbers));
  for (const Count& count : counts_) {
    std::array<uint32_t, 3> given = count.recorded;
    for (size_t i = 0; i < given.size(); ++i) {
      if (count.offsets[i] == Count::kRecorded) continue;
      std::memcpy(&given[i], static_cast<const char*>(numbers) + count.offsets[i], sizeof(given[i]));
    }
    HAL_TRY(CheckGivenCount(limits, *count.info, hal_dim3(given[0], given[1], given[2])));
  }
  return kOk;
}

Status CommandBufferValidation::ResolveTable(const hal_device_t* device, const hal_buffer_ref_list_t& given,
                                             RefStorage* storage, hal_buffer_ref_list_t* out,
                                             hal_queue_mask_t* queues) const {
  if (given.count < slots_.size()) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "table.count is %zu, but the command buffer uses slot %zu", given.count,
                slots_.size() - 1);
  }
  const std::span<hal_buffer_ref_t> table = storage->Take(slots_.size());
  for (size_t i = 0; i < slots_.size(); ++i) {
    table[i] = hal_buffer_ref_t{};
    if (slots_[i].use.usage == HAL_BUFFER_USAGE_NONE) continue;
    const ArgumentName name = {"table.refs", i};
    Status status = ResolveSlot(name, device, slots_[i], given.refs[i], &table[i]);
    if (status == kOk) status = NarrowQueues(name, given.refs[i].buffer->queues, queues);
    if (status != kOk) return status;
  }
  HAL_TRY(CheckSlotCopies(table));
  *out = hal_buffer_ref_list(table.data(), table.size());
  return CheckQueueAllocations();
}

Status CommandBufferValidation::ResolveSlot(const ArgumentName& name, const hal_device_t* device, const Slot& slot,
                                            const hal_buffer_ref_t& given, hal_buffer_ref_t* out) {
  if (!given.buffer) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s is empty, but the command buffer uses that slot", name.Text().c_str());
  }
  HAL_TRY(ResolveBufferRef(name, device, slot.use, given, out));
  if (out->length >= slot.min_length) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE,
              "%s%s has %" PRIu64 " bytes, but the command buffer uses %" PRIu64 " of that slot", name.Text().c_str(),
              LabelWords(given.buffer).c_str(), out->length, slot.min_length);
}

Status CommandBufferValidation::CheckSlotCopies(std::span<const hal_buffer_ref_t> table) const {
  for (const hal_command_copy_t& copy : slot_copies_) HAL_TRY(CheckSlotCopy(copy, table));
  for (const hal_strided_copy_params_t& copy : slot_strided_copies_) {
    hal_strided_copy_params_t resolved = copy;
    resolved.source = AtExecution(copy.source, table);
    resolved.target = AtExecution(copy.target, table);
    HAL_TRY(CheckStridesDoNotMeet(resolved));
    HAL_TRY(CheckApart(resolved.source, resolved.target));
  }
  return kOk;
}

Status CommandBufferValidation::CheckQueueAllocations() const {
  for (hal_buffer_t* allocation : queue_allocations_) {
    if (!IsDealloced(*allocation)) continue;
    return Fail(HAL_STATUS_FAILED_PRECONDITION,
                "the command buffer uses a buffer%s that was freed by hal_device_queue_dealloca",
                LabelWords(allocation).c_str());
  }
  return kOk;
}

}  // namespace halyard
