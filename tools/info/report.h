// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inventory for people and for programs.
#ifndef HALYARD_TOOLS_INFO_REPORT_H_
#define HALYARD_TOOLS_INFO_REPORT_H_

#include <string>
#include <vector>

#include "inventory.h"
#include "support/json.h"

namespace halyard::tools {

/// A table of the drivers, then a block for each device.
std::string TextReport(const std::vector<DriverEntry>& drivers);
std::string TextReport(const DeviceEntry& device);

/// A row and a column for each device.
std::string TextReport(const Topology& topology);

Json JsonReport(const std::vector<DriverEntry>& drivers);
Json JsonReport(const DeviceEntry& device);
Json JsonReport(const Topology& topology);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_INFO_REPORT_H_
