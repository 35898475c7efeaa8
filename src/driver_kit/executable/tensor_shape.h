// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensors of a dispatch whose kernel takes tensor maps.
#ifndef HALYARD_DRIVER_KIT_EXECUTABLE_TENSOR_SHAPE_H_
#define HALYARD_DRIVER_KIT_EXECUTABLE_TENSOR_SHAPE_H_

#include <array>
#include <cstdint>

#include "base/status.h"
#include "halyard/executable.h"

namespace halyard {

/// A tensor, with the numbers that a map takes from constants. The last dimension is contiguous.
struct TensorShape {
  std::array<uint64_t, HAL_TENSOR_MAP_MAX_RANK> sizes = {};    ///< elements
  std::array<uint64_t, HAL_TENSOR_MAP_MAX_RANK> strides = {};  ///< bytes
  uint64_t extent = 0;                                         ///< bytes up to the end of its last element
};

/// Reads and checks the shape of a tensor. INVALID_ARGUMENT, with the dimension.
/// @param constants  of the dispatch, as many as the export takes
Status ReadTensorShape(const hal_tensor_map_t& map, const void* constants, TensorShape* out_shape);

/// OUT_OF_RANGE if the tensor has more bytes than its binding.
Status CheckTensorFits(const TensorShape& shape, uint64_t length);

/// Puts the parameter, and the export's name, before the message of a failure.
Status AnnotateTensor(Status status, const hal_export_info_t& info, uint32_t parameter);

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_EXECUTABLE_TENSOR_SHAPE_H_
