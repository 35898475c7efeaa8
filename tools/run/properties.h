// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What loaded exports take of a device (hal_executable_query_export_properties()), for people and for programs.
#ifndef HALYARD_TOOLS_RUN_PROPERTIES_H_
#define HALYARD_TOOLS_RUN_PROPERTIES_H_

#include <string>
#include <vector>

#include "options.h"
#include "support/json.h"
#include "support/kernels/export_description.h"
#include "support/program/handles.h"

namespace halyard::tools {

/// One export, and what it takes where each of its workgroups has `workgroup_size` and `local_memory`.
struct ExportReport {
  uint32_t ordinal = 0;
  std::string name;
  hal_dim3_t workgroup_size = {0, 0, 0};  ///< the one asked for, or the export's; 0 in x if neither says it
  uint64_t local_memory = 0;              ///< bytes on top of what the export declares
  SubgroupBounds subgroups;               ///< that it is made for
  hal_export_properties_t properties = HAL_INIT(hal_export_properties_t);
};

/// Asks for the export that the options name, or for all of them. Throws Failure: kUsage for a size or an amount of
/// memory that no dispatch of the export can have, kInput for an executable that cannot be loaded.
std::vector<ExportReport> QueryExports(hal_executable_t* executable, const RunOptions& options);

std::string ExportsText(hal_device_t* device, const RunOptions& options, const std::vector<ExportReport>& exports);
Json ExportsJson(hal_device_t* device, const RunOptions& options, const std::vector<ExportReport>& exports);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_PROPERTIES_H_
