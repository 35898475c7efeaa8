// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "function/tensor_map_checks.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>

namespace halyard {
namespace {

// By hal_tensor_data_type_t.
constexpr std::array<uint32_t, 13> kElementSizes = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
constexpr uint32_t kMostBox = 256;
constexpr uint32_t kRowGranularity = 16;  // bytes

Status CheckMost(const char* field, uint32_t number, uint32_t most, hal_status_t failure) {
  return number <= most ? kOk : Fail(failure, "%s: %u is unknown", field, number);
}

// The bytes of the box that lie together; a swizzle permutes pieces of a fixed size.
Status CheckRow(const hal_tensor_map_t& map, hal_status_t failure) {
  const uint32_t row = map.box[map.rank - 1] * TensorElementSize(map.data_type);
  if (row % kRowGranularity != 0) {
    return Fail(failure, "box: %u bytes in the last dimension; they must be a multiple of %u", row, kRowGranularity);
  }
  const uint32_t most = kRowGranularity << map.swizzle;
  if (map.swizzle == 0 || row <= most) return kOk;
  return Fail(failure, "box: %u bytes in the last dimension; swizzle %u takes at most %u", row, map.swizzle, most);
}

Status CheckNumber(const char* list, uint32_t dimension, const hal_tensor_number_t& number, uint32_t constants_size,
                   hal_status_t failure) {
  if (number.size == 0 && number.offset == 0 && number.value != 0) return kOk;
  if (number.size == 0) {
    return Fail(failure, "%s[%u]: fixed at %" PRIu64 " with offset %u; it takes a number above 0 and offset 0", list,
                dimension, number.value, number.offset);
  }
  if ((number.size != 4 && number.size != 8) || number.value != 0) {
    return Fail(failure, "%s[%u]: %u bytes of the constants and the value %" PRIu64 "; it takes 4 or 8 bytes and 0",
                list, dimension, number.size, number.value);
  }
  if (number.offset <= constants_size && number.size <= constants_size - number.offset) return kOk;
  return Fail(failure, "%s[%u]: offset %u + size %u exceeds constants_size, which is %u", list, dimension,
              number.offset, number.size, constants_size);
}

bool IsUnused(const hal_tensor_number_t& number) { return number.offset == 0 && number.size == 0 && number.value == 0; }

Status CheckDimension(const hal_tensor_map_t& map, uint32_t dimension, uint32_t constants_size, hal_status_t failure) {
  if (dimension >= map.rank) {
    if (map.box[dimension] == 0 && IsUnused(map.sizes[dimension]) && IsUnused(map.strides[dimension])) return kOk;
    return Fail(failure, "rank: %u, but there are numbers of dimension %u", map.rank, dimension);
  }
  if (map.box[dimension] == 0 || map.box[dimension] > kMostBox) {
    return Fail(failure, "box[%u]: %u; it must be from 1 to %u", dimension, map.box[dimension], kMostBox);
  }
  HAL_TRY(CheckNumber("sizes", dimension, map.sizes[dimension], constants_size, failure));
  return CheckNumber("strides", dimension, map.strides[dimension], constants_size, failure);
}

Status CheckTensorMap(const hal_tensor_map_t& map, uint32_t constants_size, hal_status_t failure) {
  HAL_TRY(CheckMost("data_type", map.data_type, kElementSizes.size() - 1, failure));
  HAL_TRY(CheckMost("swizzle", map.swizzle, HAL_TENSOR_SWIZZLE_128_BYTES, failure));
  HAL_TRY(CheckMost("l2_promotion", map.l2_promotion, HAL_TENSOR_L2_PROMOTION_256_BYTES, failure));
  HAL_TRY(CheckMost("fill", map.fill, HAL_TENSOR_FILL_NAN, failure));
  if (map.rank == 0 || map.rank > HAL_TENSOR_MAP_MAX_RANK) {
    return Fail(failure, "rank: %u; it must be from 1 to %u", map.rank, HAL_TENSOR_MAP_MAX_RANK);
  }
  for (uint32_t i = 0; i < HAL_TENSOR_MAP_MAX_RANK; ++i) HAL_TRY(CheckDimension(map, i, constants_size, failure));
  return CheckRow(map, failure);
}

}  // namespace

uint32_t TensorElementSize(uint32_t data_type) {
  return data_type < kElementSizes.size() ? kElementSizes[data_type] : 0;
}

Status CheckTensorMaps(std::span<const hal_tensor_map_t> maps, std::span<const hal_parameter_t> parameters,
                       uint32_t constants_size, hal_status_t failure) {
  const auto wanted =
      static_cast<size_t>(std::count_if(parameters.begin(), parameters.end(), [](const hal_parameter_t& parameter) {
        return parameter.kind == HAL_PARAMETER_KIND_TENSOR_MAP;
      }));
  if (maps.size() != wanted) {
    return Fail(failure, "tensor_maps: there are %zu for %zu parameters that are one", maps.size(), wanted);
  }
  for (size_t i = 0; i < maps.size(); ++i) {
    if (Status status = CheckTensorMap(maps[i], constants_size, failure); status != kOk) {
      char prefix[40];
      std::snprintf(prefix, sizeof(prefix), "tensor_maps[%zu].", i);
      return Annotate(status, prefix);
    }
  }
  return kOk;
}

}  // namespace halyard
