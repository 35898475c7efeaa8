// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Reading the arrays of this example: float32, row-major, as NumPy saves them.
#ifndef HALYARD_EXAMPLES_MLIR_NPY_H_
#define HALYARD_EXAMPLES_MLIR_NPY_H_

#include <cstdint>
#include <filesystem>
#include <vector>

namespace examples {

struct Array {
  std::vector<int64_t> sizes;
  std::vector<float> values;
};

/// Throws std::runtime_error if it is another kind of file.
Array ReadNpy(const std::filesystem::path& path);

}  // namespace examples

#endif  // HALYARD_EXAMPLES_MLIR_NPY_H_
