// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/device/vulkan_interop.h"

#include <cinttypes>
#include <thread>

#include "base/drain_scope.h"
#include "driver_kit/memory/buffer_parts.h"
#include "driver_kit/object/object_kind.h"
#include "driver_kit/object/vtable.h"
#include "halyard/vulkan_interop.h"
#include "vulkan/device/vulkan_device.h"
#include "vulkan/native/vulkan_given.h"

namespace halyard::vulkan {
namespace {

Status CheckTimeline(uint64_t semaphore) {
  return semaphore != 0 ? kOk : FailWith(HAL_STATUS_INVALID_ARGUMENT, "semaphore is no VkSemaphore, but 0");
}

VkSemaphore ToNative(uint64_t semaphore) { return reinterpret_cast<VkSemaphore>(semaphore); }
template <class Native>
uint64_t FromNative(Native handle) {
  return reinterpret_cast<uint64_t>(handle);
}

// --- Handles ---------------------------------------------------------------------------------------------------------

Status DeviceOf(VulkanDevice& device, hal_vulkan_device_t* out) {
  HAL_TRY(CheckStruct("out_device", out));
  VulkanContext& context = device.context();
  hal_vulkan_device_t told = HAL_INIT(hal_vulkan_device_t);
  told.get_instance_proc_addr = reinterpret_cast<void*>(context.instance().get_proc_address());
  told.instance = context.instance().handle();
  told.physical_device = context.physical();
  told.device = context.device();
  told.api_version = VK_API_VERSION_1_3;
  told.queue_family = device.traits().family;
  for (size_t i = 0; i < context.queue_count(); ++i) told.queues |= uint64_t{1} << context.queue(i).index;
  WriteStruct(told, out);
  return kOk;
}

Status FindQueue(VulkanDevice& device, uint32_t queue, NativeQueue** out) {
  if (queue >= device.queue_count()) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "queue %" PRIu32 "; the device has %" PRIu32, queue, device.queue_count());
  }
  *out = &device.context().queue(queue);
  return kOk;
}

Status QueueOf(VulkanDevice& device, uint32_t queue, hal_vulkan_queue_t* out) {
  HAL_TRY(CheckStruct("out_queue", out));
  NativeQueue* native = nullptr;
  HAL_TRY(FindQueue(device, queue, &native));
  hal_vulkan_queue_t told = HAL_INIT(hal_vulkan_queue_t);
  told.queue = native->handle;
  told.family = device.traits().family;
  told.index = native->index;
  WriteStruct(told, out);
  return kOk;
}

Status LockQueue(VulkanDevice& device, uint32_t queue) {
  NativeQueue* native = nullptr;
  HAL_TRY(FindQueue(device, queue, &native));
  if (native->application.load() == std::this_thread::get_id()) {
    return FailWith(HAL_STATUS_FAILED_PRECONDITION,
                    "this thread has locked that VkQueue already, which several queues of the device may share");
  }
  native->mutex.lock();
  native->application.store(std::this_thread::get_id());
  return kOk;
}

Status UnlockQueue(VulkanDevice& device, uint32_t queue) {
  NativeQueue* native = nullptr;
  HAL_TRY(FindQueue(device, queue, &native));
  if (native->application.load() != std::this_thread::get_id()) {
    return Fail(HAL_STATUS_FAILED_PRECONDITION, "this thread has not locked queue %" PRIu32, queue);
  }
  native->application.store({});
  native->mutex.unlock();
  return kOk;
}

// --- Memory ----------------------------------------------------------------------------------------------------------

Status BlockOf(const hal_buffer_t& buffer, const VulkanBlock** out) {
  *out = static_cast<const VulkanBuffer*>(buffer.allocation)->block();
  return *out ? kOk : FailWithoutMemory();
}

Status ExportBuffer(const hal_buffer_t& buffer, hal_vulkan_buffer_t* out) {
  HAL_TRY(CheckStruct("out_buffer", out));
  const VulkanBlock* block = nullptr;
  HAL_TRY(BlockOf(buffer, &block));
  hal_vulkan_buffer_t told = HAL_INIT(hal_vulkan_buffer_t);
  told.buffer = FromNative(block->buffer.get());
  told.offset = block->offset + buffer.allocation_offset;
  told.size = block->size;
  told.usage = block->usage;
  told.memory_type_index = block->type;
  told.memory = FromNative(block->memory.memory);
  told.memory_offset = block->memory.offset;
  if (block->contents) told.host_pointer = block->contents + buffer.allocation_offset;
  WriteStruct(told, out);
  return kOk;
}

Status ReadType(uint32_t type, VkExternalMemoryHandleTypeFlagBits* out) {
  switch (type) {
    case HAL_VULKAN_EXTERNAL_MEMORY_TYPE_OPAQUE_FD:
      *out = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
      return kOk;
    case HAL_VULKAN_EXTERNAL_MEMORY_TYPE_DMA_BUF:
      *out = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
      return kOk;
    default:
      return Fail(HAL_STATUS_INVALID_ARGUMENT, "type is 0x%" PRIx32 "; expected OPAQUE_FD or DMA_BUF", type);
  }
}

Status ExportMemory(VulkanDevice& device, const hal_buffer_t& buffer, uint32_t type, hal_vulkan_memory_t* out) {
  HAL_TRY(CheckStruct("out_memory", out));
  VkExternalMemoryHandleTypeFlagBits native{};
  HAL_TRY(ReadType(type, &native));
  const VulkanBlock* block = nullptr;
  HAL_TRY(BlockOf(buffer, &block));
  hal_vulkan_memory_t told = HAL_VULKAN_MEMORY_INIT;
  HAL_TRY(device.Checked(device.memory().ExportDescriptor(*block, buffer.usage, native, &told)));
  told.offset += buffer.allocation_offset;
  WriteStruct(told, out);
  return kOk;
}

// --- Timelines -------------------------------------------------------------------------------------------------------

Status ImportTimeline(VulkanDevice& device, uint64_t semaphore, uint64_t value, hal_semaphore_list_t signals) {
  HAL_TRY(CheckTimeline(semaphore));
  HAL_TRY(CheckSignalList(signals));
  HAL_TRY(device.health().Check());
  const DrainScope drain;  // what this brings about may give up the device
  return device.watches().Add(ToNative(semaphore), value, signals);
}

Status ExportTimeline(VulkanDevice& device, hal_semaphore_list_t waits, uint64_t semaphore, uint64_t value) {
  HAL_TRY(CheckTimeline(semaphore));
  HAL_TRY(CheckWaitList(waits));
  HAL_TRY(device.health().Check());
  const DrainScope drain;  // what this brings about may give up the device
  const hal_queue_operation_t operation = MakeJoin(waits);
  ActionPool<VulkanAction>::Handle action = device.actions().Borrow();
  action->Capture(device, operation, nullptr);
  action->Prepare();
  action->SetExternal(ToNative(semaphore), value);
  action.release()->Defer(operation.wait_list);
  return kOk;
}

/// Makes a timeline with `make`.
template <class Make>
Status MakeTimeline(VulkanDevice& device, uint64_t* out_semaphore, Make&& make) {
  HAL_TRY(CheckGiven("out_semaphore", out_semaphore));
  *out_semaphore = 0;
  VkSemaphore made = VK_NULL_HANDLE;
  HAL_TRY(device.Checked(make(device.timelines(), &made)));
  *out_semaphore = FromNative(made);
  return kOk;
}

Status ExportTimelineFd(VulkanDevice& device, uint64_t semaphore, int32_t* out_fd) {
  HAL_TRY(CheckGiven("out_fd", out_fd));
  *out_fd = -1;
  HAL_TRY(CheckTimeline(semaphore));
  return device.Checked(device.timelines().Export(ToNative(semaphore), out_fd));
}

// --- The table -------------------------------------------------------------------------------------------------------

template <class Body>
hal_status_t WithDevice(const char* function, hal_device_t* device, const Body& body) noexcept {
  return OnDeviceOf<VulkanDevice>("vulkan", function, device, body);
}

/// The same with a buffer and its device.
template <class Body>
hal_status_t WithBuffer(const char* function, hal_buffer_t* buffer, Body&& body) noexcept {
  if (!buffer || !IsWhatItSays(buffer)) {
    return Publish(Annotate(FailKind("buffer", buffer, HAL_OBJECT_KIND_BUFFER), function, ": "));
  }
  return WithDevice(function, buffer->device, [&](VulkanDevice& device) { return body(device, *buffer); });
}

constexpr hal_vulkan_interop_interface_t kTable = {
    sizeof(hal_vulkan_interop_interface_t),
    [](hal_device_t* device, hal_vulkan_device_t* out) noexcept {
      return WithDevice("device", device, [&](VulkanDevice& self) { return DeviceOf(self, out); });
    },
    [](hal_device_t* device, uint32_t queue, hal_vulkan_queue_t* out) noexcept {
      return WithDevice("queue", device, [&](VulkanDevice& self) { return QueueOf(self, queue, out); });
    },
    [](hal_device_t* device, uint32_t queue) noexcept {
      return WithDevice("lock_queue", device, [&](VulkanDevice& self) { return LockQueue(self, queue); });
    },
    [](hal_device_t* device, uint32_t queue) noexcept {
      return WithDevice("unlock_queue", device, [&](VulkanDevice& self) { return UnlockQueue(self, queue); });
    },
    [](hal_buffer_t* buffer, hal_vulkan_buffer_t* out) noexcept {
      return WithBuffer("export_buffer", buffer,
                        [&](VulkanDevice&, hal_buffer_t& given) { return ExportBuffer(given, out); });
    },
    [](hal_buffer_t* buffer, uint32_t type, hal_vulkan_memory_t* out) noexcept {
      return WithBuffer("export_memory", buffer,
                        [&](VulkanDevice& self, hal_buffer_t& given) { return ExportMemory(self, given, type, out); });
    },
    [](hal_device_t* device, uint64_t semaphore, uint64_t value, hal_semaphore_list_t signals) noexcept {
      return WithDevice("import_timeline", device,
                        [&](VulkanDevice& self) { return ImportTimeline(self, semaphore, value, signals); });
    },
    [](hal_device_t* device, hal_semaphore_list_t waits, uint64_t semaphore, uint64_t value) noexcept {
      return WithDevice("export_timeline", device,
                        [&](VulkanDevice& self) { return ExportTimeline(self, waits, semaphore, value); });
    },
    [](hal_device_t* device, uint64_t initial_value, uint64_t* out) noexcept {
      return WithDevice("create_timeline", device, [&](VulkanDevice& self) {
        return MakeTimeline(self, out, [&](VulkanTimelines& timelines, VkSemaphore* made) {
          return timelines.Create(initial_value, made);
        });
      });
    },
    [](hal_device_t* device, int32_t fd, uint64_t* out) noexcept {
      return WithDevice("import_timeline_fd", device, [&](VulkanDevice& self) {
        return MakeTimeline(self, out,
                            [&](VulkanTimelines& timelines, VkSemaphore* made) { return timelines.Import(fd, made); });
      });
    },
    [](hal_device_t* device, uint64_t semaphore, int32_t* out_fd) noexcept {
      return WithDevice("export_timeline_fd", device,
                        [&](VulkanDevice& self) { return ExportTimelineFd(self, semaphore, out_fd); });
    },
    [](hal_device_t* device, uint64_t semaphore) noexcept {
      return WithDevice("destroy_timeline", device,
                        [&](VulkanDevice& self) { return self.timelines().Destroy(ToNative(semaphore)); });
    }};

}  // namespace

DeviceExtension InteropExtension() { return {HAL_VULKAN_INTEROP_INTERFACE, 1, &kTable}; }

}  // namespace halyard::vulkan
