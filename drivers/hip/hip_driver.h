// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMD GPUs, through the HIP runtime API. See docs/hip-driver.md.
#ifndef HALYARD_DRIVERS_HIP_HIP_DRIVER_H_
#define HALYARD_DRIVERS_HIP_HIP_DRIVER_H_

#include "hip/hip_library.h"
#include "stream/stream_driver.h"

namespace halyard::hip {

/// The id of a device is its UUID as rocminfo prints it: "GPU-" and 16 characters.
class HipDriver final : public stream::StreamDriver {
 public:
  static Status Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver);

 private:
  HipDriver(const hal_driver_interface_t& completed, const HipLibrary& library)
      : StreamDriver(completed, "hip"), library_(library) {}
  Status Open(int ordinal, std::unique_ptr<stream::NativeApi>* out_api) const override;

  const HipLibrary& library_;
};

}  // namespace halyard::hip

/// The driver's tables, for the registry.
extern "C" const hal_driver_interface_t* hal_hip_driver_interface(void);

#endif  // HALYARD_DRIVERS_HIP_HIP_DRIVER_H_
