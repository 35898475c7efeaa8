// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/buffer_view.h"

#include <algorithm>
#include <cinttypes>
#include <optional>
#include <span>

#include "base/text/shape.h"
#include "core/buffer.h"
#include "core/element_text.h"
#include "core/public_call.h"
#include "core/validation/checks.h"
#include "driver_kit/object/object.h"

struct hal_buffer_view_t {
  hal_object_t object;
};

namespace halyard {
namespace {

/// Strides of a dense row-major array, in elements.
HostVector<int64_t> DenseStrides(std::span<const int64_t> sizes) {
  HostVector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  return strides;
}

class BufferView final : public hal_buffer_view_t, public HostObject {
 public:
  BufferView(hal_buffer_t* buffer, const hal_shape_t& shape, uint64_t length);

  hal_buffer_t* Buffer() const { return buffer_.get(); }
  uint64_t Length() const { return length_; }
  uint64_t ElementCount() const { return length_ / ElementSize(); }
  uint64_t ElementSize() const { return hal_element_type_size(element_type_); }
  std::span<const int64_t> Sizes() const { return sizes_; }
  hal_shape_t Shape() const {
    return {element_type_, static_cast<uint32_t>(sizes_.size()), sizes_.data(), strides_.data()};
  }

 private:
  Ref<hal_buffer_t> buffer_;
  hal_element_type_t element_type_;
  HostVector<int64_t> sizes_;
  HostVector<int64_t> strides_;
  uint64_t length_;  // bytes
};

constexpr hal_object_vtable_t kTable = {sizeof(hal_object_vtable_t), DestroyEntry<BufferView, hal_buffer_view_t>};

BufferView::BufferView(hal_buffer_t* buffer, const hal_shape_t& shape, uint64_t length)
    : hal_buffer_view_t{},
      buffer_(Ref<hal_buffer_t>::Retaining(buffer)),
      element_type_(shape.element_type),
      sizes_(shape.sizes, shape.sizes + shape.rank),
      strides_(DenseStrides(sizes_)),
      length_(length) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_BUFFER_VIEW, &kTable);
}

BufferView& From(hal_buffer_view_t* view) { return *static_cast<BufferView*>(view); }

/// A range of a buffer that is mapped for reading while this lives.
class ReadMapping {
 public:
  ReadMapping() = default;
  ReadMapping(const ReadMapping&) = delete;
  ReadMapping& operator=(const ReadMapping&) = delete;
  ~ReadMapping() {
    if (buffer_) UnmapBuffer(buffer_).Ignore();
  }

  /// Nothing is mapped for 0 bytes, as there may be no memory.
  Status Map(hal_buffer_t* buffer, uint64_t length) {
    if (length == 0) return kOk;
    HAL_TRY(MapBuffer(buffer, HAL_MAP_ACCESS_READ, 0, length, &data_));
    buffer_ = buffer;
    return InvalidateBuffer(buffer, 0, length);  // does nothing on coherent memory
  }
  const void* Data() const { return data_; }

 private:
  hal_buffer_t* buffer_ = nullptr;
  void* data_ = nullptr;
};

/// Reads the shape of a new view and how many bytes it takes, densely packed.
Status CheckViewShape(const hal_shape_t& shape, uint64_t* out_length) {
  if (shape.element_type == HAL_ELEMENT_TYPE_NONE) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "type is HAL_ELEMENT_TYPE_NONE");
  }
  HAL_TRY(CheckShape(shape));
  // Empty dimensions count as 1 here, so that strides do not overflow either.
  HostVector<int64_t> sizes(shape.sizes, shape.sizes + shape.rank);
  std::replace(sizes.begin(), sizes.end(), int64_t{0}, int64_t{1});
  const hal_shape_t at_least_one = {shape.element_type, shape.rank, sizes.data(), nullptr};
  if (!ShapeExtent(at_least_one)) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "the shape takes 2^63 bytes or more");
  *out_length = *ShapeExtent(shape);
  return kOk;
}

Status ElementOffset(hal_buffer_view_t* view, size_t index_count, const int64_t* indices, uint64_t* out_offset) {
  HAL_TRY(CheckNotNull("out_offset", out_offset));
  *out_offset = 0;
  HAL_TRY(CheckNotNull("view", view));
  const hal_shape_t shape = From(view).Shape();
  if (index_count != shape.rank) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "index_count is %zu, but the rank is %u", index_count, shape.rank);
  }
  if (index_count > 0) HAL_TRY(CheckNotNull("indices", indices));
  uint64_t element = 0;
  for (size_t i = 0; i < index_count; ++i) {
    if (indices[i] < 0 || indices[i] >= shape.sizes[i]) {
      return Fail(HAL_STATUS_OUT_OF_RANGE, "indices[%zu] is %" PRId64 ", but that dimension has %" PRId64 " elements",
                  i, indices[i], shape.sizes[i]);
    }
    element += static_cast<uint64_t>(indices[i]) * static_cast<uint64_t>(shape.strides[i]);
  }
  *out_offset = element * From(view).ElementSize();
  return kOk;
}

Status FormatView(hal_buffer_view_t* view, size_t max_elements, char* text, size_t size, size_t* out_length) {
  BoundedText out(text, size);
  if (out_length) *out_length = 0;
  HAL_TRY(CheckNotNull("view", view));
  if (size > 0) HAL_TRY(CheckNotNull("text", text));
  const BufferView& given = From(view);
  const auto shown = static_cast<size_t>(std::min<uint64_t>(max_elements, given.ElementCount()));
  ReadMapping mapping;
  HAL_TRY(mapping.Map(given.Buffer(), shown * given.ElementSize()));
  AppendShape(given.Shape(), &out);
  out.Append("=");
  AppendElements(given.Shape(), mapping.Data(), shown, &out);
  if (out_length) *out_length = out.Length();
  if (!out.IsCut()) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "size is %zu; the text and its zero byte take %zu", size, out.Length() + 1);
}

}  // namespace

Status CreateView(hal_buffer_t* buffer, hal_element_type_t type, size_t rank, const int64_t* sizes,
                  hal_buffer_view_t** out_view) {
  HAL_TRY(CheckNotNull("buffer", buffer));
  // A rank that does not fit becomes one that CheckShape() refuses.
  const hal_shape_t shape = {type, static_cast<uint32_t>(std::min<size_t>(rank, UINT32_MAX)), sizes, nullptr};
  uint64_t length = 0;
  HAL_TRY(CheckViewShape(shape, &length));
  if (length > buffer->length) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "the shape takes %" PRIu64 " bytes, but the buffer has %" PRIu64, length,
                buffer->length);
  }
  *out_view = new BufferView(buffer, shape, length);
  return kOk;
}

}  // namespace halyard

hal_status_t hal_buffer_view_create(hal_buffer_t* buffer, hal_element_type_t type, size_t rank, const int64_t* sizes,
                                    hal_buffer_view_t** out_view) {
  return halyard::PublicThatGives("out_view", out_view,
                                  [&] { return halyard::CreateView(buffer, type, rank, sizes, out_view); });
}

void hal_buffer_view_retain(hal_buffer_view_t* view) { halyard::RetainHandle(view); }
void hal_buffer_view_release(hal_buffer_view_t* view) { halyard::ReleaseHandle(view); }

hal_buffer_t* hal_buffer_view_buffer(hal_buffer_view_t* view) {
  return halyard::IsUsable("view", view) ? halyard::From(view).Buffer() : nullptr;
}

hal_shape_t hal_buffer_view_shape(hal_buffer_view_t* view) {
  return halyard::IsUsable("view", view) ? halyard::From(view).Shape() : hal_shape_t{};
}

uint64_t hal_buffer_view_element_count(hal_buffer_view_t* view) {
  return halyard::IsUsable("view", view) ? halyard::From(view).ElementCount() : 0;
}

uint64_t hal_buffer_view_length(hal_buffer_view_t* view) {
  return halyard::IsUsable("view", view) ? halyard::From(view).Length() : 0;
}

hal_status_t hal_buffer_view_element_offset(hal_buffer_view_t* view, size_t index_count, const int64_t* indices,
                                            uint64_t* out_offset) {
  return halyard::Public([&] { return halyard::ElementOffset(view, index_count, indices, out_offset); });
}

hal_status_t hal_buffer_view_format(hal_buffer_view_t* view, size_t max_elements, char* text, size_t size,
                                    size_t* out_length) {
  return halyard::Public([&] { return halyard::FormatView(view, max_elements, text, size, out_length); });
}
