// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The export list of raw images that come without one.
#ifndef HALYARD_CORE_EXECUTABLE_EXECUTABLE_REFLECTION_H_
#define HALYARD_CORE_EXECUTABLE_EXECUTABLE_REFLECTION_H_

#include "base/file/file_contents.h"
#include "base/status.h"
#include "halyard/driver_api.h"
#include "image/reflection/reflected_image.h"

namespace halyard {

/// What an image told of its kernels, kept alive.
class ExecutableReflection {
 public:
  /// If `params` have no exports and images of the format tell theirs, puts them there, and the bytes of the image in
  /// the place of its path; they live as long as this object. Else leaves them alone.
  /// @return what the reader of the format says; INVALID_ARGUMENT if the image tells nothing that can be called
  Status Resolve(const char* function, hal_executable_params_t* params);

 private:
  Status Load(hal_executable_params_t* params);
  Status TakeExports(hal_executable_params_t* params);

  HostVector<std::byte> file_;  // if the image was given as a path
  ReflectedImage image_;
  ReflectedExports exports_;
};

}  // namespace halyard

#endif  // HALYARD_CORE_EXECUTABLE_EXECUTABLE_REFLECTION_H_
