// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/local_executable.h"

#include <memory>

#include "common/file_contents.h"

namespace halyard::local {

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
  if (Status status = executable->exports_.Assign(device, {params.exports, params.export_count}); status != kOk) {
    return status;
  }
  if (Status status = executable->Load(params); status != kOk) return status;
  if (Status status = executable->FindKernels(); status != kOk) return status;
  executable->export_count = executable->exports_.Count();
  *out_executable = executable.release();
  return kOk;
}

Status LocalExecutable::Load(const hal_executable_params_t& params) {
  if (params.data) return library_.OpenImage({static_cast<const std::byte*>(params.data), params.data_size});
  // Read, not opened by path: the loader gives two loads of one path the same library, even if the file has changed.
  const HostString path(View(params.path));
  FileContents image;
  if (Status status = image.Read(path.c_str()); status != kOk) return status;
  return Annotate(library_.OpenImage(image.bytes()), HostString("'") + path + "': ");
}

Status LocalExecutable::FindKernels() {
  kernels_.reserve(exports_.Count());
  for (uint32_t i = 0; i < exports_.Count(); ++i) {
    const HostString symbol(exports_.Symbol(i));
    void* const address = library_.Find(symbol.c_str());
    if (!address) {
      return Fail(HAL_STATUS_NOT_FOUND, "export %u: the shared object has no symbol '%s'", i, symbol.c_str());
    }
    kernels_.push_back(reinterpret_cast<hal_local_kernel_fn_t>(address));
  }
  return kOk;
}

}  // namespace halyard::local
