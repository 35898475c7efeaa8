// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA GPUs, through the CUDA driver API. See docs/cuda-driver.md.
#ifndef HALYARD_DRIVERS_CUDA_CUDA_DRIVER_H_
#define HALYARD_DRIVERS_CUDA_CUDA_DRIVER_H_

#include "base/host_memory.h"
#include "base/status.h"
#include "cuda/cuda_library.h"
#include "halyard/driver_api.h"

namespace halyard::cuda {

class CudaDriver final : public hal_driver_t, public HostObject {
 public:
  static Status Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver);

  Status ListDevices(size_t* count, hal_device_summary_t* devices);
  /// `id` is a UUID ("GPU-…"), a PCI address ("0000:1b:00.0") or an ordinal.
  Status CreateDevice(hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs, hal_device_t** out_device);

 private:
  /// A device that the library has, whether or not it is open.
  struct Entry {
    CUdevice device = 0;
    HostString id;    // its UUID, as the vendor's tools write it
    HostString name;  // for people
    HostString pci;   // its address on the bus, in lower case
  };

  CudaDriver(const hal_driver_interface_t& completed, const CudaLibrary& library);
  Status Enumerate();
  Status Describe(int ordinal, Entry* out) const;
  Status Find(std::string_view id, size_t* out_index) const;

  const CudaLibrary& cuda_;
  HostVector<Entry> entries_;  // by ordinal
};

}  // namespace halyard::cuda

/// The driver's tables, for the registry.
extern "C" const hal_driver_interface_t* hal_cuda_driver_interface(void);

#endif  // HALYARD_DRIVERS_CUDA_CUDA_DRIVER_H_
