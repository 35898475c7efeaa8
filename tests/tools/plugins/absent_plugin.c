// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver whose vendor library is not there, for what the tools say then.
#include <halyard/driver_api.h>

static hal_status_t CreateDriver(const hal_driver_interface_t* tables, const hal_host_services_t* host,
                                 hal_driver_t** out_driver) {
  (void)tables;
  (void)out_driver;
  return host->set_error(HAL_STATUS_UNAVAILABLE, hal_string_view("cannot load 'libabsent.so.1': no such file"));
}

static void Destroy(hal_object_t* driver) { (void)driver; }

static const hal_driver_vtable_t kDriver = {.struct_size = sizeof(hal_driver_vtable_t), .destroy = Destroy};
static const hal_driver_interface_t kInterface = {
    .struct_size = sizeof(hal_driver_interface_t),
    .abi_version = HAL_DRIVER_ABI_VERSION,
    .name = {"absent", 6},
    .description = {"needs libabsent", 15},
    .create_driver = CreateDriver,
    .driver = &kDriver,
};

__attribute__((visibility("default"))) const hal_driver_interface_t* hal_plugin_entry(uint32_t host_abi_version,
                                                                                      const hal_host_services_t* host);

const hal_driver_interface_t* hal_plugin_entry(uint32_t host_abi_version, const hal_host_services_t* host) {
  (void)host_abi_version;
  (void)host;
  return &kInterface;
}
