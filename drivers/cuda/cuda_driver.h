// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA GPUs, through the CUDA driver API. See docs/cuda-driver.md.
#ifndef HALYARD_DRIVERS_CUDA_CUDA_DRIVER_H_
#define HALYARD_DRIVERS_CUDA_CUDA_DRIVER_H_

#include "cuda/cuda_library.h"
#include "stream/stream_driver.h"

namespace halyard::cuda {

/// The id of a device is its UUID ("GPU-…").
class CudaDriver final : public stream::StreamDriver {
 public:
  static Status Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver);

 private:
  CudaDriver(const hal_driver_interface_t& completed, const CudaLibrary& library)
      : StreamDriver(completed, "cuda"), library_(library) {}
  Status Open(int ordinal, std::unique_ptr<stream::NativeApi>* out_api) const override;

  const CudaLibrary& library_;
};

}  // namespace halyard::cuda

/// The driver's tables, for the registry.
extern "C" const hal_driver_interface_t* hal_cuda_driver_interface(void);

#endif  // HALYARD_DRIVERS_CUDA_CUDA_DRIVER_H_
