// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of Python as the bytes of an element.
#ifndef HALYARD_PYTHON_NUMBERS_H_
#define HALYARD_PYTHON_NUMBERS_H_

#include "element_type.h"

namespace halyard::python {

/// Writes a number to `out`, `size` bytes. Where the type is not known, an int is an integer and a float is a float of
/// that size. Anything else is bytes, of just that size: a structure of ctypes, an array. Throws TypeError and
/// OverflowError with the name of what is set.
void PutNumber(nb::handle value, hal_element_type_t type, size_t size, const char* name, unsigned char* out);

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_NUMBERS_H_
