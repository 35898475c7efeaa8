// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/devices.h"

#include <array>

namespace halyard::tools {
namespace {

// The API answers for a format that is named; it has no list of them. Executable files (.halx) are missing here, since
// every device takes them.
constexpr std::array kFormats = {"host-shared-object", "ptx",   "cubin", "fatbin", "hsaco", "msl",
                                 "metallib",           "spirv", "null"};

}  // namespace

void LoadPlugins(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    Check(hal_registry_load_plugin(hal_registry_default(), View(path)), ExitCode::kDevice,
          "load the driver '" + path + "'");
  }
}

Device OpenDevice(const DeviceOptions& options) {
  LoadPlugins(options.plugins);
  return Create<Device>(ExitCode::kDevice, "open the device '" + options.device + "'", hal_device_create,
                        View(options.device));
}

std::vector<std::string> FormatsOf(hal_device_t* device) {
  std::vector<std::string> formats;
  for (const char* format : kFormats) {
    if (hal_device_query_format(device, hal_string_view(format)) == HAL_STATUS_OK) formats.emplace_back(format);
  }
  return formats;
}

}  // namespace halyard::tools
