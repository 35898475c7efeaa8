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

// A driver knows the kinds of the version that it was built with. A later core asks for others, too.
inline hal_status_t CheckKnownCommand(hal_device_t*, hal_command_type_t type) noexcept {
  if (!CommandName(type).empty()) return HAL_STATUS_OK;
  return ToC(Fail(HAL_STATUS_UNIMPLEMENTED, "the driver was built before there were commands of kind %d",
                  static_cast<int>(type)));
}

template <class Device>
hal_status_t SubmitKnown(hal_device_t* self, const hal_queue_operation_t* operation) noexcept {
  if (OperationName(operation->type).empty()) [[unlikely]]
    return ToC(Fail(HAL_STATUS_UNIMPLEMENTED, "the driver was built before there were queue operations of kind %d",
                    static_cast<int>(operation->type)));
  return Entry<&Device::Submit>::template Of<hal_device_t>(self, operation);
}

/// A vtable of `Class`, whose methods have the names of the entries. One that it lacks stays empty.
#define HALYARD_MAKE_VTABLE(kind, Name)                     \
  template <class Class>                                    \
  constexpr hal_##kind##_vtable_t Name##Vtable() {          \
    using Head = hal_##kind##_t;                            \
    hal_##kind##_vtable_t table{};                          \
    table.struct_size = sizeof(table);                      \
    table.destroy = DestroyEntry<Class, Head>;              \
    HALYARD_ENTRIES_##kind(HALYARD_SET_ENTRY) return table; \
  }
HALYARD_MAKE_VTABLE(driver, Driver)
HALYARD_MAKE_VTABLE(buffer, Buffer)
HALYARD_MAKE_VTABLE(event, Event)
HALYARD_MAKE_VTABLE(command_buffer, CommandBuffer)
HALYARD_MAKE_VTABLE(executable, Executable)
#undef HALYARD_MAKE_VTABLE

template <class Class>
constexpr hal_device_vtable_t DeviceVtable() {
  using Head = hal_device_t;
  hal_device_vtable_t table{};
  table.struct_size = sizeof(table);
  table.destroy = DestroyEntry<Class, Head>;
  HALYARD_ENTRIES_device(HALYARD_SET_ENTRY);
  table.submit = SubmitKnown<Class>;
  table.check_command = CheckKnownCommand;
  return table;
}

/// Without `destroy`: an allocator is a part of its device.
template <class Class>
constexpr hal_allocator_vtable_t AllocatorVtable() {
  using Head = hal_allocator_t;
  hal_allocator_vtable_t table{};
  table.struct_size = sizeof(table);
  HALYARD_ENTRIES_allocator(HALYARD_SET_ENTRY);
  return table;
}

/// A semaphore's class says itself, as it overrides entries of its base.
template <class Class>
constexpr hal_semaphore_vtable_t SemaphoreVtable() {
  return Class::MakeVtable();
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
#define HALYARD_SET_VTABLE(kind, Name) interface_.kind = &kind##_;
    HALYARD_VTABLES(HALYARD_SET_VTABLE)
#undef HALYARD_SET_VTABLE
  }
  DriverInterface(const DriverInterface&) = delete;
  DriverInterface& operator=(const DriverInterface&) = delete;

  const hal_driver_interface_t* get() const { return &interface_; }

 private:
  static hal_status_t CreateDriver(const hal_driver_interface_t* completed, const hal_host_services_t*,
                                   hal_driver_t** out_driver) noexcept {
    return ToC(Guard([&] { return Classes::Driver::Create(*completed, out_driver); }));
  }

#define HALYARD_HAVE_VTABLE(kind, Name) const hal_##kind##_vtable_t kind##_ = Name##Vtable<typename Classes::Name>();
  HALYARD_VTABLES(HALYARD_HAVE_VTABLE)
#undef HALYARD_HAVE_VTABLE
  hal_driver_interface_t interface_{};
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_DRIVER_INTERFACE_H_
