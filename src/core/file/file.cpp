// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/file.h"

#include <cinttypes>
#include <limits>

#include "core/file/descriptor_file.h"
#include "core/file/memory_file.h"
#include "core/public_call.h"
#include "core/validation/checks.h"

namespace halyard {
namespace {

/// Clears the out parameter and checks what all files are opened for.
Status BeginOpen(const char* function, hal_file_access_t access, hal_file_t** out_file) {
  constexpr hal_file_access_t kKnown = HAL_FILE_ACCESS_READ | HAL_FILE_ACCESS_WRITE;
  HAL_TRY(CheckNotNull(function, "out_file", out_file));
  *out_file = nullptr;
  HAL_TRY(CheckFlags(function, "access", access, kKnown));
  if (access != 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: access has neither READ nor WRITE", function);
}

/// Passes on what became of a file, which the application gets unless that is a failure.
Status Give(const char* function, Status made, hal_file_t* const* out_file) {
  if (made != kOk) return Annotate(made, function, ": ");
  halyard::Give(*out_file, function);
  return kOk;
}

Status OpenPath(std::string_view path, hal_file_access_t access, hal_file_t** out_file) {
  constexpr const char* kFunction = "hal_file_open";
  HAL_TRY(BeginOpen(kFunction, access, out_file));
  if (path.empty()) return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: path is empty", kFunction);
  if (path.find('\0') != std::string_view::npos) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: path holds a zero byte", kFunction);
  }
  return Give(kFunction, OpenFile(path, access, out_file), out_file);
}

Status FromMemory(void* data, uint64_t length, hal_file_access_t access, hal_file_release_fn_t release, void* user_data,
                  hal_file_t** out_file) {
  constexpr const char* kFunction = "hal_file_from_memory";
  HAL_TRY(BeginOpen(kFunction, access, out_file));
  if (length > 0) {
    HAL_TRY(CheckNotNull(kFunction, "data", data));
  }
  if (length > static_cast<uint64_t>(std::numeric_limits<ptrdiff_t>::max())) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: length is %" PRIu64 "; no memory is that long", kFunction, length);
  }
  *out_file = MakeMemoryFile(data, length, access, release, user_data);
  return Give(kFunction, kOk, out_file);
}

Status FromDescriptor(int descriptor, hal_file_access_t access, hal_file_t** out_file) {
  constexpr const char* kFunction = "hal_file_from_descriptor";
  HAL_TRY(BeginOpen(kFunction, access, out_file));
  return Give(kFunction, MakeDescriptorFile(descriptor, access, out_file), out_file);
}

}  // namespace
}  // namespace halyard

hal_status_t hal_file_open(hal_string_view_t path, hal_file_access_t access, hal_file_t** out_file) {
  return halyard::Public([&] { return halyard::OpenPath(halyard::View(path), access, out_file); });
}

hal_status_t hal_file_from_memory(void* data, uint64_t length, hal_file_access_t access, hal_file_release_fn_t release,
                                  void* user_data, hal_file_t** out_file) {
  return halyard::Public([&] { return halyard::FromMemory(data, length, access, release, user_data, out_file); });
}

hal_status_t hal_file_from_descriptor(int descriptor, hal_file_access_t access, hal_file_t** out_file) {
  return halyard::Public([&] { return halyard::FromDescriptor(descriptor, access, out_file); });
}

void hal_file_retain(hal_file_t* file) { halyard::RetainHandle(file); }

void hal_file_release(hal_file_t* file) { halyard::ReleaseHandle(file); }

uint64_t hal_file_length(hal_file_t* file) {
  return halyard::IsUsable("hal_file_length", "file", file) ? file->length : 0;
}
