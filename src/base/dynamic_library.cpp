// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/dynamic_library.h"

#include "base/floating_point.h"
#include "platform/loader.h"

namespace halyard {

DynamicLibrary::~DynamicLibrary() {
  if (handle_) CloseLibrary(handle_);
}

Status DynamicLibrary::Open(const char* path) {
  constexpr size_t kVendorLibrary = size_t{128} << 20;  // as large as they get
  const Status status = Open(path, kVendorLibrary);
  return status.code() == HAL_STATUS_NOT_FOUND ? Annotate(status, "cannot load '", path, "': ") : status;
}

Status DynamicLibrary::Open(const char* path, size_t size) {
  const DefaultFloatingPoint floating_point;  // which the library may change
  LoadFailure failure;
  if (void* const handle = OpenLibrary(path, size, &failure)) {
    *this = DynamicLibrary();
    handle_ = handle;
    return kOk;
  }
  if (!failure.is_exhaustion) return FailWith(HAL_STATUS_NOT_FOUND, failure.reason);
  return Fail(HAL_STATUS_RESOURCE_EXHAUSTED,
              "no memory, no mappings (vm.max_map_count) or no descriptors are left to load '%s': %s", path,
              failure.reason);
}

void* DynamicLibrary::Find(const char* symbol) const { return handle_ ? FindSymbol(handle_, symbol) : nullptr; }

Status DynamicLibrary::FindVariable(const char* symbol, void** out_address, uint64_t* out_size) const {
  switch (::halyard::FindVariable(handle_, symbol, out_address, out_size)) {
    case VariableFound::kYes:
      return kOk;
    case VariableFound::kConstant:
      return Fail(HAL_STATUS_INCOMPATIBLE, "the variable '%s' of the shared object is constant: no buffer can hold it",
                  symbol);
    case VariableFound::kUnknown:
      return FailWith(HAL_STATUS_UNIMPLEMENTED, "the loader of this system does not tell the sizes of variables");
    case VariableFound::kNo:
      break;
  }
  return Fail(HAL_STATUS_NOT_FOUND, "the shared object exports no variable '%s'", symbol);
}

}  // namespace halyard
