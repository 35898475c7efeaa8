// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dlpack_device.h"

#include <array>
#include <string_view>

#include "core/dlpack/dlpack_abi.h"
#include "driver_kit/object/vtable.h"
#include "halyard/driver_api.h"
#include "halyard/stream_interop.h"

namespace halyard::dlpack {
namespace {

struct ImportedBuffer : hal_buffer_t {
  ImportedBuffer(const hal_external_memory_t& from, hal_memory_release_fn_t then, void* with)
      : hal_buffer_t{}, memory(from), release(then), user_data(with) {
    static constexpr hal_buffer_vtable_t kTable = {
        sizeof(kTable), DestroyEntry<ImportedBuffer, hal_buffer_t>,      nullptr, nullptr, nullptr,
        nullptr,        Entry<&ImportedBuffer::Export>::Of<hal_buffer_t>};
    hal_object_initialize(&object, HAL_OBJECT_KIND_BUFFER, &kTable);
    memory_type = memory.type == HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER ? HAL_MEMORY_TYPE_DEVICE_LOCAL
                                                                         : HAL_MEMORY_TYPE_HOST_VISIBLE;
  }
  ~ImportedBuffer() {
    if (release) release(user_data);
  }
  ImportedBuffer(const ImportedBuffer&) = delete;
  ImportedBuffer& operator=(const ImportedBuffer&) = delete;

  Status Export(hal_external_memory_type_t type, hal_external_memory_t* out_memory) {
    if (type != memory.type) return FailWith(HAL_STATUS_UNIMPLEMENTED, "the memory is of another kind");
    *out_memory = memory;
    return kOk;
  }

  const hal_external_memory_t memory;
  const hal_memory_release_fn_t release;
  void* const user_data;
};

struct ImportingAllocator : hal_allocator_t {
  ImportingAllocator() : hal_allocator_t{} {
    static const hal_allocator_vtable_t table = [] {
      hal_allocator_vtable_t made{};
      made.struct_size = sizeof(made);
      made.allocate = Entry<&ImportingAllocator::Allocate>::Of<hal_allocator_t>;
      made.import = Entry<&ImportingAllocator::Import>::Of<hal_allocator_t>;
      return made;
    }();
    hal_object_initialize(&object, HAL_OBJECT_KIND_ALLOCATOR, &table);
  }
  /// What stands for memory of 0 bytes.
  Status Allocate(const hal_buffer_params_t* params, uint64_t length, hal_buffer_t** out_buffer) {
    const hal_memory_type_t type = params->memory_type;
    const bool is_device = (type & HAL_MEMORY_TYPE_DEVICE_LOCAL) != 0 && (type & HAL_MEMORY_TYPE_HOST_LOCAL) == 0;
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    memory.type = is_device ? HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER : HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
    memory.length = length;
    *out_buffer = new ImportedBuffer(memory, nullptr, nullptr);
    return kOk;
  }
  Status Import(const hal_buffer_params_t*, const hal_external_memory_t* memory, hal_memory_release_fn_t release,
                void* user_data, hal_buffer_t** out_buffer) {
    *out_buffer = new ImportedBuffer(*memory, release, user_data);
    return kOk;
  }
};

struct ImportingDevice : hal_device_t {
  explicit ImportingDevice(DeviceKind of) : hal_device_t{}, kind(of) {
    static const hal_device_vtable_t table = [] {
      hal_device_vtable_t made{};
      made.struct_size = sizeof(made);
      made.query_interface = Entry<&ImportingDevice::QueryInterface>::Of<hal_device_t>;
      return made;
    }();
    hal_object_initialize(&object, HAL_OBJECT_KIND_DEVICE, &table);
    info_of_device.struct_size = sizeof(info_of_device);
    info_of_device.queue_count = 1;
    info = &info_of_device;
    allocator = &importing;
    importing.device = this;
  }

  Status QueryInterface(hal_string_view_t name, uint32_t, const void** out_interface) {
    static constexpr auto kDevice = [](hal_device_t*, void**, int32_t* out_ordinal) {
      *out_ordinal = 0;
      return HAL_STATUS_OK;
    };
    const auto describe = [](int32_t type) {
      hal_stream_interop_interface_t table = {};
      table.struct_size = sizeof(table);
      table.native_device = kDevice;
      table.dlpack_device_type = type;
      return table;
    };
    static const hal_stream_interop_interface_t cuda = describe(kCuda);
    static const hal_stream_interop_interface_t hip = describe(kRocm);
    const bool wanted = std::string_view(name.data, name.size) == HAL_STREAM_INTEROP_INTERFACE;
    if (wanted && kind == DeviceKind::kCuda) *out_interface = &cuda;
    if (wanted && kind == DeviceKind::kHip) *out_interface = &hip;
    return *out_interface ? kOk : FailWith(HAL_STATUS_NOT_FOUND, "no such extension");
  }

  const DeviceKind kind;
  hal_device_info_t info_of_device = {};
  ImportingAllocator importing;
};

}  // namespace

hal_allocator_t* AllocatorOf(DeviceKind kind) {
  static std::array<ImportingDevice, 3> devices = {
      ImportingDevice(DeviceKind::kHost), ImportingDevice(DeviceKind::kCuda), ImportingDevice(DeviceKind::kHip)};
  return devices[static_cast<size_t>(kind)].allocator;
}

const hal_external_memory_t& ImportedMemory(hal_buffer_t* buffer) {
  return static_cast<ImportedBuffer*>(buffer->allocation)->memory;
}

}  // namespace halyard::dlpack
