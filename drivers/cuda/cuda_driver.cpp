// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/cuda_driver.h"

#include "cuda/cuda_api.h"
#include "stream/vendor_driver.h"

namespace halyard::cuda {

HostString CudaVendor::FormatUuid(const CUuuid& uuid) {
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

}  // namespace halyard::cuda

extern "C" const hal_driver_interface_t* hal_cuda_driver_interface(void) {
  static constinit const halyard::DriverInterface<
      halyard::stream::StreamClasses<halyard::stream::VendorDriver<halyard::cuda::CudaVendor, halyard::cuda::CudaApi>>>
      driver_interface("cuda", "NVIDIA GPUs, through the CUDA driver API: cuda://<ordinal, UUID or PCI address>");
  return driver_interface.get();
}
