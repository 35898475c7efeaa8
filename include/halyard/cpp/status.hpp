// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Failures in C++: as exceptions, or as values. See halyard/halyard.hpp.
#ifndef HALYARD_CPP_STATUS_HPP_
#define HALYARD_CPP_STATUS_HPP_

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "halyard/status.h"

/// Whether failures are exceptions: 1 or 0. Define it before the first include. Each choice has a namespace of its own
/// within `hal`, so that both may be in one program.
#ifndef HAL_CPP_EXCEPTIONS
#ifdef __cpp_exceptions
#define HAL_CPP_EXCEPTIONS 1
#else
#define HAL_CPP_EXCEPTIONS 0
#endif
#endif

#if HAL_CPP_EXCEPTIONS
#include <stdexcept>
#define HAL_CPP_BEGIN \
  namespace hal {     \
  inline namespace throwing {
#else
#define HAL_CPP_BEGIN \
  namespace hal {     \
  inline namespace returning {
#endif
#define HAL_CPP_END \
  }                 \
  }

#include "halyard/cpp/macros_begin.hpp"

HAL_CPP_BEGIN

/// A view of text, which must outlive it.
inline hal_string_view_t View(std::string_view text) { return {text.data(), text.size()}; }
/// A view of the library's text.
inline std::string_view View(hal_string_view_t text) { return {text.data ? text.data : "", text.size}; }

/// How a call ended, with the message of a failure.
class [[nodiscard]] Status {
 public:
  /// OK.
  Status() = default;
  /// A failure with a message of the caller's.
  Status(hal_status_t code, std::string message) : code_(code), message_(std::move(message)) {}
  /// How the last call on this thread ended, which returned `code`.
  static Status Last(hal_status_t code) {
    return code == HAL_STATUS_OK ? Status() : Status(code, hal_last_error_message());
  }

  bool ok() const { return code_ == HAL_STATUS_OK; }
  hal_status_t code() const { return code_; }
  /// Empty for OK.
  const std::string& message() const { return message_; }
  /// "OUT_OF_RANGE: hal_buffer_map: …".
  std::string ToString() const {
    return ok() ? std::string("OK") : std::string(hal_status_name(code_)) + ": " + message_;
  }

  friend bool operator==(const Status& status, hal_status_t code) { return status.code_ == code; }

 private:
  hal_status_t code_ = HAL_STATUS_OK;
  std::string message_;
};

/// The same by another name, for a program in which <X11/Xlib.h> defines the macro Status.
using CallStatus = Status;

#if HAL_CPP_EXCEPTIONS
/// A failure.
class Error : public std::runtime_error {
 public:
  explicit Error(Status status) : std::runtime_error(status.ToString()), status_(std::move(status)) {}

  const Status& status() const { return status_; }
  hal_status_t code() const { return status_.code(); }

 private:
  Status status_;
};

/// What a function returns that makes nothing.
using Done = void;
/// What a function returns that makes a T.
template <class T>
using Returned = T;

namespace detail {

inline void Finish(hal_status_t code) {
  if (code != HAL_STATUS_OK) throw Error(Status::Last(code));
}
template <class T>
T Finish(hal_status_t code, T&& value) {
  if (code != HAL_STATUS_OK) throw Error(Status::Last(code));
  return std::forward<T>(value);
}

}  // namespace detail
#else
/// A value, or why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}            // NOLINT(google-explicit-constructor): as in `return x;`
  Result(Status failure) : status_(std::move(failure)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  /// @name The value
  /// There must be one.
  /// @{
  T& operator*() & {
    assert(ok());
    return *value_;
  }
  const T& operator*() const& {
    assert(ok());
    return *value_;
  }
  T&& operator*() && {
    assert(ok());
    return *std::move(value_);
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }
  /// @}

 private:
  Status status_;
  std::optional<T> value_;
};

using Done = Status;
template <class T>
using Returned = Result<T>;

namespace detail {

inline Status Finish(hal_status_t code) { return Status::Last(code); }
template <class T>
Result<T> Finish(hal_status_t code, T&& value) {
  if (code != HAL_STATUS_OK) return Status::Last(code);
  return std::forward<T>(value);
}

}  // namespace detail
#endif

HAL_CPP_END

#include "halyard/cpp/macros_end.hpp"

#endif  // HALYARD_CPP_STATUS_HPP_
