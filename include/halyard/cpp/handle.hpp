// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// What the wrappers of all objects share: references, time-outs, callbacks.
#ifndef HALYARD_CPP_HANDLE_HPP_
#define HALYARD_CPP_HANDLE_HPP_

#include <chrono>
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "halyard/base.h"
#include "halyard/cpp/macros_begin.hpp"
#include "halyard/cpp/status.hpp"
#include "halyard/label.h"

HAL_CPP_BEGIN

/// One reference to an object of the C API, or none. Moves, and does not copy.
///
/// A handle stands for its C pointer wherever the C API wants one; a temporary handle does not, as it would be gone.
template <class T, void (*kRetain)(T*), void (*kRelease)(T*)>
class Handle {
 public:
  using Native = T;

  Handle() = default;
  /// Takes over a reference.
  explicit Handle(T* object) : object_(object) {}
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~Handle() { kRelease(object_); }

  T* get() const { return object_; }
  operator T*() const& { return object_; }  // NOLINT(google-explicit-constructor)
  operator T*() const&& = delete;
  explicit operator bool() const { return object_ != nullptr; }
  /// Gives the reference to the caller.
  [[nodiscard]] T* release() { return std::exchange(object_, nullptr); }
  /// What messages call the object from now on.
  Done SetLabel(std::string_view label) const { return detail::Finish(hal_object_set_label(object_, View(label))); }
  std::string Label() const { return std::string(View(hal_object_label(object_))); }
  /// Releases the reference, and takes another one over.
  void reset(T* object = nullptr) { kRelease(std::exchange(object_, object)); }
  /// Where a function of the C API puts a new object.
  T** out() {
    reset();
    return &object_;
  }

 protected:
  /// One reference more.
  T* Retained() const {
    kRetain(object_);
    return object_;
  }

 private:
  T* object_ = nullptr;
};

/// Waits for ever.
inline constexpr std::chrono::nanoseconds kForever = (std::chrono::nanoseconds::max)();

namespace detail {

/// Nanoseconds for the C API, rounded up: what is negative is 0, and what no 64 bits hold never runs out.
template <class Rep, class Period>
uint64_t Timeout(std::chrono::duration<Rep, Period> duration) {
  using Seconds = std::chrono::duration<double>;
  if (duration <= duration.zero()) return 0;
  if (Seconds(duration) >= Seconds(kForever)) return HAL_TIMEOUT_INFINITE;
  return static_cast<uint64_t>(std::chrono::ceil<std::chrono::nanoseconds>(duration).count());
}

/// Calls a function of the C API whose last parameter returns a new object.
template <class Wrapper, class Create>
Returned<Wrapper> Make(Create&& create) {
  typename Wrapper::Native* object = nullptr;
  const hal_status_t code = create(&object);
  return Finish(code, Wrapper(object));
}

/// Reads a list whose length the C API tells first.
template <class Container, class Element, class Query>
hal_status_t ReadList(const Element& blank, Query&& query, Container* out) {
  for (;;) {
    size_t count = 0;
    hal_status_t code = query(&count, static_cast<Element*>(nullptr));
    if (code != HAL_STATUS_OK) return code;
    out->assign(count, blank);
    if (count == 0) return code;
    code = query(&count, out->data());
    if (code == HAL_STATUS_OUT_OF_RANGE && count > out->size()) continue;  // it has grown meanwhile
    if (code == HAL_STATUS_OK && count < out->size())
      out->erase(out->begin() + static_cast<std::ptrdiff_t>(count), out->end());
    return code;
  }
}

/// A function object that the library calls once. It lies on the heap until then.
template <class Function>
class Once {
 public:
  explicit Once(Function function) : held_(new Function(std::move(function))) {}
  void* get() const { return held_.get(); }
  /// After a call that succeeded, the callback owns it.
  void Handed(hal_status_t code) {
    if (code == HAL_STATUS_OK) static_cast<void>(held_.release());
  }
  /// In the callback.
  static std::unique_ptr<Function> Take(void* user_data) {
    return std::unique_ptr<Function>(static_cast<Function*>(user_data));
  }

 private:
  std::unique_ptr<Function> held_;
};

/// A release callback that calls a function object without arguments.
template <class Function>
void CallOnce(void* user_data) {
  (*Once<Function>::Take(user_data))();
}

}  // namespace detail

HAL_CPP_END

#include "halyard/cpp/macros_end.hpp"

#endif  // HALYARD_CPP_HANDLE_HPP_
