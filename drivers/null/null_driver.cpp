// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "null/null_driver.h"

#include <array>
#include <memory>

#include "driver_kit/device/driver_interface.h"
#include "driver_kit/device/lists.h"
#include "driver_kit/device/options.h"
#include "driver_kit/device/wait_option.h"
#include "null/null_device.h"

namespace halyard::null {
namespace {

// Replace: ask the vendor's library. An id is stable across runs (a UUID, a bus address).
constexpr std::array<std::string_view, 1> kIds = {"0"};

/// Which class stands behind which vtable. Their methods are the entries (see driver_kit/device/driver_interface.h).
// TrackedSemaphore is a timeline on the host, which serves every device whose work ends on a host thread. Replace where
// the device has timelines of its own: derive from TimelineSemaphore. Events are only names. Name a class of your own
// last where the vendor has events inside command buffers; barriers in their place are always right.
using NullClasses = DriverClasses<NullDriver, NullDevice, NullAllocator, NullBuffer, TrackedSemaphore,
                                  NullCommandBuffer, NullExecutable>;

}  // namespace

NullDriver::NullDriver(const hal_driver_interface_t& completed) : hal_driver_t{} {
  // Objects are made with the completed vtables, in which the core has filled in what a driver lacks.
  hal_object_initialize(&object, HAL_OBJECT_KIND_DRIVER, completed.driver);
  tables = &completed;
}

Status NullDriver::Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver) {
  *out_driver = new NullDriver(completed);
  return kOk;
}

Status NullDriver::ListDevices(size_t* count, hal_device_summary_t* devices) {
  hal_device_summary_t summary = HAL_INIT(hal_device_summary_t);
  summary.id = ToC(kIds[0]);
  summary.name = ToC(NullDevice::kName);
  return WriteList<hal_device_summary_t>({&summary, 1}, count, devices);
}

// Replace: ask the vendor's library without opening the device. There are no limits here, as the core has filled in.
Status NullDriver::QueryDevice(hal_string_view_t id, hal_device_properties_t* out_properties, hal_device_limits_t*) {
  size_t index = 0;
  HAL_TRY(FindDevice("null", View(id), kIds, &index));
  DescribeNullDevice(out_properties);
  return kOk;
}

Status NullDriver::CreateDevice(hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs,
                                hal_device_t** out_device) {
  size_t index = 0;
  HAL_TRY(FindDevice("null", View(id), kIds, &index));

  // Replace: the parameters that your devices take in their URIs. Finish() refuses the others.
  Options options(pair_count, pairs);
  uint64_t queues = 1;
  WaitMode wait = WaitMode::kAuto;
  std::string_view trace;
  HAL_TRY(options.Uint("queues", 1, 64, &queues));
  HAL_TRY(ReadWaitMode(options, &wait));
  HAL_TRY(options.Text("trace", &trace));
  if (Status status = options.Finish("null://"); status != kOk) return status;

  auto made = std::make_unique<NullDevice>(*tables, static_cast<uint32_t>(queues));
  made->SetWaitMode(wait);
  HAL_TRY(made->StartTrace(trace));
  *out_device = made.release();
  return kOk;
}

}  // namespace halyard::null

extern "C" const hal_driver_interface_t* hal_null_driver_interface(void) {
  static constinit const halyard::DriverInterface<halyard::null::NullClasses> driver_interface(
      "null", "does nothing: operations end at once and write nothing; for tests, and a skeleton for drivers");
  return driver_interface.get();
}
