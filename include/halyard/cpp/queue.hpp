// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Queue operations in C++.
#ifndef HALYARD_CPP_QUEUE_HPP_
#define HALYARD_CPP_QUEUE_HPP_

#include <concepts>

#include "halyard/cpp/command_buffer.hpp"
#include "halyard/cpp/executable.hpp"
#include "halyard/cpp/macros_begin.hpp"
#include "halyard/cpp/memory.hpp"
#include "halyard/cpp/semaphore.hpp"
#include "halyard/cpp/submit.hpp"
#include "halyard/queue.h"

HAL_CPP_BEGIN

/// Some queues of a device. Each operation waits for `waits`, runs on one of them, and signals `done`. It refers to its
/// device and does not keep it alive.
class Queue {
 public:
  explicit Queue(hal_device_t* device, hal_queue_mask_t queues = HAL_QUEUE_ANY) : device_(device), queues_(queues) {}

  Done Barrier(Points waits, Points done) const {
    return detail::Finish(hal_device_queue_barrier(device_, SubmitParams(waits, done, queues_)));
  }
  Returned<Buffer> Alloca(Points waits, Points done, uint64_t length,
                          const hal_buffer_params_t& params = HAL_BUFFER_PARAMS_INIT) const {
    return detail::Make<Buffer>([&](auto** out) {
      return hal_device_queue_alloca(device_, SubmitParams(waits, done, queues_), &params, length, out);
    });
  }
  Done Dealloca(Points waits, Points done, hal_buffer_t* buffer) const {
    return detail::Finish(hal_device_queue_dealloca(device_, SubmitParams(waits, done, queues_), buffer));
  }
  /// With a pattern of 1, 2 or 4 bytes.
  template <Plain T>
  Done Fill(Points waits, Points done, const Ref& target, const T& pattern) const {
    return detail::Finish(
        hal_device_queue_fill(device_, SubmitParams(waits, done, queues_), target, &pattern, sizeof(pattern)));
  }
  /// The length is that of `target`, which `data` must have.
  Done Update(Points waits, Points done, const void* data, const Ref& target) const {
    return detail::Finish(hal_device_queue_update(device_, SubmitParams(waits, done, queues_), data, target));
  }
  Done Copy(Points waits, Points done, const Ref& source, const Ref& target) const {
    return detail::Finish(hal_device_queue_copy(device_, SubmitParams(waits, done, queues_), source, target));
  }
  Done CopyStrided(Points waits, Points done, const hal_strided_copy_params_t& params) const {
    return detail::Finish(hal_device_queue_copy_strided(device_, SubmitParams(waits, done, queues_), &params));
  }
  /// `data` stays as it is until `done`.
  Done Upload(Points waits, Points done, const void* data, const Ref& target) const {
    return detail::Finish(hal_device_queue_upload(device_, SubmitParams(waits, done, queues_), data, target));
  }
  /// `data` is written to until `done`.
  Done Download(Points waits, Points done, const Ref& source, void* data) const {
    return detail::Finish(hal_device_queue_download(device_, SubmitParams(waits, done, queues_), source, data));
  }
  Done Read(Points waits, Points done, hal_file_t* file, uint64_t file_offset, const Ref& target) const {
    return detail::Finish(
        hal_device_queue_read(device_, SubmitParams(waits, done, queues_), file, file_offset, target));
  }
  Done Write(Points waits, Points done, const Ref& source, hal_file_t* file, uint64_t file_offset) const {
    return detail::Finish(
        hal_device_queue_write(device_, SubmitParams(waits, done, queues_), source, file, file_offset));
  }
  Done Dispatch(Points waits, Points done, hal_executable_t* executable, uint32_t ordinal,
                const hal_dispatch_params_t& params) const {
    return detail::Finish(
        hal_device_queue_dispatch(device_, SubmitParams(waits, done, queues_), executable, ordinal, &params));
  }
  Done Dispatch(Points waits, Points done, hal_executable_t* executable, uint32_t ordinal,
                const class Dispatch& dispatch) const {
    return Dispatch(waits, done, executable, ordinal, dispatch.params());
  }
  /// The part of the channel's rank in a collective operation.
  Done Collective(Points waits, Points done, hal_channel_t* channel, const hal_collective_params_t& params) const {
    return detail::Finish(hal_device_queue_collective(device_, SubmitParams(waits, done, queues_), channel, &params));
  }
  Done Execute(Points waits, Points done, hal_command_buffer_t* commands, Refs table = {}) const {
    return detail::Finish(hal_device_queue_execute(device_, SubmitParams(waits, done, queues_), commands, table));
  }
  /// With numbers: a struct as the recording lays them out, or an array of bytes.
  template <Plain T>
  Done Execute(Points waits, Points done, hal_command_buffer_t* commands, Refs table, const T& numbers) const {
    hal_execute_params_t params = HAL_INIT(hal_execute_params_t);
    params.table = table;
    params.numbers = &numbers;
    params.numbers_size = sizeof(numbers);
    return detail::Finish(
        hal_device_queue_execute_with(device_, SubmitParams(waits, done, queues_), commands, &params));
  }
  /// Calls `callback` once, as hal_host_call_fn_t says. It takes nothing, and is called only if the waits were reached;
  /// or it takes their end as a Status, and is called always. It returns nothing, or a Status that may fail `done`.
  template <class Function>
  requires std::invocable<Function> || std::invocable<Function, Status> Done HostCall(Points waits, Points done,
                                                                                      Function callback)
  const {
    detail::Once<Function> once(std::move(callback));
    const hal_status_t code =
        hal_device_queue_host_call(device_, SubmitParams(waits, done, queues_), CallHost<Function>, once.get());
    once.Handed(code);
    return detail::Finish(code);
  }

 private:
  template <class Function>
  static hal_status_t CallHost(void* user_data, hal_status_t status) {
    const auto function = detail::Once<Function>::Take(user_data);
    const auto call = [&]() -> decltype(auto) {
      if constexpr (std::invocable<Function, Status>) {
        return (*function)(Status::Last(status));
      } else {
        return (*function)();
      }
    };
    if (!std::invocable<Function, Status> && status != HAL_STATUS_OK) return status;
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return HAL_STATUS_OK;
    } else {
      const Status result = call();
      if (!result.ok()) hal_set_error_message(View(result.message()));
      return result.code();
    }
  }

  hal_device_t* device_;
  hal_queue_mask_t queues_;
};

HAL_CPP_END

#include "halyard/cpp/macros_end.hpp"

#endif  // HALYARD_CPP_QUEUE_HPP_
