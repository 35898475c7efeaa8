// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of DLPack as views.
#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstddef>
#include <memory>

#include "base/text/shape.h"
#include "core/buffer.h"
#include "core/dlpack/dlpack_devices.h"
#include "core/dlpack/dlpack_types.h"
#include "core/public_call.h"
#include "core/validation/checks.h"

namespace halyard::dlpack {
namespace {

Status CheckVersion(const Version& version) {
  if (version.major == kMajorVersion) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE, "the tensor is of DLPack %u.%u; only versions %u.x are known", version.major,
              version.minor, kMajorVersion);
}

Status CheckRank(const Tensor& tensor) {
  if (tensor.rank < 0 || tensor.rank > static_cast<int32_t>(kMaxRank)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "the tensor has %d dimensions; expected 0 to %u", tensor.rank, kMaxRank);
  }
  if (tensor.rank == 0 || tensor.shape) return kOk;
  return FailWith(HAL_STATUS_INVALID_ARGUMENT, "the tensor has dimensions, but no shape");
}

/// Views are dense and row-major. The stride of a dimension of one element does not matter, nor do those of an array
/// without elements.
Status CheckDense(const Tensor& tensor, uint64_t extent) {
  if (!tensor.strides || extent == 0) return kOk;
  int64_t dense = 1;
  for (int32_t i = tensor.rank; i-- > 0;) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != dense) {
      return Fail(HAL_STATUS_INCOMPATIBLE,
                  "dimension %d of the tensor has stride %" PRId64 "; views are dense, where it is %" PRId64
                  ": make a contiguous copy first",
                  i, tensor.strides[i], dense);
    }
    dense *= tensor.shape[i];  // ReadExtent() has seen that this is no overflow
  }
  return kOk;
}

Status ReadExtent(const Tensor& tensor, hal_element_type_t type, uint64_t* out_bytes) {
  const hal_shape_t shape = {type, static_cast<uint32_t>(tensor.rank), tensor.shape, nullptr};
  HAL_TRY(CheckShape(shape));
  const auto extent = ShapeExtent(shape);
  if (!extent) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "the tensor takes 2^63 bytes or more");
  *out_bytes = *extent;
  return kOk;
}

/// Where the first element is. Whatever stands there of a tensor without elements, it is nowhere.
Status FindAddress(const Tensor& tensor, hal_element_type_t type, uint64_t extent, uint64_t* out_address) {
  *out_address = 0;
  if (extent == 0) return kOk;
  const uint64_t base = reinterpret_cast<uintptr_t>(tensor.data);
  if (__builtin_add_overflow(base, tensor.byte_offset, out_address) || *out_address + extent < *out_address) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "the tensor goes past the end of all addresses");
  }
  if (!tensor.data) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "the tensor has elements, but no address");
  // Of a complex number that of its parts.
  const uint64_t size = hal_element_type_size(type) / ((type & 0x8000u) != 0 ? 2 : 1);
  const uint64_t alignment = std::bit_floor(std::min<uint64_t>(size, alignof(std::max_align_t)));
  if (*out_address % alignment == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "the tensor is at address 0x%" PRIx64 ", no multiple of %" PRIu64 " bytes",
              *out_address, alignment);
}

Status FindMemoryType(hal_device_t* device, const Device& of_tensor, hal_external_memory_type_t* out_type) {
  const int32_t type = of_tensor.type;
  *out_type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  if (type == kCpu || type == kCudaHost || type == kRocmHost) return kOk;
  Device own{};
  HAL_TRY(DescribeDevice(device, &own));
  const bool managed = type == kCudaManaged && own.type == kCuda;
  if (own.type == kCpu || !(managed || (type == own.type && of_tensor.id == own.id))) {
    return Fail(HAL_STATUS_INCOMPATIBLE,
                "the tensor is in memory of DLPack's device type %d, number %d; this device takes the host's%s", type,
                of_tensor.id, own.type == kCpu ? "" : ", and its own");
  }
  *out_type = HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER;
  return kOk;
}

/// What a buffer holds of its tensor.
struct Lease : HostObject {
  DLManagedTensorVersioned* tensor = nullptr;  // NULL until it is taken over

  static void End(void* user_data) {
    const std::unique_ptr<Lease> lease(static_cast<Lease*>(user_data));
    DLManagedTensorVersioned* const tensor = lease->tensor;
    if (tensor && tensor->deleter) tensor->deleter(tensor);
  }
};

/// What is to be imported, once all of the tensor has been checked.
struct Import {
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
};

Status ReadTensor(hal_device_t* device, const DLManagedTensorVersioned& managed, Import* out) {
  const Tensor& tensor = managed.tensor;
  HAL_TRY(CheckVersion(managed.version));
  HAL_TRY(CheckRank(tensor));
  HAL_TRY(FromDataType(tensor.type, (managed.flags & kPaddedSubbytes) != 0, &out->type));
  HAL_TRY(ReadExtent(tensor, out->type, &out->memory.length));
  if ((managed.flags & kReadOnly) != 0) out->memory.flags |= HAL_EXTERNAL_MEMORY_READ_ONLY;
  HAL_TRY(CheckDense(tensor, out->memory.length));
  HAL_TRY(FindAddress(tensor, out->type, out->memory.length, &out->memory.handle));
  return FindMemoryType(device, tensor.device, &out->memory.type);
}

Status FromDlpack(hal_allocator_t* allocator, const hal_buffer_params_t* params, DLManagedTensorVersioned* managed,
                  hal_buffer_view_t** out_view) {
  HAL_TRY(CheckNotNull("allocator", allocator));
  HAL_TRY(CheckNotNull("tensor", static_cast<const void*>(managed)));
  Import import;
  HAL_TRY(ReadTensor(allocator->device, *managed, &import));
  auto lease = std::make_unique<Lease>();
  Ref<hal_buffer_t> buffer;
  HAL_TRY(ImportBuffer(allocator, params, &import.memory, Lease::End, lease.get(), buffer.out()));
  Lease* const kept = lease.release();  // the buffer's
  const size_t rank = static_cast<size_t>(managed->tensor.rank);
  HAL_TRY(CreateView(buffer.get(), import.type, rank, managed->tensor.shape, out_view));
  kept->tensor = managed;  // nothing can fail any more
  return kOk;
}

}  // namespace
}  // namespace halyard::dlpack

hal_status_t hal_buffer_view_from_dlpack(hal_allocator_t* allocator, const hal_buffer_params_t* params,
                                         DLManagedTensorVersioned* tensor, hal_buffer_view_t** out_view) {
  return halyard::PublicThatGives("out_view", out_view,
                                  [&] { return halyard::dlpack::FromDlpack(allocator, params, tensor, out_view); });
}
