// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The header of a .npy file: a Python dictionary, of which just as much is understood as NumPy writes.
#ifndef HALYARD_TOOLS_SUPPORT_NPY_HEADER_H_
#define HALYARD_TOOLS_SUPPORT_NPY_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "support/npy/npy_dtype.h"

namespace halyard::tools {

/// What stands before the elements.
struct NpyHeaderInfo {
  NpyDtype dtype;
  bool fortran_order = false;
  std::vector<int64_t> shape;
  size_t data_offset = 0;  ///< where in the file the elements begin
};

/// Reads everything up to the elements. Throws Failure (kInput).
NpyHeaderInfo ParseNpyHeader(std::span<const std::byte> file);

/// Reads the dictionary alone.
NpyHeaderInfo ParseNpyDictionary(std::string_view text);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_NPY_HEADER_H_
