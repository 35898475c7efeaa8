// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types by the names that NumPy, the buffer protocol and MLIR have for them.
#ifndef HALYARD_PYTHON_ELEMENT_TYPE_H_
#define HALYARD_PYTHON_ELEMENT_TYPE_H_

#include <halyard/halyard.h>
#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace halyard::python {

namespace nb = nanobind;

/// What arrays of the host call an element type.
struct ElementName {
  hal_element_type_t type;
  const char* name;        ///< NumPy's: "float32"
  const char* format;      ///< the buffer protocol's: "f"; NULL if it has none
  const char* array_type;  ///< of `__array_interface__`, without the byte order: "f4"; NULL if it has none
};

/// NULL for a type that NumPy has no name for.
const ElementName* FindElementName(hal_element_type_t type);
/// "float32"; MLIR's name for what NumPy has not, "f8E5M2"; "bytes" for NONE.
std::string TypeName(hal_element_type_t type);
/// A type from a name of NumPy or MLIR, or from an object that has one: `numpy.float32`, `numpy.dtype`,
/// `torch.float32`. Throws TypeError. None is NONE.
hal_element_type_t ParseType(nb::handle type);
/// A type from a format of the buffer protocol and the size of an item. Throws TypeError.
hal_element_type_t ParseFormat(const char* format, Py_ssize_t item_size);
/// A type from a type string of `__array_interface__`. Throws TypeError.
hal_element_type_t ParseArrayType(std::string_view text);
/// Bytes of an element; 1 for NONE.
size_t TypeSize(hal_element_type_t type);
/// Whether memory of one type may stand where the other is expected: the same bits, read the same way. Integers have
/// the sign that the operation gives them.
bool SameElements(hal_element_type_t one, hal_element_type_t other);

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_ELEMENT_TYPE_H_
