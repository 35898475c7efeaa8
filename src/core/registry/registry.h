// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registry object: drivers by name, each opened at most once.
#ifndef HALYARD_CORE_REGISTRY_REGISTRY_H_
#define HALYARD_CORE_REGISTRY_REGISTRY_H_

#include <mutex>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/object/object.h"
#include "halyard/driver_api.h"

struct hal_registry_t {
  hal_object_t object;
};

namespace halyard {

class Registry final : public hal_registry_t, public HostObject {
 public:
  /// A registry with the built-in drivers.
  static Status Create(Ref<hal_registry_t>* out);
  /// The registry of the process. If it cannot be made, that is tried again at the next call.
  static Status Default(hal_registry_t** out);

  /// Adds a driver.
  Status Register(const hal_driver_interface_t* driver_interface, bool is_plugin);
  /// Appends what hal_registry_list_drivers() reports.
  void List(HostVector<hal_driver_info_t>* out);
  /// How many drivers of the process are used by others than this registry.
  size_t DriversInUse();
  /// Opens a driver, or shares the one that is open. The caller gets a reference.
  Status OpenDriver(std::string_view name, hal_driver_t** out_driver);

 private:
  /// A driver that is known. Never removed, so pointers to it stay valid.
  struct Entry {
    Entry(const hal_driver_interface_t* completed, bool plugin) : tables(completed), is_plugin(plugin) {}

    const hal_driver_interface_t* const tables;
    const bool is_plugin;
    std::mutex opening;        // held while the driver is opened, so that others wait for it; protects `driver`
    Ref<hal_driver_t> driver;  // null until it is open
  };

  explicit Registry(const hal_object_vtable_t* vtable);

  Entry* Find(std::string_view name);
  Status NoSuchDriver(std::string_view name);

  static const hal_object_vtable_t kVtable;
  static const hal_object_vtable_t kDefaultVtable;

  std::mutex mutex_;  // protects the list itself; never held while a driver is called
  HostDeque<Entry> entries_;
};

}  // namespace halyard

#endif  // HALYARD_CORE_REGISTRY_REGISTRY_H_
