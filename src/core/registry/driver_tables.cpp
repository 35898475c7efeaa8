// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/registry/driver_tables.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>

#include "base/process_wide.h"
#include "core/registry/uri.h"
#include "core/validation/checks.h"

namespace halyard {
namespace {

/// Text that can be a template argument, so that a plain function can know its name.
template <size_t N>
struct FixedString {
  char text[N] = {};
  constexpr FixedString(const char (&literal)[N]) {  // NOLINT(google-explicit-constructor)
    std::copy_n(literal, N, text);
  }
};

// The driver of an object. A driver may call its own entries before the core has set an object's parent.
const hal_driver_interface_t* TablesOf(const hal_driver_t* driver) { return driver ? driver->tables : nullptr; }
const hal_driver_interface_t* TablesOf(const hal_device_t* device) {
  return device ? TablesOf(device->driver) : nullptr;
}
template <class Child>
const hal_driver_interface_t* TablesOf(const Child* child) {
  return TablesOf(child->device);
}

Status NotImplemented(const hal_driver_interface_t* tables, const char* function) noexcept {
  return Guard([&] {
    const std::string_view driver = tables ? View(tables->name) : "?";
    return Fail(HAL_STATUS_UNIMPLEMENTED, "driver '%.*s' does not implement %s", HALYARD_SV(driver), function);
  });
}

/// What stands in for the missing entry `member` of a vtable.
template <FixedString name, auto member>
struct Missing;

template <FixedString name, class Table, class Object, class... Args, hal_status_t (*Table::*member)(Object*, Args...)>
struct Missing<name, member> {
  static hal_status_t Unimplemented(Object* object, Args...) noexcept {
    return NotImplemented(TablesOf(object), name.text);
  }
  static hal_status_t NothingToDo(Object*, Args...) noexcept { return kOk; }
};

template <FixedString name, auto member, class Table>
void UnimplementedIfMissing(Table& table) {
  if (!(table.*member)) table.*member = Missing<name, member>::Unimplemented;
}

template <auto member, class Table>
void NothingToDoIfMissing(Table& table) {
  if (!(table.*member)) table.*member = Missing<"", member>::NothingToDo;
}

hal_status_t NoFormats(hal_device_t* device, hal_string_view_t) noexcept {
  return Guard([&] {
    const hal_driver_interface_t* const tables = TablesOf(device);
    const std::string_view driver = tables ? View(tables->name) : "?";
    return Fail(HAL_STATUS_INCOMPATIBLE, "devices of driver '%.*s' take no executables of any format",
                HALYARD_SV(driver));
  });
}

hal_status_t NoExtensions(hal_device_t* device, hal_string_view_t name, uint32_t, const void** out_table) noexcept {
  return Guard([&] {
    *out_table = nullptr;
    const hal_driver_interface_t* const tables = TablesOf(device);
    const std::string_view driver = tables ? View(tables->name) : "?";
    return Fail(HAL_STATUS_UNIMPLEMENTED, "driver '%.*s' has no extension '%.*s'", HALYARD_SV(driver),
                HALYARD_SV(View(name)));
  });
}

hal_status_t FindExportInOrder(hal_executable_t* executable, hal_string_view_t name, uint32_t* out_ordinal) noexcept {
  for (uint32_t i = 0; i < executable->export_count; ++i) {
    const hal_export_info_t* const info = VtableOf(executable)->export_info(executable, i);
    if (!info || View(info->name) != View(name)) continue;
    *out_ordinal = i;
    return kOk;
  }
  return HAL_STATUS_NOT_FOUND;
}

const hal_export_info_t* NoExportInfo(hal_executable_t*, uint32_t) noexcept { return nullptr; }

hal_status_t NoLaterCommands(hal_device_t* device, hal_command_type_t type) noexcept {
  return Guard([&] {
    const hal_driver_interface_t* const tables = TablesOf(device);
    const std::string_view driver = tables ? View(tables->name) : "?";
    return Fail(HAL_STATUS_UNIMPLEMENTED, "driver '%.*s' runs no %s", HALYARD_SV(driver),
                type == HAL_COMMAND_TYPE_COPY_STRIDED ? "strided copies" : "commands of that kind");
  });
}

void DestroyedByDevice(hal_object_t*) noexcept {}

void FillIn(hal_driver_vtable_t& table) {
  UnimplementedIfMissing<"driver.list_devices", &hal_driver_vtable_t::list_devices>(table);
  UnimplementedIfMissing<"driver.create_device", &hal_driver_vtable_t::create_device>(table);
  UnimplementedIfMissing<"driver.create_device_on_executor", &hal_driver_vtable_t::create_device_on_executor>(table);
  UnimplementedIfMissing<"driver.wrap_device", &hal_driver_vtable_t::wrap_device>(table);
}

void FillIn(hal_device_vtable_t& table) {
  if (!table.query_format) table.query_format = NoFormats;
  NothingToDoIfMissing<&hal_device_vtable_t::query_health>(table);
  if (!table.query_interface) table.query_interface = NoExtensions;
  UnimplementedIfMissing<"device.create_semaphore", &hal_device_vtable_t::create_semaphore>(table);
  UnimplementedIfMissing<"device.create_event", &hal_device_vtable_t::create_event>(table);
  UnimplementedIfMissing<"device.create_command_buffer", &hal_device_vtable_t::create_command_buffer>(table);
  UnimplementedIfMissing<"device.create_executable", &hal_device_vtable_t::create_executable>(table);
  UnimplementedIfMissing<"device.submit", &hal_device_vtable_t::submit>(table);
  UnimplementedIfMissing<"device.profiling_begin", &hal_device_vtable_t::profiling_begin>(table);
  UnimplementedIfMissing<"device.profiling_end", &hal_device_vtable_t::profiling_end>(table);
  NothingToDoIfMissing<&hal_device_vtable_t::query_properties>(table);  // all stays unknown
  NothingToDoIfMissing<&hal_device_vtable_t::query_peer>(table);        // there is no connection
  if (!table.check_command) table.check_command = NoLaterCommands;
  UnimplementedIfMissing<"device.drain", &hal_device_vtable_t::drain>(table);
}

void FillIn(hal_allocator_vtable_t& table) {
  if (!table.destroy) table.destroy = DestroyedByDevice;
  UnimplementedIfMissing<"allocator.query_heaps", &hal_allocator_vtable_t::query_heaps>(table);
  UnimplementedIfMissing<"allocator.query_statistics", &hal_allocator_vtable_t::query_statistics>(table);
  UnimplementedIfMissing<"allocator.allocate", &hal_allocator_vtable_t::allocate>(table);
  UnimplementedIfMissing<"allocator.import", &hal_allocator_vtable_t::import>(table);
  NothingToDoIfMissing<&hal_allocator_vtable_t::trim>(table);
}

void FillIn(hal_buffer_vtable_t& table) {
  UnimplementedIfMissing<"buffer.map", &hal_buffer_vtable_t::map>(table);
  NothingToDoIfMissing<&hal_buffer_vtable_t::unmap>(table);
  NothingToDoIfMissing<&hal_buffer_vtable_t::flush>(table);
  NothingToDoIfMissing<&hal_buffer_vtable_t::invalidate>(table);
  UnimplementedIfMissing<"buffer.export_memory", &hal_buffer_vtable_t::export_memory>(table);
}

void FillIn(hal_semaphore_vtable_t& table) {
  UnimplementedIfMissing<"semaphore.query", &hal_semaphore_vtable_t::query>(table);
  UnimplementedIfMissing<"semaphore.signal", &hal_semaphore_vtable_t::signal>(table);
  UnimplementedIfMissing<"semaphore.fail", &hal_semaphore_vtable_t::fail>(table);
  UnimplementedIfMissing<"semaphore.wait", &hal_semaphore_vtable_t::wait>(table);
  UnimplementedIfMissing<"semaphore.notify", &hal_semaphore_vtable_t::notify>(table);
  UnimplementedIfMissing<"semaphore.cancel", &hal_semaphore_vtable_t::cancel>(table);
}

void FillIn(hal_event_vtable_t&) {}

void FillIn(hal_command_buffer_vtable_t& table) {
  UnimplementedIfMissing<"command_buffer.begin", &hal_command_buffer_vtable_t::begin>(table);
  UnimplementedIfMissing<"command_buffer.record", &hal_command_buffer_vtable_t::record>(table);
  UnimplementedIfMissing<"command_buffer.end", &hal_command_buffer_vtable_t::end>(table);
}

void FillIn(hal_executable_vtable_t& table) {
  if (!table.export_info) table.export_info = NoExportInfo;
  if (!table.find_export) table.find_export = FindExportInOrder;
  UnimplementedIfMissing<"executable.function", &hal_executable_vtable_t::function>(table);
  UnimplementedIfMissing<"executable.find_global", &hal_executable_vtable_t::find_global>(table);
  NothingToDoIfMissing<&hal_executable_vtable_t::query_export_properties>(table);  // what the core knows remains
  NothingToDoIfMissing<&hal_executable_vtable_t::count_resident>(table);           // it stays unknown
}

/// The completed vtables of a driver; one that the driver lacks is all zero. Nothing but words and no gaps, so that two
/// sets can be compared as bytes.
struct VtableSet {
  hal_driver_vtable_t driver;
  hal_device_vtable_t device;
  hal_allocator_vtable_t allocator;
  hal_buffer_vtable_t buffer;
  hal_semaphore_vtable_t semaphore;
  hal_event_vtable_t event;
  hal_command_buffer_vtable_t command_buffer;
  hal_executable_vtable_t executable;
};

template <class Table>
const Table* PresentTable(const Table& table) {
  return table.struct_size > 0 ? &table : nullptr;
}

/// What a driver's objects point to.
struct CompletedTables : HostObject {
  VtableSet vtables = {};
  HostString name;
  HostString description;
  hal_driver_interface_t tables = {};  // points to what is above

  bool SameAs(const CompletedTables& other) const {
    return tables.create_driver == other.tables.create_driver && name == other.name &&
           description == other.description && std::memcmp(&vtables, &other.vtables, sizeof(vtables)) == 0;
  }
};

/// All completed tables of the process.
class TableList : public HostObject {
 public:
  const hal_driver_interface_t* FindOrAdd(std::unique_ptr<CompletedTables> candidate) {
    const std::lock_guard lock(mutex_);
    const auto same = std::ranges::find_if(list_, [&](const auto& known) { return known->SameAs(*candidate); });
    if (same != list_.end()) return &(*same)->tables;
    list_.push_back(std::move(candidate));
    return &list_.back()->tables;
  }

 private:
  std::mutex mutex_;  // protects list_
  HostVector<std::unique_ptr<CompletedTables>> list_;
};

bool PlausibleSize(size_t size, size_t least) {
  return size >= least && size <= kMaxStructSize && size % alignof(void*) == 0;
}

/// Completes one driver's tables; messages begin with the public function and the driver's name.
class Completion {
 public:
  Completion(const char* function, const hal_driver_interface_t& given) : function_(function), given_(given) {}

  Status Run(CompletedTables* out) const {
    HAL_TRY(CheckDriver());
    HAL_TRY(CopyVtables(&out->vtables));
    out->name = View(given_.name);
    out->description = View(given_.description);
    Connect(out);
    return kOk;
  }

 private:
  Status CheckDriver() const {
    const std::string_view name = View(given_.name);
    if (!IsDriverName(name)) {
      return Fail(HAL_STATUS_INVALID_ARGUMENT,
                  "%s: '%.*s' is no driver name: use lower-case letters, digits, '-' and '_'", function_,
                  HALYARD_SV(name));
    }
    if (!given_.create_driver) return Lacks("create_driver");
    if (!given_.driver) return Lacks("a vtable for the driver object");
    return kOk;
  }

  Status CopyVtables(VtableSet* out) const {
    Status status = Copy("driver", given_.driver, &out->driver);
    if (status == kOk) status = Copy("device", given_.device, &out->device);
    if (status == kOk) status = Copy("allocator", given_.allocator, &out->allocator);
    if (status == kOk) status = Copy("buffer", given_.buffer, &out->buffer);
    if (status == kOk) status = Copy("semaphore", given_.semaphore, &out->semaphore);
    if (status == kOk) status = Copy("event", given_.event, &out->event);
    if (status == kOk) status = Copy("command_buffer", given_.command_buffer, &out->command_buffer);
    if (status == kOk) status = Copy("executable", given_.executable, &out->executable);
    return status;
  }

  template <class Table>
  Status Copy(const char* kind, const Table* given, Table* copy) const {
    if (!given) return kOk;
    if (!PlausibleSize(given->struct_size, sizeof(hal_object_vtable_t))) {
      return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: driver '%.*s': struct_size of the %s vtable is %zu", function_,
                  HALYARD_SV(View(given_.name)), kind, given->struct_size);
    }
    std::memcpy(copy, given, std::min(given->struct_size, sizeof(Table)));
    copy->struct_size = sizeof(Table);
    FillIn(*copy);
    if (copy->destroy) return kOk;
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: driver '%.*s' lacks %s.destroy", function_,
                HALYARD_SV(View(given_.name)), kind);
  }

  Status Lacks(const char* what) const {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: driver '%.*s' lacks %s", function_, HALYARD_SV(View(given_.name)),
                what);
  }

  void Connect(CompletedTables* out) const {
    hal_driver_interface_t& tables = out->tables;
    tables.struct_size = sizeof(tables);
    tables.abi_version = HAL_DRIVER_ABI_VERSION;
    tables.name = ToC(out->name);
    tables.description = ToC(out->description);
    tables.create_driver = given_.create_driver;
    tables.driver = PresentTable(out->vtables.driver);
    tables.device = PresentTable(out->vtables.device);
    tables.allocator = PresentTable(out->vtables.allocator);
    tables.buffer = PresentTable(out->vtables.buffer);
    tables.semaphore = PresentTable(out->vtables.semaphore);
    tables.event = PresentTable(out->vtables.event);
    tables.command_buffer = PresentTable(out->vtables.command_buffer);
    tables.executable = PresentTable(out->vtables.executable);
  }

  const char* const function_;
  const hal_driver_interface_t& given_;
};

// Copies what this library knows of an interface that may be longer or shorter. What follows the version may have
// another meaning in another version.
Status ReadInterface(const char* function, const hal_driver_interface_t* given, hal_driver_interface_t* copy) {
  HAL_TRY(CheckNotNull(function, "driver_interface", given));
  constexpr size_t kLeast = offsetof(hal_driver_interface_t, name);
  if (!PlausibleSize(given->struct_size, kLeast)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: driver_interface->struct_size is %zu; expected at least %zu",
                function, given->struct_size, kLeast);
  }
  if (given->abi_version != HAL_DRIVER_ABI_VERSION) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "%s: the driver was built for driver ABI %u, this library has %u", function,
                given->abi_version, HAL_DRIVER_ABI_VERSION);
  }
  std::memcpy(copy, given, std::min(given->struct_size, sizeof(*copy)));
  return kOk;
}

}  // namespace

Status CompleteTables(const char* function, const hal_driver_interface_t* given,
                      const hal_driver_interface_t** out_tables) {
  hal_driver_interface_t copy = {};
  HAL_TRY(ReadInterface(function, given, &copy));
  auto completed = std::make_unique<CompletedTables>();
  HAL_TRY(Completion(function, copy).Run(completed.get()));
  *out_tables = ProcessWide<TableList>::Get().FindOrAdd(std::move(completed));
  return kOk;
}

}  // namespace halyard
