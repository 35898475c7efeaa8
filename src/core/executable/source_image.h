// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The image that a device makes of a source.
#ifndef HALYARD_CORE_EXECUTABLE_SOURCE_IMAGE_H_
#define HALYARD_CORE_EXECUTABLE_SOURCE_IMAGE_H_

#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/driver_api.h"

namespace halyard {

class SourceImage {
 public:
  /// Has the device compile the source of the parameters, if they are of a format that it compiles: they then name the
  /// image, which this object holds. Otherwise INVALID_ARGUMENT if they say how to compile.
  Status Resolve(hal_device_t* device, hal_executable_params_t* params);

 private:
  HostVector<std::byte> file_;  // the source, if it was given by a path
  HostString format_;
  HostVector<std::byte> image_;
  Failure failure_;  // of taking the image
};

}  // namespace halyard

#endif  // HALYARD_CORE_EXECUTABLE_SOURCE_IMAGE_H_
