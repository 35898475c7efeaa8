// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executables from executable files (.halx): drivers are given a raw image and never see the file.
#ifndef HALYARD_CORE_EXECUTABLE_EXECUTABLE_CONTAINER_H_
#define HALYARD_CORE_EXECUTABLE_EXECUTABLE_CONTAINER_H_

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/driver_api.h"
#include "image/halx/container.h"

namespace halyard {

/// The executable file behind the parameters of an executable, if there is one.
class ExecutableContainer {
 public:
  /// If `params` are about an executable file (format "halx", or none given), picks the variant for the device and puts
  /// its format, image and exports in their place; they live as long as this object. Else leaves them alone.
  Status Resolve(const char* function, hal_device_t* device, hal_executable_params_t* params);

 private:
  Status Load(const hal_executable_params_t& params);
  Status TakeVariant(hal_device_t* device, hal_executable_params_t* params);
  void MakeExports(const ContainerVariant& variant);

  MappedFile mapping_;  // if the file was given as a path
  Container container_;
  HostVector<hal_export_info_t> exports_;  // views into container_
};

}  // namespace halyard

#endif  // HALYARD_CORE_EXECUTABLE_EXECUTABLE_CONTAINER_H_
