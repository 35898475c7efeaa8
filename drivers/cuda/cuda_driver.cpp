// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/cuda_driver.h"

#include <memory>
#include <utility>

#include "cuda/cuda_api.h"

namespace halyard::cuda {
namespace {

HostString FormatUuid(const CUuuid& uuid) {
  HostString text = "GPU-";
  for (size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

Status CudaDriver::Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver) {
  const CudaLibrary* library = nullptr;
  HAL_TRY(CudaLibrary::Get(&library));
  std::unique_ptr<CudaDriver> driver(new CudaDriver(completed, *library));
  HAL_TRY(driver->Enumerate<CudaVendor>(*library, "CUDA_VISIBLE_DEVICES", FormatUuid));
  *out_driver = driver.release();
  return kOk;
}

Status CudaDriver::Open(int ordinal, std::unique_ptr<stream::NativeApi>* out_api) const {
  CUdevice device = 0;
  HAL_TRY(HALYARD_CUDA(library_, cuDeviceGet, (&device, ordinal)));
  auto api = std::make_unique<CudaApi>(library_, device);
  HAL_TRY(api->Open());
  *out_api = std::move(api);
  return kOk;
}

}  // namespace halyard::cuda

extern "C" const hal_driver_interface_t* hal_cuda_driver_interface(void) {
  static constinit const halyard::DriverInterface<halyard::stream::StreamClasses<halyard::cuda::CudaDriver>>
      driver_interface("cuda", "NVIDIA GPUs, through the CUDA driver API: cuda://<ordinal, UUID or PCI address>");
  return driver_interface.get();
}
