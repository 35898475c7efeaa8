// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.h"

#include <dlfcn.h>

#include <algorithm>
#include <vector>

#include "backend.h"
#include "buffer.h"

namespace halyard_ggml {
namespace {

/// The file of kernels, which lies beside this library.
std::string KernelFile() {
  Dl_info info = {};
  const auto address = reinterpret_cast<void*>(&KernelFile);
  if (dladdr(address, &info) == 0 || !info.dli_fname) throw std::runtime_error("the library's own path is unknown");
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return (slash == std::string::npos ? std::string(".") : path.substr(0, slash)) + "/ggml_kernels.halx";
}

const char* Name(ggml_backend_dev_t device) { return Device::Of(device).name().c_str(); }
const char* Description(ggml_backend_dev_t device) { return Device::Of(device).description().c_str(); }
enum ggml_backend_dev_type Type(ggml_backend_dev_t device) { return Device::Of(device).found().type; }

void Memory(ggml_backend_dev_t device, size_t* free, size_t* total) {
  *free = 0;
  *total = 0;
  Guarded("memory of the device", [&] {
    const hal_memory_heap_t heap = Device::Of(device).Heap();
    *total = heap.capacity;
    *free = static_cast<size_t>(std::min(heap.available, heap.capacity));
  });
}

void Properties(ggml_backend_dev_t device, ggml_backend_dev_props* properties) {
  const Device& own = Device::Of(device);
  properties->name = own.name().c_str();
  properties->description = own.description().c_str();
  properties->type = own.found().type;
  properties->device_id = own.found().pci_address.empty() ? nullptr : own.found().pci_address.c_str();
  Memory(device, &properties->memory_free, &properties->memory_total);
  properties->caps = {/*async=*/true, /*host_buffer=*/true, /*buffer_from_host_ptr=*/false, /*events=*/true,
                      /*mmap_support=*/true};
}

ggml_backend_t InitBackend(ggml_backend_dev_t device, const char*) { return CreateBackend(Device::Of(device)); }
ggml_backend_buffer_type_t BufferType(ggml_backend_dev_t device) { return Device::Of(device).buffer_type(); }
ggml_backend_buffer_type_t HostBufferType(ggml_backend_dev_t device) { return Device::Of(device).host_buffer_type(); }

bool SupportsOperation(ggml_backend_dev_t device, const ggml_tensor* node) {
  if (IsView(*node)) return true;
  return DescribeOperation(*node, Device::Of(device).found().traits).has_value();
}

bool SupportsBufferType(ggml_backend_dev_t device, ggml_backend_buffer_type_t type) {
  return type == Device::Of(device).buffer_type();
}

constexpr ggml_backend_device_i kDeviceInterface = {
    .get_name = Name,
    .get_description = Description,
    .get_memory = Memory,
    .get_type = Type,
    .get_props = Properties,
    .init_backend = InitBackend,
    .get_buffer_type = BufferType,
    .get_host_buffer_type = HostBufferType,
    .buffer_from_host_ptr = nullptr,
    .supports_op = SupportsOperation,
    .supports_buft = SupportsBufferType,
    .offload_op = nullptr,
    .event_new = NewEvent,
    .event_free = FreeEvent,
    .event_synchronize = SynchronizeEvent,
};

}  // namespace

Device::Device(size_t number, FoundDevice found, ggml_backend_reg_t reg)
    : found_(std::move(found)),
      name_("Halyard" + std::to_string(number)),
      host_name_(name_ + "_Host"),
      description_(found_.uri + ": " + found_.description),
      ggml_{kDeviceInterface, reg, this},
      buffer_type_{BufferTypeInterface(), &ggml_, this},
      host_buffer_type_{HostBufferTypeInterface(), &ggml_, this} {}

void Device::Open() {
  const std::lock_guard lock(mutex_);
  if (kernels_) return;
  hal::Device device = hal::Device::Open(found_.uri);
  hal::Executable kernels = hal::Executable::Load(device.get(), KernelFile());
  for (uint32_t i = 0; i < ordinals_.size(); ++i) {
    ordinals_[i] = kernels.FindExport(KernelName(static_cast<Kernel>(i)));
  }
  hal_ = std::move(device);
  kernels_ = std::move(kernels);
}

const hal::Device& Device::hal() {
  Open();
  return hal_;
}

const hal::Executable& Device::kernels() {
  Open();
  return kernels_;
}

uint32_t Device::KernelOrdinal(Kernel kernel) {
  Open();
  return ordinals_[static_cast<size_t>(kernel)];
}

hal_memory_heap_t Device::Heap() {
  size_t count = 0;
  const hal::Allocator allocator = hal().allocator();
  std::vector<hal_memory_heap_t> heaps = allocator.Heaps();
  for (const hal_memory_heap_t& heap : heaps) {
    const bool is_local = (heap.memory_type & HAL_MEMORY_TYPE_DEVICE_LOCAL) != 0;
    if (is_local && (heap.usage & HAL_BUFFER_USAGE_DEFAULT) == HAL_BUFFER_USAGE_DEFAULT) return heap;
    ++count;
  }
  throw std::runtime_error("none of the device's " + std::to_string(count) + " heaps holds buffers for kernels");
}

void* Device::AllocateHost(size_t size) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  HostMemory memory;
  memory.buffer = hal().allocator().Allocate(size, params);
  memory.mapping = memory.buffer.Map(HAL_MAP_ACCESS_READ | HAL_MAP_ACCESS_WRITE);
  void* const address = memory.mapping.elements().data();
  const std::lock_guard lock(mutex_);
  host_memory_.insert_or_assign(address, std::move(memory));
  return address;
}

void Device::FreeHost(void* memory) {
  HostMemory freed;  // outside of the lock
  const std::lock_guard lock(mutex_);
  const auto found = host_memory_.find(memory);
  if (found == host_memory_.end()) return;
  freed = std::move(found->second);
  host_memory_.erase(found);
}

}  // namespace halyard_ggml
