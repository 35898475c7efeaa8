// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/submission_device.h"

#include <bit>
#include <utility>

#include "submission/exit_drain.h"
#include "submission/submission_semaphore.h"

namespace halyard {

SubmissionDevice::SubmissionDevice(const hal_driver_interface_t& tables, VendorGate& gate, Joins joins)
    : DeviceBase(tables),
      gate_(gate),
      joins_(joins),
      host_calls_(std::make_unique<WorkerThread>()),
      host_work_(std::make_unique<WorkerThread>(WorkerThread::End::kJoin, &gate)),
      file_work_(std::make_unique<WorkerThread>(WorkerThread::End::kJoin, &gate)) {}

Status SubmissionDevice::CreateSemaphore(const hal_semaphore_params_t* params, hal_semaphore_t** out_semaphore) {
  std::unique_ptr<SubmissionSemaphore> semaphore(
      health().semaphore_memory().Make<SubmissionSemaphore>(*this, tables().semaphore, params->initial_value));
  semaphore->SetWaitMode(wait_mode());
  HAL_TRY(health().Track(*semaphore));
  *out_semaphore = semaphore.release();
  return kOk;
}

void SubmissionDevice::SetLanes(HostVector<std::unique_ptr<Lane>> lanes) {
  queues_.reserve(lanes.size());
  for (std::unique_ptr<Lane>& lane : lanes) {
    const auto index = static_cast<uint32_t>(queues_.size());
    queues_.push_back(std::make_unique<SubmissionQueue>(*this, index, std::move(lane)));
  }
  retirement_.Prepare();  // before the first thread looks
}

Status SubmissionDevice::OpenQueue() {
  const uint32_t open = queue_count();
  DrainsAtExit::Adopt(gate_);
  HAL_TRY(queues_[open]->Open());
  DrainsAtExit::ComeBeforeEarlierHandlers(gate_);  // the vendor has registered its own, and has no work yet
  retirement_.Admit(open + 1);
  open_queues_.store(open + 1, std::memory_order_release);
  return kOk;
}

void SubmissionDevice::CloseQueues() noexcept {
  host_calls_.reset();
  host_work_.reset();
  file_work_.reset();
  for (const std::unique_ptr<SubmissionQueue>& queue : queues_) queue->Close();
  queues_.clear();
}

void SubmissionDevice::Lose(std::string_view reason) {
  const DrainScope scope;  // what hears of it may give up the device
  health().Lose(reason);
  FailDeferred(health().failure());
}

void SubmissionDevice::LosePermanently(Status status) noexcept {
  const Failure reason(status);
  const SeparateDrain drain(&callbacks_);  // any function may find out
  Lose(reason.message());
  for (const std::unique_ptr<SubmissionQueue>& queue : queues_) queue->Abandon(reason.code() == HAL_STATUS_DEVICE_LOST);
  Retire();
}

void SubmissionDevice::LookAtAll() noexcept {
  for (uint32_t i = 0; i < queue_count(); ++i) queue(i).QueryNewest();
  Retire();
}

Ref<hal_device_t> SubmissionDevice::TryRetain() {
  std::atomic_ref count(object.ref_count);
  uint32_t value = count.load(std::memory_order_relaxed);
  while (value != 0) {
    if (count.compare_exchange_weak(value, value + 1, std::memory_order_relaxed)) {
      return Ref<hal_device_t>::Adopting(this);
    }
  }
  return {};
}

// Those of a lost device stay: its semaphores leave the list before they are told.
Status SubmissionDevice::ForgetActions(const HostVector<SubmissionAction*>& unused) {
  if (unused.empty()) return kOk;
  HostVector<Ref<hal_semaphore_t>> semaphores;
  HAL_TRY(health().ListSemaphores(&semaphores));
  for (const auto& semaphore : semaphores) static_cast<SubmissionSemaphore*>(semaphore.get())->Forget(unused);
  return kOk;
}

SubmissionQueue& SubmissionDevice::NextQueue(hal_queue_mask_t queues) {
  const auto count = static_cast<uint32_t>(std::popcount(queues));
  uint32_t skip = count > 1 ? turn_.fetch_add(1, std::memory_order_relaxed) % count : 0;
  for (; skip > 0; --skip) queues &= queues - 1;
  return *queues_[static_cast<size_t>(std::countr_zero(queues))];
}

SubmissionSemaphore* SubmissionDevice::OwnSemaphore(hal_semaphore_t* semaphore) const {
  if (semaphore->object.vtable != tables().semaphore) return nullptr;
  auto* const known = static_cast<SubmissionSemaphore*>(semaphore);
  return known->submission_device() == this ? known : nullptr;
}

SubmissionSemaphore* SubmissionDevice::KnownSemaphore(hal_semaphore_t* semaphore) const {
  if (joins_ == Joins::kOwnQueues) return OwnSemaphore(semaphore);
  return semaphore->object.vtable == tables().semaphore ? static_cast<SubmissionSemaphore*>(semaphore) : nullptr;
}

}  // namespace halyard
