// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a raw image adds to the export list of its caller: all of it, or sizes.
#ifndef HALYARD_CORE_EXECUTABLE_EXECUTABLE_REFLECTION_H_
#define HALYARD_CORE_EXECUTABLE_EXECUTABLE_REFLECTION_H_

#include <span>

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
  Status Resolve(hal_executable_params_t* params);

  /// Completes a list of exports that does not come from the image, where the image knows the sizes of its kernels with
  /// the specialisation constants of `params`: SPIR-V. What it puts there lives as long as this object.
  /// @return INVALID_ARGUMENT, with both sizes, if the list says another one. An image that cannot be read is left to
  ///         the driver.
  Status Complete(hal_executable_params_t* params, std::span<hal_export_info_t> exports);

 private:
  Status Load(hal_executable_params_t* params);
  Status TakeExports(hal_executable_params_t* params);

  HostVector<std::byte> file_;  // if the image was given as a path
  ReflectedImage image_;
  ReflectedExports exports_;
  HostDeque<HostVector<hal_parameter_t>> parameters_;  // of exports whose parameters depend on constants
};

}  // namespace halyard

#endif  // HALYARD_CORE_EXECUTABLE_EXECUTABLE_REFLECTION_H_
