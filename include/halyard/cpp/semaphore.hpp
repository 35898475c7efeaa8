// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Timelines in C++.
#ifndef HALYARD_CPP_SEMAPHORE_HPP_
#define HALYARD_CPP_SEMAPHORE_HPP_

#include <concepts>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "halyard/cpp/handle.hpp"
#include "halyard/cpp/macros_begin.hpp"
#include "halyard/fence.h"
#include "halyard/semaphore.h"

HAL_CPP_BEGIN

namespace detail {

/// Turns the end of a wait into whether it came to its end in time. DEADLINE_EXCEEDED is never a semaphore's failure.
inline Returned<bool> InTime(hal_status_t code) {
  if (code == HAL_STATUS_DEADLINE_EXCEEDED) return false;
  return Finish(code, true);
}

}  // namespace detail

/// Points on timelines as an argument, which is where it lives: `{}`, `{a.At(1), b.At(2)}`, a vector, a fence.
class Points {
 public:
  Points() = default;
  Points(const hal_timeline_point_t& point) : list_{&point, 1} {}  // NOLINT
  Points(std::initializer_list<hal_timeline_point_t> points) : list_{points.begin(), points.size()} {}
  Points(std::span<const hal_timeline_point_t> points) : list_{points.data(), points.size()} {}  // NOLINT
  Points(const std::convertible_to<std::span<const hal_timeline_point_t>> auto& points)          // NOLINT
      : Points(std::span<const hal_timeline_point_t>(points)) {}
  Points(hal_semaphore_list_t list) : list_(list) {}       // NOLINT
  operator hal_semaphore_list_t() const { return list_; }  // NOLINT

 private:
  hal_semaphore_list_t list_ = {nullptr, 0};
};

/// A timeline.
class Semaphore : public Handle<hal_semaphore_t, hal_semaphore_retain, hal_semaphore_release> {
 public:
  using Handle::Handle;
  static Returned<Semaphore> Create(hal_device_t* device, uint64_t initial_value = 0) {
    hal_semaphore_params_t params = HAL_INIT(hal_semaphore_params_t);
    params.initial_value = initial_value;
    return detail::Make<Semaphore>([&](auto** out) { return hal_semaphore_create(device, &params, out); });
  }
  /// One that processes can share: see hal_semaphore_export().
  static Returned<Semaphore> CreateShared(hal_device_t* device, uint64_t initial_value = 0) {
    hal_semaphore_params_t params = HAL_INIT(hal_semaphore_params_t);
    params.initial_value = initial_value;
    params.handles = HAL_PEER_HANDLE_HOST_FD;
    return detail::Make<Semaphore>([&](auto** out) { return hal_semaphore_create(device, &params, out); });
  }
  static Returned<Semaphore> Import(hal_device_t* device, const hal_external_semaphore_t& external) {
    return detail::Make<Semaphore>([&](auto** out) { return hal_semaphore_import(device, &external, out); });
  }
  /// The caller closes its descriptor.
  Returned<hal_external_semaphore_t> Export(hal_external_semaphore_type_t type) const {
    hal_external_semaphore_t external = HAL_INIT(hal_external_semaphore_t);
    const hal_status_t code = hal_semaphore_export(get(), type, &external);
    return detail::Finish(code, std::move(external));
  }
  Semaphore Share() const { return Semaphore(Retained()); }

  /// The point where the timeline reaches `value`.
  hal_timeline_point_t At(uint64_t value) const { return hal_timeline_point(get(), value); }
  /// The current value; the failure of a failed semaphore.
  Returned<uint64_t> Query() const {
    uint64_t value = 0;
    const hal_status_t code = hal_semaphore_query(get(), &value);
    return detail::Finish(code, std::move(value));
  }
  Done Signal(uint64_t value) const { return detail::Finish(hal_semaphore_signal(get(), value)); }
  Done Fail(hal_status_t code, std::string_view message) const {
    return detail::Finish(hal_semaphore_fail(get(), code, View(message)));
  }
  Done Wait(uint64_t value) const { return detail::Finish(hal_semaphore_wait(get(), value, HAL_TIMEOUT_INFINITE)); }
  /// Whether `value` was reached in time.
  template <class Rep, class Period>
  Returned<bool> WaitFor(uint64_t value, std::chrono::duration<Rep, Period> timeout) const {
    return detail::InTime(hal_semaphore_wait(get(), value, detail::Timeout(timeout)));
  }
  template <class Clock, class Duration>
  Returned<bool> WaitUntil(uint64_t value, std::chrono::time_point<Clock, Duration> deadline) const {
    return WaitFor(value, deadline - Clock::now());
  }

  /// Calls `callback(Status)` once: see hal_semaphore_notify().
  template <std::invocable<Status> Function>
  Returned<hal_timepoint_t> Notify(uint64_t value, Function callback) const {
    detail::Once<Function> once(std::move(callback));
    hal_timepoint_t timepoint = {0, 0};
    const auto call = [](void* user_data, hal_status_t code, hal_string_view_t message) {
      (*detail::Once<Function>::Take(user_data))(Status(code, std::string(View(message))));
    };
    const hal_status_t code = hal_semaphore_notify(get(), value, call, once.get(), &timepoint);
    once.Handed(code);
    return detail::Finish(code, std::move(timepoint));
  }
  Done Cancel(hal_timepoint_t timepoint) const { return detail::Finish(hal_semaphore_cancel(get(), timepoint)); }
};

/// Blocks until all points are reached.
inline Done WaitAll(Points points) {
  return detail::Finish(hal_semaphore_list_wait(points, HAL_WAIT_ALL, HAL_TIMEOUT_INFINITE, nullptr));
}
/// Blocks until any of them is reached. `*out_index`, unless NULL, is which one, or whose semaphore failed.
inline Done WaitAny(Points points, size_t* out_index = nullptr) {
  return detail::Finish(hal_semaphore_list_wait(points, HAL_WAIT_ANY, HAL_TIMEOUT_INFINITE, out_index));
}
/// Blocks until all points are reached, or `go_on`, which is asked every 50 ms, returns false: then CANCELLED.
template <std::predicate Function>
Done WaitAllWhile(Points points, Function&& go_on) {
  using Plain = std::remove_reference_t<Function>;
  return detail::Finish(hal_semaphore_list_wait_while(
      points, HAL_WAIT_ALL, HAL_TIMEOUT_INFINITE,
      [](void* user_data) -> bool { return (*static_cast<Plain*>(user_data))(); },
      const_cast<void*>(static_cast<const void*>(std::addressof(go_on))), nullptr));
}
/// Whether any of them was reached in time; `*out_index` as for WaitAny().
template <class Rep, class Period>
Returned<bool> WaitAnyFor(Points points, std::chrono::duration<Rep, Period> timeout, size_t* out_index) {
  return detail::InTime(hal_semaphore_list_wait(points, HAL_WAIT_ANY, detail::Timeout(timeout), out_index));
}
/// Whether all points were reached in time, or any of them.
template <class Rep, class Period>
Returned<bool> WaitFor(Points points, hal_wait_flags_t flags, std::chrono::duration<Rep, Period> timeout) {
  return detail::InTime(hal_semaphore_list_wait(points, flags, detail::Timeout(timeout), nullptr));
}

/// A set of points on timelines.
class Fence : public Handle<hal_fence_t, hal_fence_retain, hal_fence_release> {
 public:
  using Handle::Handle;
  static Returned<Fence> Create(size_t capacity) {
    return detail::Make<Fence>([&](auto** out) { return hal_fence_create(capacity, out); });
  }
  Fence Share() const { return Fence(Retained()); }

  Done Insert(const hal_timeline_point_t& point) const {
    return detail::Finish(hal_fence_insert(get(), point.semaphore, point.value));
  }
  Done Extend(Points points) const { return detail::Finish(hal_fence_extend(get(), points)); }
  /// Its points, which live until it changes.
  Points List() const { return hal_fence_list(get()); }
  Done Query() const { return detail::Finish(hal_fence_query(get())); }
  Done Signal() const { return detail::Finish(hal_fence_signal(get())); }
  Done Fail(hal_status_t code, std::string_view message) const {
    return detail::Finish(hal_fence_fail(get(), code, View(message)));
  }
  Done Wait() const { return detail::Finish(hal_fence_wait(get(), HAL_TIMEOUT_INFINITE)); }
  /// Whether all points were reached in time.
  template <class Rep, class Period>
  Returned<bool> WaitFor(std::chrono::duration<Rep, Period> timeout) const {
    return detail::InTime(hal_fence_wait(get(), detail::Timeout(timeout)));
  }
};

HAL_CPP_END

#include "halyard/cpp/macros_end.hpp"

#endif  // HALYARD_CPP_SEMAPHORE_HPP_
