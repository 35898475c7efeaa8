// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/executable/tensor_shape.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "base/host_memory.h"
#include "function/tensor_map_checks.h"

namespace halyard {
namespace {

constexpr uint64_t kMostSize = uint64_t{1} << 32;     // elements
constexpr uint64_t kStrideLimit = uint64_t{1} << 40;  // bytes
constexpr uint64_t kStrideGranularity = 16;           // bytes

uint64_t ReadNumber(const hal_tensor_number_t& number, const void* constants) {
  if (number.size == 0) return number.value;
  uint64_t value = 0;  // little-endian, as all hosts are
  std::memcpy(&value, static_cast<const char*>(constants) + number.offset, number.size);
  return value;
}

Status ReadSize(const hal_tensor_map_t& map, uint32_t dimension, const void* constants, uint64_t* out_size) {
  *out_size = ReadNumber(map.sizes[dimension], constants);
  if (*out_size > 0 && *out_size <= kMostSize) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "dimension %u has %" PRIu64 " elements; a tensor map takes from 1 to %" PRIu64, dimension, *out_size,
              kMostSize);
}

/// @param out_stride  in bytes
Status ReadStride(const hal_tensor_map_t& map, uint32_t dimension, const void* constants, uint64_t* out_stride) {
  const uint64_t elements = ReadNumber(map.strides[dimension], constants);
  const uint64_t element = TensorElementSize(map.data_type);
  if (dimension + 1 == map.rank) {
    *out_stride = element;
    if (elements == 1) return kOk;
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "dimension %u has stride %" PRIu64 "; the last one has 1", dimension,
                elements);
  }
  *out_stride = elements * element;
  if (elements > 0 && elements < kStrideLimit / element && *out_stride % kStrideGranularity == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "dimension %u has a stride of %" PRIu64 " elements of %" PRIu64
              " bytes; a tensor map takes a multiple of %" PRIu64 " bytes below 2^40",
              dimension, elements, element, kStrideGranularity);
}

}  // namespace

Status ReadTensorShape(const hal_tensor_map_t& map, const void* constants, TensorShape* out_shape) {
  *out_shape = {};
  out_shape->extent = TensorElementSize(map.data_type);
  for (uint32_t i = 0; i < map.rank; ++i) {
    HAL_TRY(ReadSize(map, i, constants, &out_shape->sizes[i]));
    HAL_TRY(ReadStride(map, i, constants, &out_shape->strides[i]));
    uint64_t span = 0;
    if (__builtin_mul_overflow(out_shape->sizes[i] - 1, out_shape->strides[i], &span) ||
        __builtin_add_overflow(out_shape->extent, span, &out_shape->extent)) {
      return Fail(HAL_STATUS_INVALID_ARGUMENT, "dimension %u reaches over 2^64 bytes", i);
    }
  }
  return kOk;
}

Status CheckTensorFits(const TensorShape& shape, uint64_t length) {
  if (shape.extent <= length) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "the tensor reaches over %" PRIu64 " bytes, but its binding has %" PRIu64,
              shape.extent, length);
}

Status AnnotateTensor(Status status, const hal_export_info_t& info, uint32_t parameter) {
  if (status == kOk) return kOk;
  char text[40];
  std::snprintf(text, sizeof(text), "parameter %u of \"", parameter);
  return Annotate(status, text, View(info.name), "\": ");
}

}  // namespace halyard
