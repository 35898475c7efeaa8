// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The executable that a caller asks for: one image, or several of an executable file.
#ifndef HALYARD_CORE_EXECUTABLE_EXECUTABLE_REQUEST_H_
#define HALYARD_CORE_EXECUTABLE_EXECUTABLE_REQUEST_H_

#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "core/executable/executable_container.h"
#include "core/executable/executable_params.h"
#include "driver_kit/object/object.h"
#include "halyard/driver_api.h"

namespace halyard {

/// The checked parameters of an executable, split into those of the images that it is made of.
class ExecutableRequest {
 public:
  Status Read(hal_device_t* device, const hal_executable_params_t* given);

  size_t part_count() const { return parts_.size(); }

  /// Makes the executable. `make(params, out_executable)` makes that of one image.
  template <class Make>
  Status Create(hal_device_t* device, Make&& make, hal_executable_t** out_executable) {
    HostVector<Ref<hal_executable_t>> made(parts_.size());
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (Status status = make(parts_[i], made[i].out()); status != kOk) return AnnotatePart(status, i);
    }
    return Assemble(device, made, out_executable);
  }

 private:
  Status AnnotatePart(Status status, size_t part) const;
  Status Assemble(hal_device_t* device, std::span<Ref<hal_executable_t>> made, hal_executable_t** out_executable) const;

  ExecutableContainer container_;      // where images and exports come from, if not from the caller
  HostDeque<ExecutableParams> parts_;  // at least one
};

}  // namespace halyard

#endif  // HALYARD_CORE_EXECUTABLE_EXECUTABLE_REQUEST_H_
