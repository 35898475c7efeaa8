// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "errors.h"

namespace halyard::python {

namespace {

/// The dictionary of classes by the name of their status, filled by halyard/_errors.py. Lives as long as the process.
PyObject* g_classes = nullptr;

}  // namespace

void ThrowLast(hal_status_t code) { throw Failure(code, hal_last_error_message()); }

nb::object MakeException(hal_status_t code, const std::string& message) {
  PyObject* type = g_classes ? PyDict_GetItemString(g_classes, hal_status_name(code)) : nullptr;
  if (!type) type = PyExc_RuntimeError;
  // A message may hold any bytes of a label or of a vendor.
  const nb::object text =
      nb::steal(PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
  return nb::borrow(type)(text);
}

void BindErrors(nb::module_& module) {
  module.def(
      "_set_errors", [](nb::dict classes) { g_classes = classes.release().ptr(); }, nb::arg("classes"),
      "Sets the exception of each status, by the name of the status.");
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Failure& failure) {
      const nb::object exception = MakeException(failure.code(), failure.message());
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
    }
  });
}

}  // namespace halyard::python
