// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executables of the null driver.
#ifndef HALYARD_DRIVERS_NULL_NULL_EXECUTABLE_H_
#define HALYARD_DRIVERS_NULL_NULL_EXECUTABLE_H_

#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/executable/export_table.h"
#include "halyard/driver_api.h"

namespace halyard::null {

/// Exports without kernels.
/// Replace: a member for the vendor's module and one for the function of each export.
class NullExecutable final : public hal_executable_t, public HostObject {
 public:
  /// Replace: the formats that the device takes: "cubin", "spirv", "metallib".
  static constexpr std::string_view kFormat = "null";

  static Status Create(hal_device_t* device, const hal_executable_vtable_t* vtable,
                       const hal_executable_params_t& params, hal_executable_t** out_executable);

  const hal_export_info_t* ExportInfo(uint32_t ordinal) const { return exports_.Info(ordinal); }
  Status FindExport(hal_string_view_t name, uint32_t* out_ordinal) { return exports_.Find(View(name), out_ordinal); }

 private:
  explicit NullExecutable(const hal_executable_vtable_t* vtable);

  ExportTable exports_;
};

}  // namespace halyard::null

#endif  // HALYARD_DRIVERS_NULL_NULL_EXECUTABLE_H_
