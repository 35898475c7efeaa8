// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays from and to C++ values.
#ifndef HALYARD_TESTS_TOOLS_ARRAYS_H_
#define HALYARD_TESTS_TOOLS_ARRAYS_H_

#include <cstring>
#include <vector>

#include "support/npy/npy.h"

namespace halyard::tools {

template <class T>
NpyArray Array(hal_element_type_t type, std::vector<int64_t> shape, const std::vector<T>& values) {
  NpyArray array;
  array.type = type;
  array.shape = std::move(shape);
  array.bytes.resize(values.size() * sizeof(T));
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

template <class T>
std::vector<T> Values(const NpyArray& array) {
  std::vector<T> values(array.bytes.size() / sizeof(T));
  std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

}  // namespace halyard::tools

#endif  // HALYARD_TESTS_TOOLS_ARRAYS_H_
