// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The usual mutations of a driver. Each is a function for a vtable. It changes its arguments and passes them to the
// local driver.
#ifndef HALYARD_TESTS_MUTANTS_MUTATIONS_H_
#define HALYARD_TESTS_MUTANTS_MUTATIONS_H_

#include <functional>
#include <vector>

#include "base/status.h"
#include "driver_kit/object/object.h"
#include "local/device/local_driver.h"
#include "mutants/mutant.h"

namespace halyard::mutants {

/// The local driver as it should be.
inline const hal_driver_interface_t& Local() { return *hal_local_driver_interface(); }

/// device.submit that changes every operation.
template <void (*kMutate)(hal_queue_operation_t&)>
hal_status_t SubmitMutated(hal_device_t* device, const hal_queue_operation_t* operation) {
  hal_queue_operation_t mutated = *operation;
  kMutate(mutated);
  return Local().device->submit(device, &mutated);
}

/// command_buffer.record that changes every command.
template <void (*kMutate)(hal_command_t&)>
hal_status_t RecordMutated(hal_command_buffer_t* command_buffer, const hal_command_t* command) {
  hal_command_t mutated = *command;
  kMutate(mutated);
  return Local().command_buffer->record(command_buffer, &mutated);
}

/// Changes an operation that is a command by itself.
template <void (*kMutate)(hal_command_t&)>
void MutateQueuedCommand(hal_queue_operation_t& operation) {
  if (operation.type == HAL_QUEUE_OPERATION_TYPE_COMMAND) kMutate(operation.u.command);
}

/// Changes every command, recorded or queued by itself.
template <void (*kMutate)(hal_command_t&)>
void PlantInCommands(Tables& tables) {
  tables.command_buffer.record = RecordMutated<kMutate>;
  tables.device.submit = SubmitMutated<MutateQueuedCommand<kMutate>>;
}

/// A dispatch with parameters of its own, to be changed.
struct Dispatch {
  hal_executable_t* executable;
  uint32_t ordinal;
  hal_dispatch_params_t params;
};

/// Changes a command that is a dispatch.
template <void (*kMutate)(Dispatch&)>
void MutateDispatch(hal_command_t& command) {
  if (command.type != HAL_COMMAND_TYPE_DISPATCH) return;
  thread_local Dispatch t_mutated;  // read by the driver before the call returns
  hal_command_dispatch_t& dispatch = command.u.dispatch;
  t_mutated = {dispatch.executable, dispatch.ordinal, *dispatch.params};
  kMutate(t_mutated);
  dispatch = {t_mutated.executable, t_mutated.ordinal, 0, &t_mutated.params};
}

/// Changes every dispatch, recorded or queued by itself.
template <void (*kMutate)(Dispatch&)>
void PlantInDispatches(Tables& tables) {
  PlantInCommands<MutateDispatch<kMutate>>(tables);
}

/// The operation without work: its waits lead to its signals.
inline hal_queue_operation_t BarrierLike(const hal_queue_operation_t& operation) {
  hal_queue_operation_t barrier = operation;
  barrier.type = HAL_QUEUE_OPERATION_TYPE_BARRIER;
  return barrier;
}

/// Points that keep their semaphores alive.
class KeptPoints {
 public:
  explicit KeptPoints(hal_semaphore_list_t list) : points_(list.points, list.points + list.count) {
    for (const hal_timeline_point_t& point : points_) kept_.push_back(Ref<hal_semaphore_t>::Retaining(point.semaphore));
  }
  hal_semaphore_list_t list() const { return {points_.data(), points_.size()}; }

  /// What an operation with that outcome does.
  void End(hal_status_t status, hal_string_view_t message) const {
    if (status == HAL_STATUS_OK) {
      Signal();
    } else {
      Fail(status, message);
    }
  }
  void Signal() const {
    for (const hal_timeline_point_t& point : points_) hal_semaphore_signal(point.semaphore, point.value);
  }
  void Fail(hal_status_t status, hal_string_view_t message) const {
    for (const hal_timeline_point_t& point : points_) hal_semaphore_fail(point.semaphore, status, message);
  }

 private:
  std::vector<hal_timeline_point_t> points_;
  std::vector<Ref<hal_semaphore_t>> kept_;
};

/// Called at the end of a wait: with OK, or with a failure and its message.
using Then = std::function<void(hal_status_t status, hal_string_view_t message)>;

/// Calls `then` when the waits of `operation` are reached or one has failed.
hal_status_t AfterWaits(hal_device_t* device, const hal_queue_operation_t& operation, Then then);

/// Submits `operation` without its signals, and calls `then` when it is done or has failed.
hal_status_t AfterWork(hal_device_t* device, const hal_queue_operation_t& operation, Then then);

}  // namespace halyard::mutants

#endif  // HALYARD_TESTS_MUTANTS_MUTATIONS_H_
