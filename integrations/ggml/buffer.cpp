// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "buffer.h"

#include <algorithm>

namespace halyard_ggml {
namespace {

Device& DeviceOf(ggml_backend_buffer_type_t type) { return *static_cast<Device*>(type->context); }

/// Of a write that ggml cannot be told to have failed.
template <class Work>
void Write(Buffer& buffer, const char* what, Work&& work) {
  if (Guarded(what, std::forward<Work>(work)) != GGML_STATUS_SUCCESS) buffer.has_failed = true;
}

void Free(ggml_backend_buffer_t buffer) { delete Buffer::Of(buffer); }

void* Base(ggml_backend_buffer_t) { return reinterpret_cast<void*>(Buffer::kBase); }

void SetTensor(ggml_backend_buffer_t buffer, ggml_tensor* tensor, const void* data, size_t offset, size_t size) {
  Buffer& own = *Buffer::Of(buffer);
  Write(own, "write to a tensor", [&] {
    own.device.RunNow([&](const hal::Stream& stream) { stream.Upload(data, own.Range(*tensor, offset, size)); });
  });
}

void GetTensor(ggml_backend_buffer_t buffer, const ggml_tensor* tensor, void* data, size_t offset, size_t size) {
  Buffer& own = *Buffer::Of(buffer);
  Write(own, "read from a tensor", [&] {
    own.device.RunNow([&](const hal::Stream& stream) { stream.Download(own.Range(*tensor, offset, size), data); });
  });
}

void SetBytes(ggml_backend_buffer_t buffer, ggml_tensor* tensor, uint8_t value, size_t offset, size_t size) {
  Buffer& own = *Buffer::Of(buffer);
  Write(own, "fill a tensor", [&] {
    own.device.RunNow([&](const hal::Stream& stream) { stream.Fill(own.Range(*tensor, offset, size), value); });
  });
}

void Clear(ggml_backend_buffer_t buffer, uint8_t value) {
  Buffer& own = *Buffer::Of(buffer);
  Write(own, "clear a buffer",
        [&] { own.device.RunNow([&](const hal::Stream& stream) { stream.Fill(own.memory, value); }); });
}

bool CopyTensor(ggml_backend_buffer_t buffer, const ggml_tensor* source, ggml_tensor* target) {
  Buffer& own = *Buffer::Of(buffer);
  bool is_ours = true;
  Write(own, "copy a tensor",
        [&] { own.device.RunNow([&](const hal::Stream& stream) { is_ours = SubmitCopy(stream, *source, *target); }); });
  return is_ours;
}

constexpr ggml_backend_buffer_i kBufferInterface = {
    .free_buffer = Free,
    .get_base = Base,
    .init_tensor = nullptr,
    .memset_tensor = SetBytes,
    .set_tensor = SetTensor,
    .get_tensor = GetTensor,
    .set_tensor_2d = nullptr,
    .get_tensor_2d = nullptr,
    .cpy_tensor = CopyTensor,
    .clear = Clear,
    .reset = nullptr,
};

const char* TypeName(ggml_backend_buffer_type_t type) { return DeviceOf(type).name().c_str(); }

ggml_backend_buffer_t Allocate(ggml_backend_buffer_type_t type, size_t size) {
  Device& device = DeviceOf(type);
  ggml_backend_buffer_t buffer = nullptr;
  Guarded("allocate a buffer", [&] {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    auto own = std::make_unique<Buffer>(device, device.hal().allocator().Allocate(size, params));
    buffer = ggml_backend_buffer_init(type, kBufferInterface, own.get(), size);
    own.release();
  });
  return buffer;
}

size_t Alignment(ggml_backend_buffer_type_t type) {
  return std::max<size_t>(DeviceOf(type).found().traits.binding_alignment, 64);
}

size_t MaxSize(ggml_backend_buffer_type_t type) {
  size_t size = SIZE_MAX;
  Guarded("largest buffer", [&] { size = DeviceOf(type).Heap().max_allocation_size; });
  return size;
}

const char* HostTypeName(ggml_backend_buffer_type_t type) { return DeviceOf(type).host_name().c_str(); }

void FreeHostBuffer(ggml_backend_buffer_t buffer) { DeviceOf(buffer->buft).FreeHost(buffer->context); }

// A buffer of the CPU backend's kind, at memory that the device reaches.
ggml_backend_buffer_t AllocateHostBuffer(ggml_backend_buffer_type_t type, size_t size) {
  ggml_backend_buffer_t buffer = nullptr;
  Guarded("allocate a host buffer", [&] {
    buffer = ggml_backend_cpu_buffer_from_ptr(DeviceOf(type).AllocateHost(size), size);
    buffer->buft = type;
    buffer->iface.free_buffer = FreeHostBuffer;
  });
  return buffer;
}

size_t HostAlignment(ggml_backend_buffer_type_t) { return 64; }
bool IsHost(ggml_backend_buffer_type_t) { return true; }

}  // namespace

ggml_backend_buffer_type_i BufferTypeInterface() {
  return {
      .get_name = TypeName,
      .alloc_buffer = Allocate,
      .get_alignment = Alignment,
      .get_max_size = MaxSize,
      .get_alloc_size = nullptr,
      .is_host = nullptr,
  };
}

ggml_backend_buffer_type_i HostBufferTypeInterface() {
  return {
      .get_name = HostTypeName,
      .alloc_buffer = AllocateHostBuffer,
      .get_alignment = HostAlignment,
      .get_max_size = nullptr,
      .get_alloc_size = nullptr,
      .is_host = IsHost,
  };
}

Buffer* Buffer::Of(const ggml_backend_buffer* buffer) {
  return buffer && buffer->iface.free_buffer == Free ? static_cast<Buffer*>(buffer->context) : nullptr;
}

Buffer* Buffer::Of(const ggml_tensor& tensor, uint64_t* out_offset) {
  *out_offset = reinterpret_cast<uintptr_t>(tensor.data) - kBase;
  return Of(tensor.view_src ? tensor.view_src->buffer : tensor.buffer);
}

hal_buffer_ref_t Buffer::Range(const ggml_tensor& tensor, uint64_t offset, uint64_t length) const {
  return memory.Range(reinterpret_cast<uintptr_t>(tensor.data) - kBase + offset, length);
}

bool SubmitCopy(const hal::Stream& stream, const ggml_tensor& source, const ggml_tensor& target) {
  uint64_t target_offset = 0;
  const Buffer* const to = Buffer::Of(target, &target_offset);
  if (!to) return false;
  const uint64_t length = ggml_nbytes(&source);
  const hal_buffer_ref_t range = to->memory.Range(target_offset, length);
  uint64_t source_offset = 0;
  if (const Buffer* const from = Buffer::Of(source, &source_offset)) {
    stream.Copy(from->memory.Range(source_offset, length), range);
    return true;
  }
  const ggml_backend_buffer* const other = source.view_src ? source.view_src->buffer : source.buffer;
  if (!other || !ggml_backend_buffer_is_host(const_cast<ggml_backend_buffer_t>(other))) return false;
  stream.Upload(source.data, range);
  return true;
}

}  // namespace halyard_ggml
