// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views as tensors of DLPack.
#include <memory>

#include "core/dlpack/dlpack_devices.h"
#include "core/dlpack/dlpack_types.h"
#include "core/public_call.h"
#include "core/validation/checks.h"

namespace halyard::dlpack {
namespace {

/// A tensor with what it points to.
struct ExportedTensor : DLManagedTensorVersioned, HostObject {
  Ref<hal_buffer_view_t> view;  // also holds shape and strides

  static void Delete(DLManagedTensorVersioned* self) { delete static_cast<ExportedTensor*>(self); }
};

/// Where the elements are, and whether they may only be read.
Status FindMemory(hal_buffer_t* buffer, Tensor* out, bool* out_read_only) {
  hal_buffer_info_t info = HAL_INIT(hal_buffer_info_t);
  HAL_TRY(hal_buffer_query_info(buffer, &info));
  Device device{};
  HAL_TRY(DescribeDevice(info.device, &device));
  const bool on_device = device.type != kCpu && (info.memory_type & HAL_MEMORY_TYPE_DEVICE_LOCAL) != 0;
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  HAL_TRY(hal_buffer_export(
      buffer, on_device ? HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER : HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &memory));
  out->data = reinterpret_cast<void*>(static_cast<uintptr_t>(memory.handle));
  *out_read_only = (memory.flags & HAL_EXTERNAL_MEMORY_READ_ONLY) != 0;
  out->device = on_device ? device : Device{kCpu, 0};
  return kOk;
}

Status ToDlpack(hal_buffer_view_t* view, DLManagedTensorVersioned** out_tensor) {
  HAL_TRY(CheckNotNull("out_tensor", out_tensor));
  *out_tensor = nullptr;
  HAL_TRY(CheckNotNull("view", view));
  const hal_shape_t shape = hal_buffer_view_shape(view);
  auto made = std::make_unique<ExportedTensor>();
  Tensor& tensor = made->tensor;
  HAL_TRY(ToDataType(shape.element_type, &tensor.type));
  bool is_read_only = false;
  HAL_TRY(FindMemory(hal_buffer_view_buffer(view), &tensor, &is_read_only));
  if (hal_buffer_view_length(view) == 0) tensor.data = nullptr;  // as DLPack asks
  made->version = {kMajorVersion, kMinorVersion};
  made->deleter = ExportedTensor::Delete;
  made->flags = (tensor.type.bits < 8 ? kPaddedSubbytes : 0) | (is_read_only ? kReadOnly : 0);
  tensor.rank = static_cast<int32_t>(shape.rank);
  tensor.shape = const_cast<int64_t*>(shape.sizes);  // DLPack's receivers only read them
  tensor.strides = const_cast<int64_t*>(shape.strides);
  made->view = Ref<hal_buffer_view_t>::Retaining(view);
  *out_tensor = made.release();
  return kOk;
}

}  // namespace
}  // namespace halyard::dlpack

hal_status_t hal_buffer_view_to_dlpack(hal_buffer_view_t* view, DLManagedTensorVersioned** out_tensor) {
  return halyard::Public([&] { return halyard::dlpack::ToDlpack(view, out_tensor); });
}
