// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits and signals that go wrong.
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "mutants/mutations.h"

namespace halyard::mutants {
namespace {

using Operation = hal_queue_operation_t;

void IgnoreWaits(Operation& operation) { operation.wait_list = {}; }

void WaitForTheFirstOnly(Operation& operation) {
  if (operation.wait_list.count > 1) operation.wait_list.count = 1;
}

void DropTheLastSignal(Operation& operation) {
  if (operation.signal_list.count > 0) --operation.signal_list.count;
}

void IgnoreWaitsOfBarriers(Operation& operation) {
  if (operation.type == HAL_QUEUE_OPERATION_TYPE_BARRIER) operation.wait_list = {};
}

/// Points of `list` for which `keep` holds.
template <class Keep>
std::vector<hal_timeline_point_t> Filter(hal_semaphore_list_t list, Keep keep) {
  std::vector<hal_timeline_point_t> kept;
  for (size_t i = 0; i < list.count; ++i) {
    if (keep(list.points[i])) kept.push_back(list.points[i]);
  }
  return kept;
}

hal_status_t IgnoreForeignWaits(hal_device_t* device, const Operation* operation) {
  const auto own = Filter(operation->wait_list, [&](const auto& point) { return point.semaphore->device == device; });
  Operation mutated = *operation;
  mutated.wait_list = {own.data(), own.size()};
  return Local().device->submit(device, &mutated);
}

hal_status_t DropForeignSignals(hal_device_t* device, const Operation* operation) {
  const auto own = Filter(operation->signal_list, [&](const auto& point) { return point.semaphore->device == device; });
  Operation mutated = *operation;
  mutated.signal_list = {own.data(), own.size()};
  return Local().device->submit(device, &mutated);
}

hal_status_t WaitForOneLess(hal_device_t* device, const Operation* operation) {
  std::vector<hal_timeline_point_t> points = Filter(operation->wait_list, [](const auto&) { return true; });
  for (hal_timeline_point_t& point : points) point.value -= point.value > 0 ? 1 : 0;
  Operation mutated = *operation;
  mutated.wait_list = {points.data(), points.size()};
  return Local().device->submit(device, &mutated);
}

// The signals go out when the waits are reached; the work takes its time.
hal_status_t SignalAhead(hal_device_t* device, const Operation* operation) {
  if (operation->type != HAL_QUEUE_OPERATION_TYPE_COMMAND && operation->type != HAL_QUEUE_OPERATION_TYPE_EXECUTE) {
    return Local().device->submit(device, operation);
  }
  Ref<hal_semaphore_t> begun;
  if (hal_status_t status = hal_semaphore_create(device, nullptr, begun.out()); status != HAL_STATUS_OK) return status;
  const hal_timeline_point_t begin = {begun.get(), 1};

  Operation pause = BarrierLike(*operation);
  pause.type = HAL_QUEUE_OPERATION_TYPE_HOST_CALL;
  pause.signal_list = {&begin, 1};
  pause.u.host_call = {[](void*, hal_status_t status) {
                         std::this_thread::sleep_for(std::chrono::milliseconds(2));
                         return status;
                       },
                       nullptr};
  Operation work = *operation;
  work.wait_list = {&begin, 1};
  work.signal_list = {};
  for (const Operation& part : {pause, work, BarrierLike(*operation)}) {
    if (hal_status_t status = Local().device->submit(device, &part); status != HAL_STATUS_OK) return status;
  }
  return HAL_STATUS_OK;
}

// As if the device had one queue, in order: each operation also waits for the one that was submitted before it.
hal_status_t RunInOrderOfSubmission(hal_device_t* device, const Operation* operation) {
  static std::mutex mutex;
  static auto& last_of_device = *new std::map<hal_device_t*, Ref<hal_semaphore_t>>();  // devices live on with it
  const std::lock_guard lock(mutex);
  Ref<hal_semaphore_t>& last = last_of_device[device];
  Ref<hal_semaphore_t> next;
  if (hal_status_t status = hal_semaphore_create(device, nullptr, next.out()); status != HAL_STATUS_OK) return status;
  std::vector<hal_timeline_point_t> waits = Filter(operation->wait_list, [](const auto&) { return true; });
  std::vector<hal_timeline_point_t> signals = Filter(operation->signal_list, [](const auto&) { return true; });
  if (last) waits.push_back({last.get(), 1});
  signals.push_back({next.get(), 1});
  Operation mutated = *operation;
  mutated.wait_list = {waits.data(), waits.size()};
  mutated.signal_list = {signals.data(), signals.size()};
  const hal_status_t status = Local().device->submit(device, &mutated);
  if (status == HAL_STATUS_OK) last = next;
  return status;
}

constexpr Mutant kOrderMutants[] = {
    {"waits-ignored", "operations run at once, whatever they wait for", "QueueOrderingTest.*:*QueueContractTest.*",
     [](Tables& tables) { tables.device.submit = SubmitMutated<IgnoreWaits>; }},
    {"barrier-waits-ignored", "queue barriers signal without waiting", "QueueOrderingTest.*:*QueueContractTest.*",
     [](Tables& tables) { tables.device.submit = SubmitMutated<IgnoreWaitsOfBarriers>; }},
    {"first-wait-only", "of several waits only the first counts", "*QueueContractTest.*:*QueueFanTest.*",
     [](Tables& tables) { tables.device.submit = SubmitMutated<WaitForTheFirstOnly>; }},
    {"wait-one-short", "operations wait for one less than the value", "QueueOrderingTest.*:*QueueContractTest.*",
     [](Tables& tables) { tables.device.submit = WaitForOneLess; }},
    {"foreign-waits-ignored", "semaphores of other devices are not waited for",
     "*ForeignSemaphoreTest.*:CrossDeviceTest.*", [](Tables& tables) { tables.device.submit = IgnoreForeignWaits; }},
    {"foreign-signals-dropped", "semaphores of other devices are not signalled",
     "*ForeignSemaphoreTest.*:CrossDeviceTest.*", [](Tables& tables) { tables.device.submit = DropForeignSignals; }},
    {"signal-dropped", "the last signal of an operation never comes", "*QueueContractTest.*",
     [](Tables& tables) { tables.device.submit = SubmitMutated<DropTheLastSignal>; }},
    {.name = "signal-early",
     .what = "the signals come before the work is done",
     .tests = "*QueueChainTest.*:*QueueContractTest.*",
     .plant = [](Tables& tables) { tables.device.submit = SignalAhead; },
     .mode = "task"},
    {"one-in-order-queue", "operations run in the order of submission, so one that waits blocks those behind it",
     "QueueOrderingTest.*", [](Tables& tables) { tables.device.submit = RunInOrderOfSubmission; }},
};

}  // namespace

std::span<const Mutant> OrderMutants() { return kOrderMutants; }

}  // namespace halyard::mutants
