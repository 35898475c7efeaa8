// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver's tables, made from its classes.
//
// The same method has the same name in every driver, which is what fills the tables: hal_buffer_vtable_t::map is the
// class's Map(), and so on. A method that a class lacks leaves its entry empty, and the core answers for it (see
// core/registry/driver_tables.h). So a new driver can begin with the few methods that it has.
#ifndef HALYARD_DRIVER_KIT_DEVICE_DRIVER_INTERFACE_H_
#define HALYARD_DRIVER_KIT_DEVICE_DRIVER_INTERFACE_H_

#include <string_view>

#include "base/status.h"
#include "driver_kit/device/event.h"
#include "driver_kit/object/vtable.h"
#include "driver_kit/queue/command.h"
#include "driver_kit/queue/operation.h"
#include "halyard/driver_api.h"

namespace halyard {

template <class Driver>
constexpr hal_driver_vtable_t DriverVtable() {
  hal_driver_vtable_t table{};
  table.struct_size = sizeof(table);
  table.destroy = DestroyEntry<Driver, hal_driver_t>;
  table.list_devices = Entry<&Driver::ListDevices>::template Of<hal_driver_t>;
  table.create_device = Entry<&Driver::CreateDevice>::template Of<hal_driver_t>;
  if constexpr (requires { &Driver::CreateDeviceOnExecutor; }) {
    table.create_device_on_executor = Entry<&Driver::CreateDeviceOnExecutor>::template Of<hal_driver_t>;
  }
  if constexpr (requires { &Driver::WrapDevice; }) {
    table.wrap_device = Entry<&Driver::WrapDevice>::template Of<hal_driver_t>;
  }
  return table;
}

// A driver knows the kinds of the version that it was built with. A later core asks for others, too.
inline hal_status_t CheckKnownCommand(hal_device_t*, hal_command_type_t type) noexcept {
  if (!CommandName(type).empty()) return kOk;
  return Fail(HAL_STATUS_UNIMPLEMENTED, "the driver was built before there were commands of kind %d",
              static_cast<int>(type));
}

template <class Device>
hal_status_t SubmitKnown(hal_device_t* self, const hal_queue_operation_t* operation) noexcept {
  if (OperationName(operation->type).empty()) [[unlikely]]
    return Fail(HAL_STATUS_UNIMPLEMENTED, "the driver was built before there were queue operations of kind %d",
                static_cast<int>(operation->type));
  return Entry<&Device::Submit>::template Of<hal_device_t>(self, operation);
}

template <class Device>
constexpr hal_device_vtable_t DeviceVtable() {
  using Head = hal_device_t;
  hal_device_vtable_t table{};
  table.struct_size = sizeof(table);
  table.destroy = DestroyEntry<Device, Head>;
  if constexpr (requires { &Device::QueryFormat; }) {
    table.query_format = Entry<&Device::QueryFormat>::template Of<Head>;
  }
  if constexpr (requires { &Device::QueryHealth; }) {
    table.query_health = Entry<&Device::QueryHealth>::template Of<Head>;
  }
  if constexpr (requires { &Device::QueryInterface; }) {
    table.query_interface = Entry<&Device::QueryInterface>::template Of<Head>;
  }
  table.create_semaphore = Entry<&Device::CreateSemaphore>::template Of<Head>;
  if constexpr (requires { &Device::CreateEvent; }) {
    table.create_event = Entry<&Device::CreateEvent>::template Of<Head>;
  }
  if constexpr (requires { &Device::CreateCommandBuffer; }) {
    table.create_command_buffer = Entry<&Device::CreateCommandBuffer>::template Of<Head>;
  }
  if constexpr (requires { &Device::CreateExecutable; }) {
    table.create_executable = Entry<&Device::CreateExecutable>::template Of<Head>;
  }
  table.submit = SubmitKnown<Device>;
  if constexpr (requires { &Device::ProfilingBegin; }) {
    table.profiling_begin = Entry<&Device::ProfilingBegin>::template Of<Head>;
    table.profiling_end = Entry<&Device::ProfilingEnd>::template Of<Head>;
  }
  if constexpr (requires { &Device::QueryProperties; }) {
    table.query_properties = Entry<&Device::QueryProperties>::template Of<Head>;
  }
  if constexpr (requires { &Device::QueryPeer; }) table.query_peer = Entry<&Device::QueryPeer>::template Of<Head>;
  table.check_command = CheckKnownCommand;
  if constexpr (requires { &Device::Drain; }) table.drain = Entry<&Device::Drain>::template Of<Head>;
  return table;
}

template <class Allocator>
constexpr hal_allocator_vtable_t AllocatorVtable() {
  using Head = hal_allocator_t;
  hal_allocator_vtable_t table{};
  table.struct_size = sizeof(table);
  table.destroy = [](hal_object_t*) {};  // a part of its device
  table.query_heaps = Entry<&Allocator::QueryHeaps>::template Of<Head>;
  table.query_statistics = Entry<&Allocator::QueryStatistics>::template Of<Head>;
  table.allocate = Entry<&Allocator::Allocate>::template Of<Head>;
  if constexpr (requires { &Allocator::Import; }) table.import = Entry<&Allocator::Import>::template Of<Head>;
  if constexpr (requires { &Allocator::Trim; }) table.trim = Entry<&Allocator::Trim>::template Of<Head>;
  return table;
}

template <class Buffer>
constexpr hal_buffer_vtable_t BufferVtable() {
  using Head = hal_buffer_t;
  hal_buffer_vtable_t table{};
  table.struct_size = sizeof(table);
  table.destroy = DestroyEntry<Buffer, Head>;
  if constexpr (requires { &Buffer::Map; }) table.map = Entry<&Buffer::Map>::template Of<Head>;
  if constexpr (requires { &Buffer::Unmap; }) table.unmap = Entry<&Buffer::Unmap>::template Of<Head>;
  if constexpr (requires { &Buffer::Flush; }) table.flush = Entry<&Buffer::Flush>::template Of<Head>;
  if constexpr (requires { &Buffer::Invalidate; }) table.invalidate = Entry<&Buffer::Invalidate>::template Of<Head>;
  if constexpr (requires { &Buffer::ExportMemory; }) {
    table.export_memory = Entry<&Buffer::ExportMemory>::template Of<Head>;
  }
  return table;
}

template <class Event>
constexpr hal_event_vtable_t EventVtable() {
  return {sizeof(hal_event_vtable_t), DestroyEntry<Event, hal_event_t>};
}

template <class CommandBuffer>
constexpr hal_command_buffer_vtable_t CommandBufferVtable() {
  using Head = hal_command_buffer_t;
  hal_command_buffer_vtable_t table{};
  table.struct_size = sizeof(table);
  table.destroy = DestroyEntry<CommandBuffer, Head>;
  table.begin = Entry<&CommandBuffer::Begin>::template Of<Head>;
  table.record = Entry<&CommandBuffer::Record>::template Of<Head>;
  table.end = Entry<&CommandBuffer::End>::template Of<Head>;
  return table;
}

template <class Executable>
constexpr hal_executable_vtable_t ExecutableVtable() {
  hal_executable_vtable_t table{};
  table.struct_size = sizeof(table);
  table.destroy = DestroyEntry<Executable, hal_executable_t>;
  table.export_info = [](hal_executable_t* self, uint32_t ordinal) {
    return static_cast<const Executable*>(self)->ExportInfo(ordinal);
  };
  if constexpr (requires { &Executable::Function; }) {
    table.function = Entry<&Executable::Function>::template Of<hal_executable_t>;
  }
  if constexpr (requires { &Executable::FindExport; }) {
    table.find_export = Entry<&Executable::FindExport>::template Of<hal_executable_t>;
  }
  if constexpr (requires { &Executable::FindGlobal; }) {
    table.find_global = Entry<&Executable::FindGlobal>::template Of<hal_executable_t>;
  }
  if constexpr (requires { &Executable::QueryExportProperties; }) {
    table.query_export_properties = Entry<&Executable::QueryExportProperties>::template Of<hal_executable_t>;
  }
  if constexpr (requires { &Executable::CountResident; }) {
    table.count_resident = Entry<&Executable::CountResident>::template Of<hal_executable_t>;
  }
  return table;
}

/// The classes of a driver.
template <class DriverClass, class DeviceClass, class AllocatorClass, class BufferClass, class SemaphoreClass,
          class CommandBufferClass, class ExecutableClass, class EventClass = Event>
struct DriverClasses {
  using Driver = DriverClass;
  using Device = DeviceClass;
  using Allocator = AllocatorClass;
  using Buffer = BufferClass;
  using Semaphore = SemaphoreClass;
  using CommandBuffer = CommandBufferClass;
  using Executable = ExecutableClass;
  using Event = EventClass;
};

/// The vtables of a driver and the interface that points to them, made of its DriverClasses. Make it `static constinit
/// const`: a child of fork() would wait for ever for a thread of its parent that was in the middle of making it.
template <class Classes>
class DriverInterface {
 public:
  /// @param name         as in URIs; a literal
  /// @param description  one line for people; a literal
  constexpr DriverInterface(std::string_view name, std::string_view description) {
    interface_.struct_size = sizeof(interface_);
    interface_.abi_version = HAL_DRIVER_ABI_VERSION;
    interface_.name = ToC(name);
    interface_.description = ToC(description);
    interface_.create_driver = CreateDriver;
    interface_.driver = &driver_;
    interface_.device = &device_;
    interface_.allocator = &allocator_;
    interface_.buffer = &buffer_;
    interface_.semaphore = &semaphore_;
    interface_.event = &event_;
    interface_.command_buffer = &command_buffer_;
    interface_.executable = &executable_;
  }
  DriverInterface(const DriverInterface&) = delete;
  DriverInterface& operator=(const DriverInterface&) = delete;

  const hal_driver_interface_t* get() const { return &interface_; }

 private:
  static hal_status_t CreateDriver(const hal_driver_interface_t* completed, const hal_host_services_t*,
                                   hal_driver_t** out_driver) noexcept {
    return Guard([&] { return Classes::Driver::Create(*completed, out_driver); });
  }

  const hal_driver_vtable_t driver_ = DriverVtable<typename Classes::Driver>();
  const hal_device_vtable_t device_ = DeviceVtable<typename Classes::Device>();
  const hal_allocator_vtable_t allocator_ = AllocatorVtable<typename Classes::Allocator>();
  const hal_buffer_vtable_t buffer_ = BufferVtable<typename Classes::Buffer>();
  const hal_semaphore_vtable_t semaphore_ = Classes::Semaphore::MakeVtable();
  const hal_event_vtable_t event_ = EventVtable<typename Classes::Event>();
  const hal_command_buffer_vtable_t command_buffer_ = CommandBufferVtable<typename Classes::CommandBuffer>();
  const hal_executable_vtable_t executable_ = ExecutableVtable<typename Classes::Executable>();
  hal_driver_interface_t interface_{};
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_DRIVER_INTERFACE_H_
