// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening devices as the command line names them.
#ifndef HALYARD_TOOLS_SUPPORT_DEVICES_H_
#define HALYARD_TOOLS_SUPPORT_DEVICES_H_

#include <string>
#include <string_view>
#include <vector>

#include "support/program/command_line.h"
#include "support/program/handles.h"

namespace halyard::tools {

/// Loads drivers from shared libraries into the registry of the process. Throws Failure (kDevice).
void LoadPlugins(const std::vector<std::string>& paths);

/// Loads the plugins and opens the device. Throws Failure (kDevice), with the drivers or devices that there are.
Device OpenDevice(const DeviceOptions& options);

/// Reads a list out of the API: `query(&count, items)` as the library's list functions have it.
template <class T, class Query>
std::vector<T> ReadList(std::string_view doing, const T& blank, Query&& query) {
  size_t count = 0;
  Check(query(&count, nullptr), ExitCode::kDevice, doing);
  std::vector<T> items(count, blank);
  if (count > 0) Check(query(&count, items.data()), ExitCode::kDevice, doing);
  items.resize(count, blank);
  return items;
}

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_DEVICES_H_
