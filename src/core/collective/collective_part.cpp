// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/collective/collective_part.h"

#include <cstddef>
#include <utility>

#include "base/object_memory.h"
#include "base/process_wide.h"
#include "core/collective/channel_group.h"
#include "driver_kit/object/vtable.h"

namespace halyard {
namespace {

struct CollectivePartMemory : ObjectMemory, HostObject {};

void DestroyPart(hal_object_t* object) noexcept {
  auto* const part = static_cast<CollectivePart*>(reinterpret_cast<hal_semaphore_t*>(object));
  if (auto* const memory = ProcessWide<CollectivePartMemory>::Find()) {
    memory->Destroy(part);
  } else {
    delete part;
  }
}

constexpr hal_semaphore_vtable_t MakePartTable() {
  hal_semaphore_vtable_t table = TimelineSemaphore::MakeVtable();
  table.destroy = DestroyPart;
  table.signal = Entry<&CollectivePart::Signal>::Of<hal_semaphore_t>;
  table.fail = Entry<&CollectivePart::FailFrom>::Of<hal_semaphore_t>;
  return table;
}
constexpr hal_semaphore_vtable_t kPartTable = MakePartTable();

}  // namespace

CollectivePart::CollectivePart(std::shared_ptr<ChannelGroup> group, hal_device_t* device, uint32_t rank,
                               const CollectiveRequest& request)
    : TimelineSemaphore(&kPartTable, 0),
      group_(std::move(group)),
      device_(Ref<hal_device_t>::Retaining(device)),
      source_(Ref<hal_buffer_t>::Retaining(request.source.buffer)),
      target_(Ref<hal_buffer_t>::Retaining(request.target.buffer)),
      request_(request),
      rank_(rank) {}

Ref<hal_semaphore_t> CollectivePart::Make(std::shared_ptr<ChannelGroup> group, hal_device_t* device, uint32_t rank,
                                          const CollectiveRequest& request) {
  auto& memory = ProcessWide<CollectivePartMemory>::Get();
  return Ref<hal_semaphore_t>::Adopting(memory.Make<CollectivePart>(std::move(group), device, rank, request));
}

Status CollectivePart::Signal(uint64_t /*value*/) {
  CountDown();
  return kOk;
}

Status CollectivePart::FailFrom(hal_status_t status, hal_string_view_t message) {
  failure_ = Failure(FailWith(status, View(message)));
  CountDown();
  return kOk;
}

void CollectivePart::Confirm() noexcept {
  group_->Join(*this);
  CountDown();
}

// The reference is for Run().
void CollectivePart::CountDown() noexcept {
  if (missing_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  Retain(static_cast<hal_semaphore_t*>(this));
  DrainScope::Defer(this);
}

void CollectivePart::Run() noexcept {
  const auto kept = Ref<hal_semaphore_t>::Adopting(this);
  if (failure_) {
    group_->FailFrom(*this, failure_);
  } else {
    group_->Ready(*this);
  }
}

void CollectivePart::End(const Failure& failure) noexcept {
  const auto kept = Ref<hal_semaphore_t>::Retaining(this);
  const DrainScope scope;
  source_ = {};  // before the signals: a thread that sees them can rely on it
  target_ = {};
  device_ = {};
  if (failure) {
    FailTimeline(failure.code(), ToC(failure.message())).Ignore();
  } else {
    TimelineSemaphore::Signal(kEnd).Ignore();  // cannot be late: nothing else signals it
  }
}

Status CollectiveSubmission::Begin(const std::shared_ptr<ChannelGroup>& group, hal_device_t* device, uint32_t rank,
                                   const CollectiveRequest& request, hal_queue_operation_t* operation) {
  HAL_TRY(group->CheckHealth());
  part_ = CollectivePart::Make(group, device, rank, request);
  const hal_timeline_point_t begin = {part_.get(), CollectivePart::kBegin};
  hal_queue_operation_t first{};
  first.struct_size = offsetof(hal_queue_operation_t, label);
  first.type = HAL_QUEUE_OPERATION_TYPE_BARRIER;
  first.queues = operation->queues;
  first.wait_list = operation->wait_list;
  first.signal_list = hal_semaphore_list(&begin, 1);
  HAL_TRY(VtableOf(device)->submit(device, &first));
  end_ = {part_.get(), CollectivePart::kEnd};
  operation->type = HAL_QUEUE_OPERATION_TYPE_BARRIER;
  operation->wait_list = hal_semaphore_list(&end_, 1);
  return kOk;
}

void CollectiveSubmission::Confirm() noexcept { static_cast<CollectivePart*>(part_.get())->Confirm(); }

}  // namespace halyard
