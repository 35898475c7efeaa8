// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/hip_driver.h"

#include <cstring>
#include <memory>
#include <utility>

#include "hip/hip_api.h"

namespace halyard::hip {
namespace {

// It is text already, without a zero at its end.
HostString FormatUuid(const hipUUID& uuid) {
  return HostString("GPU-").append(uuid.bytes, strnlen(uuid.bytes, sizeof(uuid.bytes)));
}

}  // namespace

Status HipDriver::Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver) {
  const HipLibrary* library = nullptr;
  HAL_TRY(HipLibrary::Get(&library));
  std::unique_ptr<HipDriver> made(new HipDriver(completed, *library));
  HAL_TRY(made->Enumerate<HipVendor>(*library, "ROCR_VISIBLE_DEVICES or HIP_VISIBLE_DEVICES", FormatUuid));
  *out_driver = made.release();
  return kOk;
}

Status HipDriver::Open(int ordinal, std::unique_ptr<stream::NativeApi>* out_api) const {
  auto api = std::make_unique<HipApi>(library_, ordinal);
  HAL_TRY(api->Open());
  *out_api = std::move(api);
  return kOk;
}

}  // namespace halyard::hip

extern "C" const hal_driver_interface_t* hal_hip_driver_interface(void) {
  static constinit const halyard::DriverInterface<halyard::stream::StreamClasses<halyard::hip::HipDriver>>
      driver_interface("hip", "AMD GPUs, through the HIP runtime API: hip://<ordinal, UUID or PCI address>");
  return driver_interface.get();
}
