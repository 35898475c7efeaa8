// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays in NumPy's .npy format, which is how data comes into the tools and leaves them.
//
// The format: "\x93NUMPY", two bytes of version (1.0, 2.0 or 3.0), the length of the header (16 bits in version 1.0,
// else 32), the header (a Python dictionary with the keys descr, fortran_order and shape), the elements.
#ifndef HALYARD_TOOLS_SUPPORT_NPY_H_
#define HALYARD_TOOLS_SUPPORT_NPY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/buffer_view.h"
#include "support/output_file.h"

namespace halyard::tools {

/// A dense row-major array of the host's byte order.
struct NpyArray {
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
  std::vector<int64_t> shape;    ///< elements in each dimension; empty for a scalar
  std::vector<std::byte> bytes;  ///< the elements, the last dimension fastest
};

/// "(2, 3)", as Python writes a shape.
std::string ShapeText(std::span<const int64_t> shape);

/// Reads the contents of a .npy file. Arrays of the other byte order or in Fortran order are converted; integers come
/// as SIGNED or UNSIGNED types. Needs memory for the file and, in Fortran order, for the elements once more.
///
/// Throws Failure (kInput) with what is wrong: no .npy file, a version or dtype that is not supported (objects,
/// strings, records, dates, long doubles), a header that promises more or less than the file holds.
NpyArray ParseNpy(std::vector<std::byte> file);

/// Reads a .npy file; messages begin with its name.
NpyArray ReadNpyFile(const std::string& path);

/// NumPy's name for an element type ("<f4"), or the empty string if it has none (bf16, i4).
std::string NpyDescr(hal_element_type_t type);

/// All that stands before the elements in a .npy file. Throws Failure (kUsage) for a type that NumPy does not have.
std::string NpyHeader(hal_element_type_t type, std::span<const int64_t> shape);

/// Writes an array into a file, which the caller commits.
void WriteNpy(const NpyArray& array, OutputFile* file);

/// Writes a file of one array; it appears whole or not at all.
void WriteNpyFile(const std::string& path, const NpyArray& array, Replace replace = Replace::kSameKind);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_NPY_H_
