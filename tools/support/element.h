// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single elements of arrays: their types' names, their values as text and as numbers.
#ifndef HALYARD_TOOLS_SUPPORT_ELEMENT_H_
#define HALYARD_TOOLS_SUPPORT_ELEMENT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/buffer_view.h"

namespace halyard::tools {

/// Reads a type by its MLIR name ("f32", "ui8"), or as "u8". Throws Failure (kUsage), with the known names.
hal_element_type_t ParseElementType(std::string_view text);
/// The MLIR name.
std::string ElementTypeText(hal_element_type_t type);

/// The bytes of one element whose value is written as text: "5", "-1", "0xff", "1.5e-3", "inf", "true", and of complex
/// types "1.5", "-2i" or "1.5-2i". Throws Failure (kUsage) if it is no number or the type cannot hold it.
std::vector<std::byte> ParseElement(hal_element_type_t type, std::string_view text);

/// How to read numbers out of memory. Wide enough for every type to come through unchanged.
struct NumberReader {
  size_t size = 0;        ///< bytes of a number
  size_t components = 1;  ///< numbers in an element: 2 for complex types
  long double (*read)(const std::byte* memory) = nullptr;
};
/// The reader for a type. Throws Failure (kUsage) for a type without numbers.
NumberReader ReaderFor(hal_element_type_t type);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_ELEMENT_H_
