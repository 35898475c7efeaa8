// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/registry/registry.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/process_wide.h"
#include "base/text/suggestions.h"
#include "base/thread_defaults.h"
#include "core/driver.h"
#include "core/public_call.h"
#include "core/registry/builtin_drivers.h"
#include "core/registry/driver_tables.h"
#include "core/registry/plugin.h"
#include "core/registry/uri.h"
#include "core/validation/checks.h"
#include "driver_kit/object/live_objects.h"

namespace halyard {
namespace {

// A caller may release the default registry once too often; it stays all the same.
void KeepForever(hal_object_t*) noexcept {}

Registry& Of(hal_registry_t* registry) { return *static_cast<Registry*>(registry); }

Status CreateDriver(const hal_driver_interface_t* tables, Ref<hal_driver_t>* out) {
  hal_driver_t* driver = nullptr;
  const ThreadDefaults defaults;  // for the threads that a vendor's library starts
  if (Status status = FromC(tables->create_driver(tables, hal_host_services(), &driver)); status != kOk) {
    return Annotate(status, "driver '", View(tables->name), "': ");
  }
  const hal_object_t* const object = driver ? &driver->object : nullptr;
  HAL_TRY(CheckMade(object, HAL_OBJECT_KIND_DRIVER, sizeof(hal_driver_vtable_t)));
  driver->tables = tables;
  LiveObjects::Made(HAL_OBJECT_KIND_DRIVER);
  *out = Ref<hal_driver_t>::Adopting(driver);
  return kOk;
}

// The parameters of a URI, then those of the call: of two with the same key drivers take the last.
HostVector<hal_key_value_t> MergeParameters(const Uri& uri, size_t pair_count, const hal_key_value_t* pairs) {
  HostVector<hal_key_value_t> merged;
  merged.reserve(uri.parameters.size() + pair_count);
  for (const Uri::Parameter& parameter : uri.parameters) {
    merged.push_back({ToC(parameter.key), ToC(parameter.value)});
  }
  if (pair_count > 0) merged.insert(merged.end(), pairs, pairs + pair_count);
  return merged;
}

Status CreateDevice(hal_registry_t* registry, std::string_view text, size_t pair_count, const hal_key_value_t* pairs,
                    const hal_executor_t* executor, hal_device_t** out_device) {
  HAL_TRY(CheckNotNull("registry", registry));
  HAL_TRY(CheckPairs(pair_count, pairs));
  Uri uri;
  HAL_TRY(ParseUri(text, &uri));
  Ref<hal_driver_t> driver;
  HAL_TRY(Of(registry).OpenDriver(uri.driver, driver.out()));
  const HostVector<hal_key_value_t> parameters = MergeParameters(uri, pair_count, pairs);
  return CreateDeviceOf(driver.get(), ToC(uri.id), parameters.size(), parameters.data(), executor, out_device);
}

// On the registry of the process.
Status CreateDevice(std::string_view uri, const hal_executor_t* executor, hal_device_t** out_device) {
  hal_registry_t* registry = nullptr;
  HAL_TRY(Registry::Default(&registry));
  return CreateDevice(registry, uri, 0, nullptr, executor, out_device);
}

Status ReadExecutor(const hal_executor_t* given, hal_executor_t* out) {
  HAL_TRY(ReadStruct("executor", given, out));
  HAL_TRY(CheckNotNull("executor->submit", reinterpret_cast<const void*>(out->submit)));
  out->concurrency = std::max(out->concurrency, 1u);
  return kOk;
}

}  // namespace

const hal_object_vtable_t Registry::kVtable = {sizeof(hal_object_vtable_t), DestroyEntry<Registry, hal_registry_t>};
const hal_object_vtable_t Registry::kDefaultVtable = {sizeof(hal_object_vtable_t), KeepForever};

Registry::Registry(const hal_object_vtable_t* vtable) : hal_registry_t{} {
  hal_object_initialize(&object, HAL_OBJECT_KIND_REGISTRY, vtable);
}

Status Registry::Create(Ref<hal_registry_t>* out) {
  auto* const registry = new Registry(&kVtable);
  LiveObjects::Made(HAL_OBJECT_KIND_REGISTRY);
  *out = Ref<hal_registry_t>::Adopting(registry);
  return RegisterBuiltinDrivers(*registry);
}

Status Registry::Default(hal_registry_t** out) {
  Registry* registry = ProcessWide<Registry>::Find();
  if (!registry) {
    std::unique_ptr<Registry> made(new Registry(&kDefaultVtable));
    HAL_TRY(RegisterBuiltinDrivers(*made));
    registry = &ProcessWide<Registry>::Keep(std::move(made));
    if (ValidationIsOn()) HandleTable::Lent(&registry->object, "hal_registry_default");
  }
  *out = registry;
  return kOk;
}

size_t Registry::DriversInUse() {
  const std::lock_guard lock(mutex_);
  const auto in_use = [](const Entry& entry) {
    return entry.driver && std::atomic_ref(entry.driver->object.ref_count).load(std::memory_order_acquire) > 1;
  };
  const auto open = [](const Entry& entry) { return static_cast<bool>(entry.driver); };
  const auto others = LiveObjects::Count(HAL_OBJECT_KIND_DRIVER) - std::ranges::count_if(entries_, open);
  return static_cast<size_t>(std::max<int64_t>(others, 0) + std::ranges::count_if(entries_, in_use));
}

Status Registry::Register(const hal_driver_interface_t* driver_interface, bool is_plugin) {
  const hal_driver_interface_t* tables = nullptr;
  HAL_TRY(CompleteTables(driver_interface, &tables));
  const std::string_view name = View(tables->name);
  {
    const std::lock_guard lock(mutex_);
    if (!Find(name)) {
      entries_.emplace_back(tables, is_plugin);
      return kOk;
    }
  }
  return Fail(HAL_STATUS_ALREADY_EXISTS, "the registry already has a driver '%.*s'", HALYARD_SV(name));
}

void Registry::List(HostVector<hal_driver_info_t>* out) {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) {
    out->push_back({sizeof(hal_driver_info_t), entry.tables->name, entry.tables->description, entry.is_plugin});
  }
}

Status Registry::OpenDriver(std::string_view name, hal_driver_t** out_driver) {
  Entry* entry = nullptr;
  {
    const std::lock_guard lock(mutex_);
    entry = Find(name);
  }
  if (!entry) return NoSuchDriver(name);
  const std::lock_guard lock(entry->opening);
  if (!entry->driver) HAL_TRY(CreateDriver(entry->tables, &entry->driver));
  *out_driver = Ref<hal_driver_t>(entry->driver).release();
  return kOk;
}

// With mutex_ held.
Registry::Entry* Registry::Find(std::string_view name) {
  for (Entry& entry : entries_) {
    if (View(entry.tables->name) == name) return &entry;
  }
  return nullptr;
}

Status Registry::NoSuchDriver(std::string_view name) {
  HostVector<hal_driver_info_t> drivers;
  List(&drivers);
  HostVector<std::string_view> names;
  for (const hal_driver_info_t& driver : drivers) names.push_back(View(driver.name));
  return Fail(HAL_STATUS_NOT_FOUND, "no driver '%.*s'; %s", HALYARD_SV(name), SuggestionText(name, names).c_str());
}

}  // namespace halyard

using halyard::CheckNotNull;
using halyard::kOk;
using halyard::Public;
using halyard::PublicThatGives;

hal_registry_t* hal_registry_default(void) {
  hal_registry_t* registry = nullptr;
  const hal_status_t status = Public([&] { return halyard::Registry::Default(&registry); });
  return status == HAL_STATUS_OK ? registry : nullptr;
}

hal_status_t hal_registry_create(hal_registry_t** out_registry) {
  return PublicThatGives("out_registry", out_registry, [&] {
    halyard::Ref<hal_registry_t> registry;
    HAL_TRY(halyard::Registry::Create(&registry));
    *out_registry = registry.release();
    return kOk;
  });
}

void hal_registry_retain(hal_registry_t* registry) { halyard::RetainHandle(registry); }
void hal_registry_release(hal_registry_t* registry) { halyard::ReleaseHandle(registry); }

hal_status_t hal_registry_register_driver(hal_registry_t* registry, const hal_driver_interface_t* driver_interface) {
  return Public([&] {
    HAL_TRY(CheckNotNull("registry", registry));
    return halyard::Of(registry).Register(driver_interface, /*is_plugin=*/false);
  });
}

hal_status_t hal_registry_load_plugin(hal_registry_t* registry, hal_string_view_t path) {
  return Public([&] {
    HAL_TRY(CheckNotNull("registry", registry));
    const hal_driver_interface_t* driver_interface = nullptr;
    HAL_TRY(halyard::LoadPlugin(halyard::View(path), &driver_interface));
    return halyard::Of(registry).Register(driver_interface, /*is_plugin=*/true);
  });
}

hal_status_t hal_registry_list_drivers(hal_registry_t* registry, size_t* count, hal_driver_info_t* drivers) {
  return Public([&] {
    HAL_TRY(halyard::BeginList(count, "registry", registry));
    halyard::HostVector<hal_driver_info_t> list;
    halyard::Of(registry).List(&list);
    return halyard::WriteStructList<hal_driver_info_t>("drivers", list, count, drivers);
  });
}

hal_status_t hal_registry_open_driver(hal_registry_t* registry, hal_string_view_t name, hal_driver_t** out_driver) {
  return PublicThatGives("out_driver", out_driver, [&] {
    HAL_TRY(CheckNotNull("registry", registry));
    HAL_TRY(halyard::CheckText("name", name));
    return halyard::Of(registry).OpenDriver(halyard::View(name), out_driver);
  });
}

hal_status_t hal_registry_create_device(hal_registry_t* registry, hal_string_view_t uri, size_t pair_count,
                                        const hal_key_value_t* pairs, hal_device_t** out_device) {
  return PublicThatGives("out_device", out_device, [&] {
    return halyard::CreateDevice(registry, halyard::View(uri), pair_count, pairs, nullptr, out_device);
  });
}

hal_status_t hal_device_create(hal_string_view_t uri, hal_device_t** out_device) {
  return PublicThatGives("out_device", out_device,
                         [&] { return halyard::CreateDevice(halyard::View(uri), nullptr, out_device); });
}

hal_status_t hal_device_create_on_executor(hal_string_view_t uri, const hal_executor_t* executor,
                                           hal_device_t** out_device) {
  return PublicThatGives("out_device", out_device, [&] {
    hal_executor_t copy = HAL_INIT(hal_executor_t);
    HAL_TRY(halyard::ReadExecutor(executor, &copy));
    return halyard::CreateDevice(halyard::View(uri), &copy, out_device);
  });
}
