// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/program/devices.h"

namespace halyard::tools {
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

}  // namespace halyard::tools
