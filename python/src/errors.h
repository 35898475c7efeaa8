// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failures of the library as exceptions of Python: one class for each status, in the library's words.
#ifndef HALYARD_PYTHON_ERRORS_H_
#define HALYARD_PYTHON_ERRORS_H_

#include <halyard/halyard.h>
#include <nanobind/nanobind.h>

#include <exception>
#include <string>

namespace halyard::python {

namespace nb = nanobind;

/// A failing status on its way to Python.
class Failure : public std::exception {
 public:
  Failure(hal_status_t code, std::string message) : code_(code), message_(std::move(message)) {}

  hal_status_t code() const { return code_; }
  const std::string& message() const { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  hal_status_t code_;
  std::string message_;
};

/// Throws what the last call of this thread failed with.
[[noreturn]] void ThrowLast(hal_status_t code);

inline void Check(hal_status_t code) {
  if (code != HAL_STATUS_OK) [[unlikely]]
    ThrowLast(code);
}

/// The exception of Python for a status, as an object that is not raised.
nb::object MakeException(hal_status_t code, const std::string& message);

/// The object of C++ behind one of Python. Throws TypeError for one that `__new__` alone has made.
template <class T>
T& Instance(nb::handle object) {
  if (!nb::inst_ready(object)) throw nb::type_error("the object was made without __init__()");
  return *nb::inst_ptr<T>(object);
}

/// Sets Python's error to the exception that is being handled: for functions that CPython calls directly.
void SetError() noexcept;

void BindErrors(nb::module_& module);

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_ERRORS_H_
