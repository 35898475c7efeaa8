// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executables: kernels of the workgroup ABI, and functions with signatures, in code of the host.
#ifndef HALYARD_DRIVERS_LOCAL_EXECUTABLE_LOCAL_EXECUTABLE_H_
#define HALYARD_DRIVERS_LOCAL_EXECUTABLE_LOCAL_EXECUTABLE_H_

#include <memory>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/executable/export_table.h"
#include "function/function.h"
#include "halyard/driver_api.h"
#include "halyard/local_kernel.h"
#include "local/executable/host_code.h"

namespace halyard::local {

/// An export that is a compiled function.
struct LocalFunction : hal_function_t {
  CompiledFunction code;
};

class LocalExecutable final : public hal_executable_t, public HostObject {
 public:
  /// Loads the image and finds every export in it.
  /// @param arenas  where linked objects go; they outlive the executable
  static Status Create(hal_device_t* device, const hal_executable_vtable_t* vtable, CodeArenas& arenas,
                       const hal_executable_params_t& params, hal_executable_t** out_executable);
  ~LocalExecutable();

  const hal_export_info_t* ExportInfo(uint32_t ordinal) const { return exports_.Info(ordinal); }
  Status FindExport(hal_string_view_t name, uint32_t* out_ordinal) { return exports_.Find(View(name), out_ordinal); }
  /// Whether the kernel may write to a binding of the flat list.
  bool Writes(uint32_t ordinal, size_t binding) const { return exports_.Writes(ordinal, binding); }
  /// NULL if the export is a compiled function.
  hal_local_kernel_fn_t Kernel(uint32_t ordinal) const { return kernels_[ordinal]; }
  /// The compiled function; NULL if the export is a kernel.
  const CompiledFunction* Compiled(uint32_t ordinal) const {
    return kernels_[ordinal] ? nullptr : &functions_[ordinal].code;
  }

  /// As hal_executable_vtable_t::find_global.
  Status FindGlobal(uint32_t ordinal, hal_string_view_t name, hal_external_memory_t* out_memory);
  /// As hal_executable_vtable_t::query_export_properties.
  Status QueryExportProperties(uint32_t ordinal, hal_export_properties_t* out_properties);
  /// As hal_executable_vtable_t::count_resident.
  Status CountResident(uint32_t ordinal, uint32_t workgroup_volume, uint32_t dynamic_local_memory,
                       uint32_t* out_workgroups);
  Status Function(uint32_t ordinal, const hal_function_t** out_function);

 private:
  explicit LocalExecutable(const hal_executable_vtable_t* vtable);
  Status FindExports();
  Status FindKernel(uint32_t ordinal);
  Status MakeFunction(uint32_t ordinal);

  std::unique_ptr<HostCode> code_;
  hal_executable_release_fn_t release_ = nullptr;  // NULL if the caller does not ask
  void* release_user_data_ = nullptr;
  ExportTable exports_;
  HostVector<hal_local_kernel_fn_t> kernels_;  // [export]; NULL for functions
  HostVector<LocalFunction> functions_;        // [export]; empty ones for kernels
};

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_EXECUTABLE_LOCAL_EXECUTABLE_H_
