// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps as descriptions have them:
//
//   {"kind": "tensor_map", "binding": 0, "access": "read", "data_type": "float16", "swizzle": 128, "l2_promotion": 128,
//    "box": [64, 64], "sizes": [{"offset": 0, "size": 4}, 1024], "strides": [{"offset": 8, "size": 8}, 1]}
//
// A number is fixed, or is in the constants of the dispatch.
#ifndef HALYARD_TOOLS_SUPPORT_TENSOR_MAP_DESCRIPTION_H_
#define HALYARD_TOOLS_SUPPORT_TENSOR_MAP_DESCRIPTION_H_

#include <string>

#include "halyard/executable.h"
#include "support/json.h"

namespace halyard::tools {

/// Reads what a parameter says of its map beyond its binding. Throws Failure (kInput).
hal_tensor_map_t ReadTensorMap(const JsonValue& object);

/// The same as keys and values.
Json ToJson(const hal_tensor_map_t& map);

/// "float16, box 64 x 64, swizzle 128, sizes [constant 0, 1024], strides [constant 8, 1]".
std::string TensorMapText(const hal_tensor_map_t& map);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_TENSOR_MAP_DESCRIPTION_H_
