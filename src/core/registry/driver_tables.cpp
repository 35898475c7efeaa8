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
#include "driver_kit/object/vtable_entries.h"

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

hal_status_t NotImplemented(const hal_driver_interface_t* tables, const char* function) noexcept {
  const std::string_view driver = tables ? View(tables->name) : "?";
  return ToC(Fail(HAL_STATUS_UNIMPLEMENTED, "driver '%.*s' does not implement %s", HALYARD_SV(driver), function));
}

/// What stands in for the missing entry `member` of a vtable.
template <FixedString name, auto member>
struct Missing;

template <FixedString name, class Table, class Object, class... Args, hal_status_t (*Table::*member)(Object*, Args...)>
struct Missing<name, member> {
  static hal_status_t Unimplemented(Object* object, Args...) noexcept {
    return NotImplemented(TablesOf(object), name.text);
  }
  static hal_status_t NothingToDo(Object*, Args...) noexcept { return HAL_STATUS_OK; }
};

hal_status_t RefuseFormat(hal_device_t* device, hal_string_view_t) noexcept {
  const hal_driver_interface_t* const tables = TablesOf(device);
  const std::string_view driver = tables ? View(tables->name) : "?";
  return ToC(
      Fail(HAL_STATUS_INCOMPATIBLE, "devices of driver '%.*s' take no executables of any format", HALYARD_SV(driver)));
}

hal_status_t RefuseExtension(hal_device_t* device, hal_string_view_t name, uint32_t, const void** out_table) noexcept {
  *out_table = nullptr;
  const hal_driver_interface_t* const tables = TablesOf(device);
  const std::string_view driver = tables ? View(tables->name) : "?";
  return ToC(Fail(HAL_STATUS_UNIMPLEMENTED, "driver '%.*s' has no extension '%.*s'", HALYARD_SV(driver),
                  HALYARD_SV(View(name))));
}

hal_status_t AskInOrder(hal_executable_t* executable, hal_string_view_t name, uint32_t* out_ordinal) noexcept {
  for (uint32_t i = 0; i < executable->export_count; ++i) {
    const hal_export_info_t* const info = VtableOf(executable)->export_info(executable, i);
    if (!info || View(info->name) != View(name)) continue;
    *out_ordinal = i;
    return HAL_STATUS_OK;
  }
  return HAL_STATUS_NOT_FOUND;
}

hal_status_t WaitWithoutFlags(hal_semaphore_t* semaphore, uint64_t value, hal_wait_flags_t,
                              uint64_t timeout_ns) noexcept {
  return VtableOf(semaphore)->wait(semaphore, value, timeout_ns);
}

const hal_export_info_t* KnowNoExport(hal_executable_t*, uint32_t) noexcept { return nullptr; }

hal_status_t RefuseCommand(hal_device_t* device, hal_command_type_t type) noexcept {
  const hal_driver_interface_t* const tables = TablesOf(device);
  const std::string_view driver = tables ? View(tables->name) : "?";
  return ToC(Fail(HAL_STATUS_UNIMPLEMENTED, "driver '%.*s' runs no %s", HALYARD_SV(driver),
                  type == HAL_COMMAND_TYPE_COPY_STRIDED ? "strided copies" : "commands of that kind"));
}

hal_status_t RefusePeerCopy(hal_device_t*, hal_device_t*, hal_command_type_t) noexcept {
  return HAL_STATUS_UNIMPLEMENTED;  // the library copies instead, so no caller reads a message
}

void LeaveToDevice(hal_object_t*) noexcept {}

/// The answers that vtable_entries.h names.
namespace answers {

template <FixedString name, auto member>
constexpr auto Unimplemented = Missing<name, member>::Unimplemented;  // NOLINT(readability-identifier-naming)
template <FixedString name, auto member>
constexpr auto NothingToDo = Missing<name, member>::NothingToDo;  // NOLINT(readability-identifier-naming)
template <FixedString, auto>
constexpr auto NoFormats = RefuseFormat;  // NOLINT(readability-identifier-naming)
template <FixedString, auto>
constexpr auto NoExtensions = RefuseExtension;  // NOLINT(readability-identifier-naming)
template <FixedString, auto>
constexpr auto NoLaterCommands = RefuseCommand;  // NOLINT(readability-identifier-naming)
template <FixedString, auto>
constexpr auto NoPeerCopies = RefusePeerCopy;  // NOLINT(readability-identifier-naming)
template <FixedString, auto>
constexpr auto FindExportInOrder = AskInOrder;  // NOLINT(readability-identifier-naming)
template <FixedString, auto>
constexpr auto NoExportInfo = KnowNoExport;  // NOLINT(readability-identifier-naming)
template <FixedString, auto>
constexpr auto WaitAsDriverDoes = WaitWithoutFlags;  // NOLINT(readability-identifier-naming)
template <FixedString, auto>
constexpr auto DestroyedByDevice = LeaveToDevice;  // NOLINT(readability-identifier-naming)

}  // namespace answers

#define HALYARD_ANSWER(kind, entry, Method, kPresence, Answer) \
  if (!table.entry) table.entry = answers::Answer<#kind "." #entry, &hal_##kind##_vtable_t::entry>;
#define HALYARD_FILL_IN(kind, Name) \
  void FillIn([[maybe_unused]] hal_##kind##_vtable_t& table) { HALYARD_ENTRIES_##kind(HALYARD_ANSWER) }
HALYARD_VTABLES(HALYARD_FILL_IN)
#undef HALYARD_FILL_IN
#undef HALYARD_ANSWER

/// The completed vtables of a driver; one that the driver lacks is all zero. Nothing but words and no gaps, so that two
/// sets can be compared as bytes.
struct VtableSet {
#define HALYARD_MEMBER(kind, Name) hal_##kind##_vtable_t kind;
  HALYARD_VTABLES(HALYARD_MEMBER)
#undef HALYARD_MEMBER
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

/// Completes one driver's tables; messages name the driver.
class Completion {
 public:
  explicit Completion(const hal_driver_interface_t& given) : given_(given) {}

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
      return Fail(HAL_STATUS_INVALID_ARGUMENT, "'%.*s' is no driver name: use lower-case letters, digits, '-' and '_'",
                  HALYARD_SV(name));
    }
    if (!given_.create_driver) return Lacks("create_driver");
    if (!given_.driver) return Lacks("a vtable for the driver object");
    return kOk;
  }

  Status CopyVtables(VtableSet* out) const {
#define HALYARD_COPY(kind, Name) HAL_TRY(Copy(#kind, given_.kind, &out->kind));
    HALYARD_VTABLES(HALYARD_COPY)
#undef HALYARD_COPY
    return kOk;
  }

  template <class Table>
  Status Copy(const char* kind, const Table* given, Table* copy) const {
    if (!given) return kOk;
    if (!PlausibleSize(given->struct_size, sizeof(hal_object_vtable_t))) {
      return Fail(HAL_STATUS_INVALID_ARGUMENT, "driver '%.*s': struct_size of the %s vtable is %zu",
                  HALYARD_SV(View(given_.name)), kind, given->struct_size);
    }
    std::memcpy(copy, given, std::min(given->struct_size, sizeof(Table)));
    copy->struct_size = sizeof(Table);
    FillIn(*copy);
    if (copy->destroy) return kOk;
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "driver '%.*s' lacks %s.destroy", HALYARD_SV(View(given_.name)), kind);
  }

  Status Lacks(const char* what) const {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "driver '%.*s' lacks %s", HALYARD_SV(View(given_.name)), what);
  }

  void Connect(CompletedTables* out) const {
    hal_driver_interface_t& tables = out->tables;
    tables.struct_size = sizeof(tables);
    tables.abi_version = HAL_DRIVER_ABI_VERSION;
    tables.name = ToC(out->name);
    tables.description = ToC(out->description);
    tables.create_driver = given_.create_driver;
#define HALYARD_CONNECT(kind, Name) tables.kind = PresentTable(out->vtables.kind);
    HALYARD_VTABLES(HALYARD_CONNECT)
#undef HALYARD_CONNECT
  }

  const hal_driver_interface_t& given_;
};

// Copies what this library knows of an interface that may be longer or shorter. What follows the version may have
// another meaning in another version.
Status ReadInterface(const hal_driver_interface_t* given, hal_driver_interface_t* copy) {
  HAL_TRY(CheckNotNull("driver_interface", given));
  constexpr size_t kLeast = offsetof(hal_driver_interface_t, name);
  if (!PlausibleSize(given->struct_size, kLeast)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "driver_interface->struct_size is %zu; expected at least %zu",
                given->struct_size, kLeast);
  }
  if (given->abi_version != HAL_DRIVER_ABI_VERSION) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the driver was built for driver ABI %u, this library has %u",
                given->abi_version, HAL_DRIVER_ABI_VERSION);
  }
  std::memcpy(copy, given, std::min(given->struct_size, sizeof(*copy)));
  return kOk;
}

}  // namespace

Status CompleteTables(const hal_driver_interface_t* given, const hal_driver_interface_t** out_tables) {
  hal_driver_interface_t copy = {};
  HAL_TRY(ReadInterface(given, &copy));
  auto completed = std::make_unique<CompletedTables>();
  HAL_TRY(Completion(copy).Run(completed.get()));
  *out_tables = ProcessWide<TableList>::Get().FindOrAdd(std::move(completed));
  return kOk;
}

}  // namespace halyard
