// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What descriptions of tensor maps have to be like, wherever they come from.
#ifndef HALYARD_FUNCTION_TENSOR_MAP_CHECKS_H_
#define HALYARD_FUNCTION_TENSOR_MAP_CHECKS_H_

#include <cstdint>
#include <span>

#include "base/status.h"
#include "halyard/executable.h"

namespace halyard {

inline constexpr uint32_t kTensorMapSize = 128;  ///< bytes of one, as a kernel takes it

/// Bytes of an element of a tensor; 0 for a data type that there is not.
uint32_t TensorElementSize(uint32_t data_type);

/// Checks the maps of an export against its parameters, of which as many have to be of the kind TENSOR_MAP, and against
/// the bytes of its constants. Fails with `failure` and a message that begins with the field: `tensor_maps[1].rank: …`.
Status CheckTensorMaps(std::span<const hal_tensor_map_t> maps, std::span<const hal_parameter_t> parameters,
                       uint32_t constants_size, hal_status_t failure);

}  // namespace halyard

#endif  // HALYARD_FUNCTION_TENSOR_MAP_CHECKS_H_
