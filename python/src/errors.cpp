// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "errors.h"

#include <new>
#include <typeinfo>

namespace halyard::python {

namespace {

/// The dictionary of classes by the name of their status, filled by halyard/_errors.py. Lives as long as the process.
PyObject* g_classes = nullptr;

PyObject* BuiltinClass(nb::exception_type type) {
  switch (type) {
    case nb::exception_type::index_error:
      return PyExc_IndexError;
    case nb::exception_type::key_error:
      return PyExc_KeyError;
    case nb::exception_type::value_error:
      return PyExc_ValueError;
    case nb::exception_type::type_error:
      return PyExc_TypeError;
    case nb::exception_type::buffer_error:
      return PyExc_BufferError;
    case nb::exception_type::import_error:
      return PyExc_ImportError;
    case nb::exception_type::attribute_error:
      return PyExc_AttributeError;
    default:
      return PyExc_RuntimeError;
  }
}

void Raise(const Failure& failure) {
  const nb::object exception = MakeException(failure.code(), failure.message());
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
}

/// What nb::cast() throws says nothing.
void RaiseBadCast() { PyErr_SetString(PyExc_TypeError, "a part of an argument is of another type than it has to be"); }

}  // namespace

void SetError() noexcept {
  try {
    throw;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const nb::builtin_exception& error) {
    PyErr_SetString(BuiltinClass(error.type()), error.what());
  } catch (const Failure& failure) {
    Raise(failure);
  } catch (const std::bad_cast&) {
    RaiseBadCast();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

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
      Raise(failure);
    } catch (const std::bad_cast&) {
      RaiseBadCast();
    }
  });
}

}  // namespace halyard::python
