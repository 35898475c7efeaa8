// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/executable/local_executable.h"

#include <memory>

#include "driver_kit/executable/image_of.h"
#include "function/c_types.h"
#include "image/shared_object/open_image.h"

namespace halyard::local {
namespace {

hal_status_t CallFunction(const hal_function_t* function, const hal_value_t* arguments, hal_value_t* results) {
  return ToC(static_cast<const LocalFunction*>(function)->code.Call(arguments, results));
}

}  // namespace

LocalExecutable::LocalExecutable(const hal_executable_vtable_t* vtable) : hal_executable_t{} {
  hal_object_initialize(&object, HAL_OBJECT_KIND_EXECUTABLE, vtable);
}

Status LocalExecutable::Create(hal_device_t* device, const hal_executable_vtable_t* vtable,
                               const hal_executable_params_t& params, hal_executable_t** out_executable) {
  if (params.export_count == 0) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                    "a host shared object does not tell what it exports: give the list in params->exports");
  }
  if (params.specialization_count != 0) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "host shared objects have no specialisation constants");
  }
  std::unique_ptr<LocalExecutable> executable(new LocalExecutable(vtable));
  HAL_TRY(CheckPlainExports({params.exports, params.export_count}));
  HAL_TRY(executable->exports_.Assign(device, {params.exports, params.export_count}));
  HAL_TRY(executable->Load(params));
  HAL_TRY(executable->FillImports(params));
  HAL_TRY(executable->FindExports());
  executable->export_count = executable->exports_.Count();
  *out_executable = executable.release();
  return kOk;
}

Status LocalExecutable::Load(const hal_executable_params_t& params) {
  // Read, not opened by path: the loader gives two loads of one path the same library, even if the file has changed.
  return WithImage(params, [this](std::span<const std::byte> image) { return OpenImage(image, &library_); });
}

Status LocalExecutable::FillImports(const hal_executable_params_t& params) {
  auto* const pointer = static_cast<ImportTable**>(library_.Find(ImportTable::kSymbol));
  imports_ = pointer ? *pointer : nullptr;
  return halyard::FillImports(imports_, {params.imports, params.imports ? params.import_count : 0});
}

Status LocalExecutable::FindExports() {
  kernels_.resize(exports_.Count());
  functions_.resize(exports_.Count());
  for (uint32_t i = 0; i < exports_.Count(); ++i) {
    HAL_TRY(exports_.Info(i)->signature ? MakeFunction(i) : FindKernel(i));
  }
  return kOk;
}

Status LocalExecutable::FindKernel(uint32_t ordinal) {
  const HostString symbol(exports_.Symbol(ordinal));
  void* const address = library_.Find(symbol.c_str());
  if (!address) {
    return Fail(HAL_STATUS_NOT_FOUND, "export %u: the shared object has no symbol '%s'", ordinal, symbol.c_str());
  }
  kernels_[ordinal] = reinterpret_cast<hal_local_kernel_fn_t>(address);
  return kOk;
}

Status LocalExecutable::MakeFunction(uint32_t ordinal) {
  const hal_export_info_t& info = *exports_.Info(ordinal);
  const bool wrapper = info.signature->convention == HAL_CALLING_CONVENTION_WRAPPER;
  const HostString symbol = (wrapper ? "_mlir_ciface_" : "") + HostString(exports_.Symbol(ordinal));
  const void* const address = library_.Find(symbol.c_str());
  if (!address) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "function '%.*s': the shared object has no symbol '%s'%s",
                HALYARD_SV(View(info.name)), symbol.c_str(),
                wrapper ? "; compile the function with the attribute llvm.emit_c_interface" : "");
  }
  const HostString mark = HAL_LOCAL_KERNEL_MARK_PREFIX + symbol;
  if (IsC(info.signature->convention) && library_.Find(mark.c_str())) {
    return Fail(HAL_STATUS_INCOMPATIBLE,
                "function '%.*s': '%s' is a workgroup kernel, not a plain C function: give its export no signature",
                HALYARD_SV(View(info.name)), symbol.c_str());
  }
  LocalFunction& function = functions_[ordinal];
  function.executable = this;
  function.ordinal = ordinal;
  function.signature = info.signature;
  function.call = CallFunction;
  return Annotate(function.code.Make(View(info.name), *info.signature, address, /*guarded=*/imports_ != nullptr),
                  "function '" + HostString(View(info.name)) + "': ");
}

Status LocalExecutable::FindGlobal(uint32_t, hal_string_view_t name, hal_external_memory_t* out_memory) {
  const HostString symbol(View(name));
  void* address = nullptr;
  HAL_TRY(library_.FindVariable(symbol.c_str(), &address, &out_memory->length));
  out_memory->type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  out_memory->handle = reinterpret_cast<uintptr_t>(address);
  return kOk;
}

// The kernel itself goes through the work-items of a workgroup.
Status LocalExecutable::QueryExportProperties(uint32_t, hal_export_properties_t* out_properties) {
  out_properties->preferred_multiple = 1;
  return kOk;
}

// A processor runs a workgroup in one call.
Status LocalExecutable::CountResident(uint32_t, uint32_t, uint32_t, uint32_t* out_workgroups) {
  *out_workgroups = 1;
  return kOk;
}

Status LocalExecutable::Function(uint32_t ordinal, const hal_function_t** out_function) {
  *out_function = &functions_[ordinal];
  return kOk;
}

}  // namespace halyard::local
