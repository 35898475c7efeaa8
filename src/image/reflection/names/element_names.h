// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of numbers by the names that OpenCL C, CUDA, HIP and mangled names give them.
#ifndef HALYARD_IMAGE_REFLECTION_ELEMENT_NAMES_H_
#define HALYARD_IMAGE_REFLECTION_ELEMENT_NAMES_H_

#include <cstdint>
#include <string_view>

#include "halyard/buffer_view.h"

namespace halyard {

/// The type of a number, or of those in a vector: "uint", "float4", "__half". HAL_ELEMENT_TYPE_NONE if it is another.
hal_element_type_t ElementTypeOfName(std::string_view name);

/// The same for a type as Numba calls it: "int32", "float64", "boolean".
hal_element_type_t ElementTypeOfNumba(std::string_view name);

/// A built-in type of C++.
struct MangledNumber {
  char letter;  ///< which it is in mangled names
  hal_element_type_t element;
  uint32_t size;  ///< bytes; 0 if the platform decides
};

/// The type that a letter is; NULL if none.
const MangledNumber* FindMangledNumber(char letter);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_ELEMENT_NAMES_H_
