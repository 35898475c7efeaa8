// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Streams in C++.
#ifndef HALYARD_CPP_STREAM_HPP_
#define HALYARD_CPP_STREAM_HPP_

#include "halyard/cpp/command_buffer.hpp"
#include "halyard/cpp/executable.hpp"
#include "halyard/cpp/macros_begin.hpp"
#include "halyard/cpp/memory.hpp"
#include "halyard/cpp/semaphore.hpp"
#include "halyard/stream.h"

HAL_CPP_BEGIN

/// Work that runs in the order in which it is submitted.
class Stream : public Handle<hal_stream_t, hal_stream_retain, hal_stream_release> {
 public:
  using Handle::Handle;
  static Returned<Stream> Create(hal_device_t* device, hal_queue_mask_t queues = HAL_QUEUE_ANY) {
    hal_stream_params_t params = HAL_INIT(hal_stream_params_t);
    params.queues = queues;
    return detail::Make<Stream>([&](auto** out) { return hal_stream_create(device, &params, out); });
  }
  Stream Share() const { return Stream(Retained()); }

  /// The end of all that was submitted.
  hal_timeline_point_t Record() const { return hal_stream_record(get()); }
  Done Wait() const { return detail::Finish(hal_stream_wait(get(), HAL_TIMEOUT_INFINITE)); }
  /// Whether all was done in time.
  template <class Rep, class Period>
  Returned<bool> WaitFor(std::chrono::duration<Rep, Period> timeout) const {
    return detail::InTime(hal_stream_wait(get(), detail::Timeout(timeout)));
  }
  /// What is submitted from now on waits for a point, too.
  Done WaitFor(const hal_timeline_point_t& point) const {
    return detail::Finish(hal_stream_wait_points(get(), hal_semaphore_list(&point, 1)));
  }
  /// What is submitted from now on waits for what was submitted to another stream, too.
  Done WaitFor(const Stream& other) const { return detail::Finish(hal_stream_wait_stream(get(), other.get())); }

  /// With a pattern of 1, 2 or 4 bytes.
  template <Plain T>
  Done Fill(const Ref& target, const T& pattern) const {
    return detail::Finish(hal_stream_fill(get(), target, &pattern, sizeof(pattern)));
  }
  Done Update(const void* data, const Ref& target) const {
    return detail::Finish(hal_stream_update(get(), data, target));
  }
  Done Copy(const Ref& source, const Ref& target) const {
    return detail::Finish(hal_stream_copy(get(), source, target));
  }
  /// `data` stays as it is until the copy is done.
  Done Upload(const void* data, const Ref& target) const {
    return detail::Finish(hal_stream_upload(get(), data, target));
  }
  /// `data` is written to until the copy is done.
  Done Download(const Ref& source, void* data) const {
    return detail::Finish(hal_stream_download(get(), source, data));
  }
  Done Dispatch(hal_executable_t* executable, uint32_t ordinal, const hal_dispatch_params_t& params) const {
    return detail::Finish(hal_stream_dispatch(get(), executable, ordinal, &params));
  }
  Done Dispatch(hal_executable_t* executable, uint32_t ordinal, const class Dispatch& dispatch) const {
    return Dispatch(executable, ordinal, dispatch.params());
  }
  Done Execute(hal_command_buffer_t* commands, Refs table = {}) const {
    hal_execute_params_t params = HAL_INIT(hal_execute_params_t);
    params.table = table;
    return detail::Finish(hal_stream_execute(get(), commands, &params));
  }
  /// With numbers: a struct as the recording lays them out, or an array of bytes.
  template <Plain T>
  Done Execute(hal_command_buffer_t* commands, Refs table, const T& numbers) const {
    hal_execute_params_t params = HAL_INIT(hal_execute_params_t);
    params.table = table;
    params.numbers = &numbers;
    params.numbers_size = sizeof(numbers);
    return detail::Finish(hal_stream_execute(get(), commands, &params));
  }
};

HAL_CPP_END

#include "halyard/cpp/macros_end.hpp"

#endif  // HALYARD_CPP_STREAM_HPP_
