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
#include "core/buffer.h"
#include "core/public_call.h"
#include "core/validation/checks.h"
#include "function/value_type.h"

namespace halyard {
namespace {

static_assert(HAL_MEMREF_MAX_RANK == kMaxRank);
static_assert(sizeof(hal_memref_t::dimensions) == sizeof(int64_t) * 2 * HAL_MEMREF_MAX_RANK);
static_assert(sizeof(hal_value_t) == 16);

Status CheckElementType(const hal_shape_t& shape) {
  if (shape.element_type != HAL_ELEMENT_TYPE_NONE) return kOk;
  return FailWith(HAL_STATUS_INVALID_ARGUMENT, "shape->element_type is HAL_ELEMENT_TYPE_NONE");
}

/// Checks a shape and how far it reaches.
Status CheckExtent(const hal_shape_t* shape, uint64_t length, uint64_t* out_extent) {
  HAL_TRY(CheckNotNull("shape", shape));
  HAL_TRY(CheckElementType(*shape));
  if (Status status = CheckShape(*shape); status != kOk) return Annotate(status, "shape: ");
  const std::optional<uint64_t> extent = ShapeExtent(*shape);
  if (extent && *extent <= length) {
    *out_extent = *extent;
    return kOk;
  }
  return Fail(HAL_STATUS_OUT_OF_RANGE, "the shape reaches over %" PRIu64 " bytes, but there are %" PRIu64,
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

Status CheckAligned(const hal_shape_t& shape, const void* data) {
  const uint32_t alignment = ElementAlignment(shape.element_type);
  if (reinterpret_cast<uintptr_t>(data) % alignment == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "the first element is at %p, but elements are aligned to %u bytes", data,
              alignment);
}

Status Initialize(const hal_shape_t* shape, void* data, uint64_t length, hal_memref_t* out) {
  HAL_TRY(CheckNotNull("out_memref", out));
  uint64_t extent = 0;
  HAL_TRY(CheckExtent(shape, length, &extent));
  if (extent > 0) HAL_TRY(CheckNotNull("data", data));
  HAL_TRY(CheckAligned(*shape, data));
  Describe(*shape, data, out);
  return kOk;
}

Status MapMemref(hal_buffer_t* buffer, hal_map_access_t access, uint64_t byte_offset, const hal_shape_t* shape,
                 hal_memref_t* out) {
  HAL_TRY(CheckNotNull("out_memref", out));
  HAL_TRY(CheckNotNull("buffer", buffer));
  if (byte_offset > buffer->length) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "byte_offset is %" PRIu64 ", but the buffer has %" PRIu64 " bytes",
                byte_offset, buffer->length);
  }
  uint64_t extent = 0;
  HAL_TRY(CheckExtent(shape, buffer->length - byte_offset, &extent));
  void* data = nullptr;
  HAL_TRY(MapBuffer(buffer, access, byte_offset, extent, &data));
  Status status = CheckAligned(*shape, data);
  if (status == kOk && (access & HAL_MAP_ACCESS_READ) && extent > 0) {
    status = InvalidateBuffer(buffer, byte_offset, extent);
  }
  if (status != kOk) {
    UnmapBuffer(buffer).Ignore();
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

Status CheckDense(const Descriptor& descriptor) {
  if (descriptor.rank > HAL_MEMREF_MAX_RANK) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "memref->rank is %u; at most %u is possible", descriptor.rank,
                static_cast<unsigned>(HAL_MEMREF_MAX_RANK));
  }
  if (IsDense(descriptor.Sizes(), descriptor.Strides())) return kOk;
  HostVector<int64_t> dense(descriptor.rank);
  FillDenseStrides(descriptor.Sizes(), dense);
  HostString expected;
  for (const int64_t stride : dense) {
    expected.append(expected.empty() ? "" : ", ").append(std::string_view(std::to_string(stride)));
  }
  return Fail(HAL_STATUS_INCOMPATIBLE, "the memref is %s, but buffer views are dense, with strides [%s]; copy it",
              DescriptorText(descriptor).c_str(), expected.c_str());
}

/// The view's buffer takes over what the memref owns, if all goes well.
Status MakeView(hal_allocator_t* allocator, const hal_buffer_params_t* params, hal_memref_t* memref, uint64_t length,
                hal_buffer_view_t** out_view) {
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  memory.handle = reinterpret_cast<uintptr_t>(FirstElement(Descriptor::Of(*memref)));
  memory.length = length;
  auto handover = std::make_unique<Handover>();
  Ref<hal_buffer_t> buffer;
  HAL_TRY(ImportBuffer(allocator, params, &memory, Handover::Release, handover.get(), buffer.out()));
  Handover* const given = handover.release();
  HAL_TRY(CreateView(buffer.get(), memref->element_type, memref->rank, memref->dimensions, out_view));
  if (memref->owned != 0) {
    given->memory = memref->allocated;
    memref->owned = 0;
  }
  return kOk;
}

Status ToBufferView(hal_allocator_t* allocator, const hal_buffer_params_t* params, hal_memref_t* memref,
                    hal_buffer_view_t** out_view) {
  HAL_TRY(CheckNotNull("allocator", allocator));
  HAL_TRY(CheckNotNull("memref", memref));
  const Descriptor descriptor = Descriptor::Of(*memref);
  HAL_TRY(CheckDense(descriptor));
  const hal_shape_t shape = {memref->element_type, memref->rank, memref->dimensions, nullptr};
  uint64_t length = 0;
  HAL_TRY(CheckExtent(&shape, INT64_MAX, &length));
  return MakeView(allocator, params, memref, length, out_view);
}

Status Check(const hal_memref_t* memref, const hal_value_type_t* type) {
  HAL_TRY(CheckNotNull("memref", memref));
  HAL_TRY(CheckNotNull("type", type));
  if (type->kind == HAL_VALUE_KIND_SCALAR) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "the type is %s, which is no memref", TypeText(*type).c_str());
  }
  return CheckDescriptor(Descriptor::Of(*memref), *type);
}

Status FormatType(const hal_value_type_t* type, char* text, size_t size, size_t* out_length) {
  if (out_length) *out_length = 0;
  HAL_TRY(CheckNotNull("type", type));
  if (size > 0) HAL_TRY(CheckNotNull("text", text));
  if (hal_element_type_size(type->element_type) == 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "element type 0x%x is unknown", type->element_type);
  }
  const HostString words = TypeText(*type);
  if (out_length) *out_length = words.size();
  const size_t shown = size > 0 ? std::min(words.size(), size - 1) : 0;
  if (size > 0) {
    std::memcpy(text, words.data(), shown);
    text[shown] = '\0';
  }
  if (shown == words.size()) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "size is %zu; the text and its zero byte take %zu", size, words.size() + 1);
}

}  // namespace
}  // namespace halyard

hal_status_t hal_memref_initialize(const hal_shape_t* shape, void* data, uint64_t length, hal_memref_t* out_memref) {
  return halyard::Public([&] { return halyard::Initialize(shape, data, length, out_memref); });
}

hal_status_t hal_memref_map_buffer(hal_buffer_t* buffer, hal_map_access_t access, uint64_t byte_offset,
                                   const hal_shape_t* shape, hal_memref_t* out_memref) {
  return halyard::Public([&] { return halyard::MapMemref(buffer, access, byte_offset, shape, out_memref); });
}

hal_status_t hal_memref_map_buffer_view(hal_buffer_view_t* view, hal_map_access_t access, hal_memref_t* out_memref) {
  return halyard::Public([&] {
    HAL_TRY(halyard::CheckNotNull("view", view));
    const hal_shape_t shape = hal_buffer_view_shape(view);
    return halyard::MapMemref(hal_buffer_view_buffer(view), access, 0, &shape, out_memref);
  });
}

hal_status_t hal_memref_to_buffer_view(hal_allocator_t* allocator, const hal_buffer_params_t* params,
                                       hal_memref_t* memref, hal_buffer_view_t** out_view) {
  return halyard::PublicThatGives("out_view", out_view,
                                  [&] { return halyard::ToBufferView(allocator, params, memref, out_view); });
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
