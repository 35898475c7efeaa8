// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/driver.h"

#include <memory>

#include "base/thread_defaults.h"
#include "core/application_calls.h"
#include "core/public_call.h"
#include "core/registry/registry.h"
#include "core/validation/checks.h"
#include "driver_kit/device/blank_properties.h"
#include "driver_kit/object/live_objects.h"

namespace halyard {
namespace {

Status AdoptDevice(hal_driver_t* driver, hal_device_t* device) {
  const hal_object_t* const object = device ? &device->object : nullptr;
  HAL_TRY(CheckMade(object, HAL_OBJECT_KIND_DEVICE, sizeof(hal_device_vtable_t)));
  device->driver = driver;
  Retain(driver);
  LiveObjects::Made(HAL_OBJECT_KIND_DEVICE);
  if (device->allocator) device->allocator->device = device;
  if (device->info && device->info->limits) {
    if (ValidationIsOn() && device->allocator) HandleTable::Lent(&device->allocator->object, "hal_device_allocator");
    return kOk;
  }
  const char* const missing = device->info ? "limits" : "info";
  Release(device);
  return Fail(HAL_STATUS_INTERNAL, "the driver made a device without %s", missing);
}

Status ListDevices(hal_driver_t* driver, size_t* count, hal_device_summary_t* devices) {
  HostVector<hal_device_summary_t> list;
  const auto query = [&](size_t* n, hal_device_summary_t* out) {
    return FromC(VtableOf(driver)->list_devices(driver, n, out));
  };
  if (Status status = ReadStructList<hal_device_summary_t>(HAL_INIT(hal_device_summary_t), query, &list);
      status != kOk) {
    *count = 0;
    return status;
  }
  return WriteStructList<hal_device_summary_t>("devices", list, count, devices);
}

Status QueryDevice(hal_driver_t* driver, hal_string_view_t id, hal_device_properties_t* out_properties,
                   hal_device_limits_t* out_limits) {
  HAL_TRY(CheckNotNull("driver", driver));
  HAL_TRY(CheckText("id", id));
  hal_device_properties_t properties = BlankProperties();
  hal_device_limits_t limits = WidestLimits();
  HAL_TRY(VtableOf(driver)->query_device(driver, ToC(View(id)), &properties, &limits));
  properties.extensions = {};
  if (out_properties) HAL_TRY(WriteStruct("out_properties", properties, out_properties));
  return out_limits ? WriteStruct("out_limits", limits, out_limits) : kOk;
}

Status WrapDevice(hal_driver_t* driver, hal_string_view_t name, const void* native, size_t pair_count,
                  const hal_key_value_t* pairs, hal_device_release_fn_t release, void* user_data,
                  hal_device_t** out_device) {
  HAL_TRY(CheckNotNull("driver", driver));
  HAL_TRY(CheckText("name", name));
  HAL_TRY(CheckNotNull("native", native));
  HAL_TRY(CheckPairs(pair_count, pairs));
  auto call = release ? std::make_unique<ReleaseCall>(release, user_data) : nullptr;
  hal_device_t* device = nullptr;
  const ThreadDefaults defaults;
  HAL_TRY(VtableOf(driver)->wrap_device(driver, ToC(View(name)), native, pair_count, pairs,
                                        call ? ReleaseCall::OnRelease : nullptr, call.get(), &device));
  static_cast<void>(call.release());  // it frees itself
  HAL_TRY(AdoptDevice(driver, device));
  *out_device = device;
  return kOk;
}

}  // namespace

Status CheckPairs(size_t pair_count, const hal_key_value_t* pairs) {
  if (pair_count == 0) return kOk;
  if (pair_count > kMostPairs) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "pair_count is %zu; at most %zu is possible", pair_count, kMostPairs);
  }
  HAL_TRY(CheckNotNull("pairs", pairs));
  for (size_t i = 0; i < pair_count; ++i) {
    if (!View(pairs[i].key).empty()) continue;
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "pairs[%zu].key is empty", i);
  }
  return kOk;
}

Status CreateDeviceOf(hal_driver_t* driver, hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs,
                      const hal_executor_t* executor, hal_device_t** out_device) {
  HAL_TRY(CheckNotNull("driver", driver));
  HAL_TRY(CheckText("id", id));
  HAL_TRY(CheckPairs(pair_count, pairs));
  hal_device_t* device = nullptr;
  const hal_string_view_t name = ToC(View(id));
  const ThreadDefaults defaults;  // for the threads that a vendor's library starts
  HAL_TRY(executor ? VtableOf(driver)->create_device_on_executor(driver, name, pair_count, pairs, executor, &device)
                   : VtableOf(driver)->create_device(driver, name, pair_count, pairs, &device));
  HAL_TRY(AdoptDevice(driver, device));
  *out_device = device;
  return kOk;
}

}  // namespace halyard

using halyard::Public;
using halyard::PublicThatGives;

void hal_driver_retain(hal_driver_t* driver) { halyard::RetainHandle(driver); }
void hal_driver_release(hal_driver_t* driver) { halyard::ReleaseHandle(driver); }

hal_status_t hal_driver_list_devices(hal_driver_t* driver, size_t* count, hal_device_summary_t* devices) {
  return Public([&] {
    HAL_TRY(halyard::BeginList(count, "driver", driver));
    return halyard::ListDevices(driver, count, devices);
  });
}

hal_status_t hal_driver_query_device(hal_driver_t* driver, hal_string_view_t id,
                                     hal_device_properties_t* out_properties, hal_device_limits_t* out_limits) {
  return Public([&] { return halyard::QueryDevice(driver, id, out_properties, out_limits); });
}

hal_status_t hal_driver_create_device(hal_driver_t* driver, hal_string_view_t id, size_t pair_count,
                                      const hal_key_value_t* pairs, hal_device_t** out_device) {
  return PublicThatGives("out_device", out_device,
                         [&] { return halyard::CreateDeviceOf(driver, id, pair_count, pairs, nullptr, out_device); });
}

hal_status_t hal_driver_wrap_device(hal_driver_t* driver, hal_string_view_t name, const void* native, size_t pair_count,
                                    const hal_key_value_t* pairs, hal_device_release_fn_t release, void* user_data,
                                    hal_device_t** out_device) {
  return PublicThatGives("out_device", out_device, [&] {
    return halyard::WrapDevice(driver, name, native, pair_count, pairs, release, user_data, out_device);
  });
}
