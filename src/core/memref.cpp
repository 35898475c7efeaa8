// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/memref.h"

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/shape.h"
#include "core/public_call.h"
#include "core/validation/checks.h"
#include "function/value_type.h"

namespace halyard {
namespace {

static_assert(HAL_MEMREF_MAX_RANK == kMaxRank);
static_assert(sizeof(hal_memref_t::dimensions) == sizeof(int64_t) * 2 * HAL_MEMREF_MAX_RANK);
static_assert(sizeof(hal_value_t) == 16);

Status CheckElementType(const char* function, const hal_shape_t& shape) {
  if (shape.element_type != HAL_ELEMENT_TYPE_NONE) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: shape->element_type is HAL_ELEMENT_TYPE_NONE", function);
}

/// Checks a shape and how far it reaches.
Status CheckExtent(const char* function, const hal_shape_t* shape, uint64_t length, uint64_t* out_extent) {
  HAL_TRY(CheckNotNull(function, "shape", shape));
  HAL_TRY(CheckElementType(function, *shape));
  if (Status status = CheckShape(*shape); status != kOk) return Annotate(status, function, ": shape: ");
  const std::optional<uint64_t> extent = ShapeExtent(*shape);
  if (extent && *extent <= length) {
    *out_extent = *extent;
    return kOk;
  }
  return Fail(HAL_STATUS_OUT_OF_RANGE, "%s: the shape reaches over %" PRIu64 " bytes, but there are %" PRIu64, function,
              extent.value_or(UINT64_MAX), length);
}

void Describe(const hal_shape_t& shape, void* data, hal_memref_t* out) {
  out->element_type = shape.element_type;
  out->rank = shape.rank;
  out->owned = 0;
  out->reserved = 0;
  out->allocated = data;
  out->aligned = static_cast<std::byte*>(data) + ElementsBelowFirst(shape) * ElementSize(shape.element_type);
  out->offset = 0;
  const Descriptor descriptor = Descriptor::Of(*out);
  std::copy_n(shape.sizes, shape.rank, descriptor.Sizes().begin());
  if (shape.strides) {
    std::copy_n(shape.strides, shape.rank, descriptor.Strides().begin());
  } else {
    FillDenseStrides(descriptor.Sizes(), descriptor.Strides());
  }
}

Status CheckAligned(const char* function, const hal_shape_t& shape, const void* data) {
  const uint32_t alignment = ElementAlignment(shape.element_type);
  if (reinterpret_cast<uintptr_t>(data) % alignment == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: the first element is at %p, but elements are aligned to %u bytes",
              function, data, alignment);
}

Status Initialize(const hal_shape_t* shape, void* data, uint64_t length, hal_memref_t* out) {
  constexpr const char* kFunction = "hal_memref_initialize";
  HAL_TRY(CheckNotNull(kFunction, "out_memref", out));
  uint64_t extent = 0;
  HAL_TRY(CheckExtent(kFunction, shape, length, &extent));
  if (extent > 0) {
    HAL_TRY(CheckNotNull(kFunction, "data", data));
  }
  HAL_TRY(CheckAligned(kFunction, *shape, data));
  Describe(*shape, data, out);
  return kOk;
}

Status MapBuffer(const char* function, hal_buffer_t* buffer, hal_map_access_t access, uint64_t byte_offset,
                 const hal_shape_t* shape, hal_memref_t* out) {
  HAL_TRY(CheckNotNull(function, "out_memref", out));
  HAL_TRY(CheckNotNull(function, "buffer", buffer));
  if (byte_offset > buffer->length) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "%s: byte_offset is %" PRIu64 ", but the buffer has %" PRIu64 " bytes",
                function, byte_offset, buffer->length);
  }
  uint64_t extent = 0;
  HAL_TRY(CheckExtent(function, shape, buffer->length - byte_offset, &extent));
  void* data = nullptr;
  if (Status status = FromC(hal_buffer_map(buffer, access, byte_offset, extent, &data)); status != kOk) {
    return Annotate(status, function, ": ");
  }
  Status status = CheckAligned(function, *shape, data);
  if (status == kOk && (access & HAL_MAP_ACCESS_READ) && extent > 0) {
    status = FromC(hal_buffer_invalidate(buffer, byte_offset, extent));
  }
  if (status != kOk) {
    hal_buffer_unmap(buffer);
    return status;
  }
  Describe(*shape, data, out);
  return kOk;
}

/// Memory on its way from a memref to a buffer: freed with the buffer, once the memref has released it.
struct Handover : HostObject {
  void* memory = nullptr;

  static void Release(void* user_data) {
    auto* const handover = static_cast<Handover*>(user_data);
    std::free(handover->memory);
    delete handover;
  }
};

Status CheckDense(const char* function, const Descriptor& descriptor) {
  if (descriptor.rank > HAL_MEMREF_MAX_RANK) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: memref->rank is %u; at most %u is possible", function,
                descriptor.rank, static_cast<unsigned>(HAL_MEMREF_MAX_RANK));
  }
  if (IsDense(descriptor.Sizes(), descriptor.Strides())) return kOk;
  HostVector<int64_t> dense(descriptor.rank);
  FillDenseStrides(descriptor.Sizes(), dense);
  HostString expected;
  for (const int64_t stride : dense) {
    expected.append(expected.empty() ? "" : ", ").append(std::string_view(std::to_string(stride)));
  }
  return Fail(HAL_STATUS_INCOMPATIBLE, "%s: the memref is %s, but buffer views are dense, with strides [%s]; copy it",
              function, DescriptorText(descriptor).c_str(), expected.c_str());
}

/// The view's buffer takes over what the memref owns, if all goes well.
Status MakeView(hal_allocator_t* allocator, const hal_buffer_params_t* params, hal_memref_t* memref, uint64_t length,
                hal_buffer_view_t** out_view) {
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  memory.handle = reinterpret_cast<uintptr_t>(FirstElement(Descriptor::Of(*memref)));
  memory.length = length;
  auto handover = std::make_unique<Handover>();
  hal_buffer_t* buffer = nullptr;
  HAL_TRY(hal_allocator_import(allocator, params, &memory, Handover::Release, handover.get(), &buffer));
  Handover* const given = handover.release();
  const Status status =
      FromC(hal_buffer_view_create(buffer, memref->element_type, memref->rank, memref->dimensions, out_view));
  if (status == kOk && memref->owned != 0) {
    given->memory = memref->allocated;
    memref->owned = 0;
  }
  hal_buffer_release(buffer);
  return status;
}

Status ToBufferView(hal_allocator_t* allocator, const hal_buffer_params_t* params, hal_memref_t* memref,
                    hal_buffer_view_t** out_view) {
  constexpr const char* kFunction = "hal_memref_to_buffer_view";
  HAL_TRY(CheckNotNull(kFunction, "out_view", out_view));
  *out_view = nullptr;
  HAL_TRY(CheckNotNull(kFunction, "allocator", allocator));
  HAL_TRY(CheckNotNull(kFunction, "memref", memref));
  const Descriptor descriptor = Descriptor::Of(*memref);
  HAL_TRY(CheckDense(kFunction, descriptor));
  const hal_shape_t shape = {memref->element_type, memref->rank, memref->dimensions, nullptr};
  uint64_t length = 0;
  HAL_TRY(CheckExtent(kFunction, &shape, INT64_MAX, &length));
  if (Status status = MakeView(allocator, params, memref, length, out_view); status != kOk) {
    return Annotate(status, kFunction, ": ");
  }
  return kOk;
}

Status Check(const hal_memref_t* memref, const hal_value_type_t* type) {
  constexpr const char* kFunction = "hal_memref_check";
  HAL_TRY(CheckNotNull(kFunction, "memref", memref));
  HAL_TRY(CheckNotNull(kFunction, "type", type));
  if (type->kind == HAL_VALUE_KIND_SCALAR) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: the type is %s, which is no memref", kFunction,
                TypeText(*type).c_str());
  }
  return Annotate(CheckDescriptor(Descriptor::Of(*memref), *type), kFunction, ": ");
}

Status FormatType(const hal_value_type_t* type, char* text, size_t size, size_t* out_length) {
  constexpr const char* kFunction = "hal_value_type_format";
  if (out_length) *out_length = 0;
  HAL_TRY(CheckNotNull(kFunction, "type", type));
  if (size > 0) {
    HAL_TRY(CheckNotNull(kFunction, "text", text));
  }
  if (hal_element_type_size(type->element_type) == 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: element type 0x%x is unknown", kFunction, type->element_type);
  }
  const HostString words = TypeText(*type);
  if (out_length) *out_length = words.size();
  const size_t shown = size > 0 ? std::min(words.size(), size - 1) : 0;
  if (size > 0) {
    std::memcpy(text, words.data(), shown);
    text[shown] = '\0';
  }
  if (shown == words.size()) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "%s: size is %zu; the text and its zero byte take %zu", kFunction, size,
              words.size() + 1);
}

}  // namespace
}  // namespace halyard

hal_status_t hal_memref_initialize(const hal_shape_t* shape, void* data, uint64_t length, hal_memref_t* out_memref) {
  return halyard::Public([&] { return halyard::Initialize(shape, data, length, out_memref); });
}

hal_status_t hal_memref_map_buffer(hal_buffer_t* buffer, hal_map_access_t access, uint64_t byte_offset,
                                   const hal_shape_t* shape, hal_memref_t* out_memref) {
  return halyard::Public(
      [&] { return halyard::MapBuffer("hal_memref_map_buffer", buffer, access, byte_offset, shape, out_memref); });
}

hal_status_t hal_memref_map_buffer_view(hal_buffer_view_t* view, hal_map_access_t access, hal_memref_t* out_memref) {
  constexpr const char* kFunction = "hal_memref_map_buffer_view";
  return halyard::Public([&] {
    HAL_TRY(halyard::CheckNotNull(kFunction, "view", view));
    const hal_shape_t shape = hal_buffer_view_shape(view);
    return halyard::MapBuffer(kFunction, hal_buffer_view_buffer(view), access, 0, &shape, out_memref);
  });
}

hal_status_t hal_memref_to_buffer_view(hal_allocator_t* allocator, const hal_buffer_params_t* params,
                                       hal_memref_t* memref, hal_buffer_view_t** out_view) {
  return halyard::Public([&] { return halyard::ToBufferView(allocator, params, memref, out_view); });
}

void hal_memref_release(hal_memref_t* memref) {
  if (!memref || memref->owned == 0) return;
  std::free(memref->allocated);
  memref->owned = 0;
  memref->allocated = nullptr;
  memref->aligned = nullptr;
}

hal_status_t hal_memref_check(const hal_memref_t* memref, const hal_value_type_t* type) {
  return halyard::Public([&] { return halyard::Check(memref, type); });
}

hal_status_t hal_value_type_format(const hal_value_type_t* type, char* text, size_t size, size_t* out_length) {
  return halyard::Public([&] { return halyard::FormatType(type, text, size, out_length); });
}
