// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "numbers.h"

#include <cmath>
#include <cstring>
#include <string>

namespace halyard::python {

namespace {

[[noreturn]] void Overflow(const char* name, hal_element_type_t type, size_t size) {
  const std::string kind = type == HAL_ELEMENT_TYPE_NONE ? std::to_string(size) + " bytes" : TypeName(type);
  PyErr_Format(PyExc_OverflowError, "%s: the number does not fit into %s", name, kind.c_str());
  throw nb::python_error();
}

/// An integer of up to 8 bytes, with or without a sign as the type says; of an unknown sign, both ranges are fine.
void PutInteger(nb::handle value, hal_element_type_t type, size_t size, const char* name, unsigned char* out) {
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  const uint32_t kind = (type >> 8) & 0x7Fu;
  const bool may_be_unsigned = kind != HAL_NUMERIC_KIND_SIGNED;
  const bool may_be_signed = kind != HAL_NUMERIC_KIND_UNSIGNED && kind != HAL_NUMERIC_KIND_BOOLEAN;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  const unsigned bits = static_cast<unsigned>(size) * 8;
  uint64_t word = static_cast<uint64_t>(number);
  if (overflow > 0 && may_be_unsigned && bits == 64) {
    word = PyLong_AsUnsignedLongLong(index.ptr());
    if (PyErr_Occurred()) {
      PyErr_Clear();
      Overflow(name, type, size);
    }
  } else if (overflow != 0 || (number < 0 && !may_be_signed)) {
    Overflow(name, type, size);
  } else if (bits < 64) {
    const long long top = may_be_unsigned ? (1ll << bits) - 1 : (1ll << (bits - 1)) - 1;
    if (number > top || number < -(1ll << (bits - 1))) Overflow(name, type, size);
  }
  std::memcpy(out, &word, size);
}

/// The bits of a number in a narrower binary format, rounded to the nearest, ties to even.
uint16_t Narrow(double number, int mantissa_bits, int exponent_bits) {
  const uint16_t sign = std::signbit(number) ? 0x8000 : 0;
  const double magnitude = std::fabs(number);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const uint16_t infinity = static_cast<uint16_t>(((1 << exponent_bits) - 1) << mantissa_bits);
  if (std::isnan(number)) return static_cast<uint16_t>(sign | infinity | (1 << (mantissa_bits - 1)));
  if (std::isinf(number)) return static_cast<uint16_t>(sign | infinity);
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude is below 2^exponent
  const int lowest = 1 - bias;       // the exponent of the smallest normal number
  const int unit = std::max(exponent - 1, lowest) - mantissa_bits;
  const auto scaled = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
  // Carries into the exponent are just what a sum of the two fields gives.
  const uint32_t field = static_cast<uint32_t>(std::max(exponent - 1, lowest) - lowest) << mantissa_bits;
  const uint32_t bits = field + scaled;
  return static_cast<uint16_t>(sign | std::min<uint32_t>(bits, infinity));
}

void PutFloat(nb::handle value, hal_element_type_t type, size_t size, const char* name, unsigned char* out) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred()) throw nb::python_error();
  if (size == 8) {
    std::memcpy(out, &number, 8);
  } else if (size == 4) {
    const auto narrow = static_cast<float>(number);
    if (std::isinf(narrow) && !std::isinf(number)) Overflow(name, type, size);
    std::memcpy(out, &narrow, 4);
  } else if (size == 2) {
    const uint16_t bits = type == HAL_ELEMENT_TYPE_BF16 ? Narrow(number, 7, 8) : Narrow(number, 10, 5);
    std::memcpy(out, &bits, 2);
  } else {
    PyErr_Format(PyExc_TypeError, "%s: a float has 2, 4 or 8 bytes, not %zu; give the bytes", name, size);
    throw nb::python_error();
  }
}

void PutBytes(nb::handle value, size_t size, const char* name, unsigned char* out) {
  Py_buffer view;
  if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_SIMPLE) != 0) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s takes a number or %zu bytes, not %S", name, size,
                 reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())));
    throw nb::python_error();
  }
  const auto given = static_cast<size_t>(view.len);
  if (given == size) std::memcpy(out, view.buf, size);
  PyBuffer_Release(&view);
  if (given == size) return;
  PyErr_Format(PyExc_TypeError, "%s has %zu bytes, and %zu were given", name, size, given);
  throw nb::python_error();
}

}  // namespace

void PutNumber(nb::handle value, hal_element_type_t type, size_t size, const char* name, unsigned char* out) {
  const uint32_t kind = (type >> 8) & 0xFFu;
  const bool is_integer =
      (kind >= HAL_NUMERIC_KIND_BOOLEAN && kind <= HAL_NUMERIC_KIND_UNSIGNED) || kind == HAL_NUMERIC_KIND_INDEX;
  const bool is_float = kind == HAL_NUMERIC_KIND_FLOAT || kind == HAL_NUMERIC_KIND_BFLOAT;
  const bool has_index = PyIndex_Check(value.ptr());
  const bool has_float = PyFloat_Check(value.ptr()) || (!has_index && nb::hasattr(value, "__float__"));
  if (type == HAL_ELEMENT_TYPE_NONE ? has_index : is_integer && has_index) {
    if (size <= 8) return PutInteger(value, type, size, name, out);
  } else if (is_integer && has_float) {
    PyErr_Format(PyExc_TypeError, "%s is a number of the type %s; give an int", name, TypeName(type).c_str());
    throw nb::python_error();
  } else if (type == HAL_ELEMENT_TYPE_NONE ? has_float : is_float && (has_index || has_float)) {
    return PutFloat(value, type, size, name, out);
  }
  PutBytes(value, size, name, out);
}

}  // namespace halyard::python
