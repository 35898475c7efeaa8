// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/executable/local_executable.h"

#include <memory>

#include "function/c_types.h"

namespace halyard::local {
namespace {

hal_status_t CallFunction(const hal_function_t* function, const hal_value_t* arguments, hal_value_t* results) {
  return ToC(static_cast<const LocalFunction*>(function)->code.Call(arguments, results));
}

}  // namespace

LocalExecutable::LocalExecutable(const hal_executable_vtable_t* vtable) : hal_executable_t{} {
  hal_object_initialize(&object, HAL_OBJECT_KIND_EXECUTABLE, vtable);
}

// The code is gone before the application hears that what it calls can go.
LocalExecutable::~LocalExecutable() {
  code_.reset();
  if (release_) release_(release_user_data_);
}

Status LocalExecutable::Create(hal_device_t* device, const hal_executable_vtable_t* vtable, CodeArenas& arenas,
                               const hal_executable_params_t& params, hal_executable_t** out_executable) {
  if (params.export_count == 0) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                    "code of the host does not tell what it exports: give the list in params->exports");
  }
  if (params.specialization_count != 0) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "code of the host has no specialisation constants");
  }
  std::unique_ptr<LocalExecutable> executable(new LocalExecutable(vtable));
  HAL_TRY(CheckPlainExports({params.exports, params.export_count}));
  HAL_TRY(executable->exports_.Assign(device, {params.exports, params.export_count}));
  HAL_TRY(MakeHostCode(params, arenas, &executable->code_));
  HAL_TRY(executable->FindExports());
  executable->export_count = executable->exports_.Count();
  executable->release_ = params.release;
  executable->release_user_data_ = params.release_user_data;
  *out_executable = executable.release();
  return kOk;
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
  const void* const address = code_->FindCode(ordinal, symbol);
  if (!address) {
    return Fail(HAL_STATUS_NOT_FOUND, "export %u: %s has no symbol '%s'", ordinal, code_->Name(), symbol.c_str());
  }
  kernels_[ordinal] = reinterpret_cast<hal_local_kernel_fn_t>(reinterpret_cast<uintptr_t>(address));
  return kOk;
}

Status LocalExecutable::MakeFunction(uint32_t ordinal) {
  const hal_export_info_t& info = *exports_.Info(ordinal);
  const bool wrapper = info.signature->convention == HAL_CALLING_CONVENTION_WRAPPER;
  const HostString symbol = (wrapper ? "_mlir_ciface_" : "") + HostString(exports_.Symbol(ordinal));
  const void* const address = code_->FindCode(ordinal, symbol);
  if (!address) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "function '%.*s': %s has no symbol '%s'%s", HALYARD_SV(View(info.name)),
                code_->Name(), symbol.c_str(),
                wrapper ? "; compile the function with the attribute llvm.emit_c_interface" : "");
  }
  const HostString mark = HAL_LOCAL_KERNEL_MARK_PREFIX + symbol;
  if (IsC(info.signature->convention) && code_->Has(mark)) {
    return Fail(HAL_STATUS_INCOMPATIBLE,
                "function '%.*s': '%s' is a workgroup kernel, not a plain C function: give its export no signature",
                HALYARD_SV(View(info.name)), symbol.c_str());
  }
  LocalFunction& function = functions_[ordinal];
  function.executable = this;
  function.ordinal = ordinal;
  function.signature = info.signature;
  function.call = CallFunction;
  return Annotate(function.code.Make(View(info.name), *info.signature, address, /*guarded=*/code_->IsGuarded()),
                  "function '" + HostString(View(info.name)) + "': ");
}

Status LocalExecutable::FindGlobal(uint32_t, hal_string_view_t name, hal_external_memory_t* out_memory) {
  const HostString symbol(View(name));
  void* address = nullptr;
  HAL_TRY(code_->FindVariable(symbol, &address, &out_memory->length));
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
