// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executables from executable files (.halx): drivers are given raw images and never see the file.
#ifndef HALYARD_CORE_EXECUTABLE_EXECUTABLE_CONTAINER_H_
#define HALYARD_CORE_EXECUTABLE_EXECUTABLE_CONTAINER_H_

#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/driver_api.h"
#include "image/halx/container.h"

namespace halyard {

/// The executable file behind the parameters of an executable, if there is one.
class ExecutableContainer {
 public:
  /// One image, and what is taken from it.
  struct Part {
    size_t variant = 0;                                                  // in the file
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);  // with the image's format, bytes and exports
    HostVector<uint32_t> ordinals;                                       // of its exports in the executable
    HostVector<hal_export_info_t> exports;                               // [ordinals]; views into the file
  };

  /// If `params` are about an executable file (format "halx", or none given), picks variants for the device; else there
  /// are no parts.
  Status Resolve(hal_device_t* device, const hal_executable_params_t& params);

  /// In the order of the first of their exports. They live as long as this object.
  std::span<const Part> parts() const { return parts_; }

 private:
  Status Load(const hal_executable_params_t& params);
  Status FindExports(const hal_executable_params_t& params, HostVector<uint32_t>* out_ordinals) const;
  Status FindNamed(std::span<const hal_string_view_t> names, HostVector<uint32_t>* out_ordinals) const;
  Status MakeParts(hal_device_t* device, const hal_executable_params_t& params);
  hal_export_info_t MakeExport(uint32_t ordinal, const ContainerEntryPoint& entry_point) const;
  Status Complete(const hal_executable_params_t& params, Part* part) const;

  MappedFile mapping_;  // if the file was given as a path
  Container container_;
  HostVector<Part> parts_;
};

}  // namespace halyard

#endif  // HALYARD_CORE_EXECUTABLE_EXECUTABLE_CONTAINER_H_
