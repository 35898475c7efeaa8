// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "null/null_executable.h"

#include <memory>

namespace halyard::null {

NullExecutable::NullExecutable(const hal_executable_vtable_t* vtable) : hal_executable_t{} {
  hal_object_initialize(&object, HAL_OBJECT_KIND_EXECUTABLE, vtable);
}

Status NullExecutable::Create(hal_device_t* device, const hal_executable_vtable_t* vtable,
                              const hal_executable_params_t& params, hal_executable_t** out_executable) {
  std::unique_ptr<NullExecutable> executable(new NullExecutable(vtable));
  // Replace: load params.data or the file at params.path, and take the exports from its reflection where it has one.
  // ExportTable checks them against the device's limits and answers reflection from then on.
  HAL_TRY(executable->exports_.Assign(device, {params.exports, params.export_count}));
  executable->export_count = executable->exports_.Count();
  *out_executable = executable.release();
  return kOk;
}

}  // namespace halyard::null
