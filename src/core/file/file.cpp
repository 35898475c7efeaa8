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

Status CheckAccess(hal_file_access_t access) {
  constexpr hal_file_access_t kKnown = HAL_FILE_ACCESS_READ | HAL_FILE_ACCESS_WRITE;
  HAL_TRY(CheckFlags("access", access, kKnown));
  if (access != 0) return kOk;
  return FailWith(HAL_STATUS_INVALID_ARGUMENT, "access has neither READ nor WRITE");
}

Status OpenPath(std::string_view path, hal_file_access_t access, hal_file_t** out_file) {
  HAL_TRY(CheckAccess(access));
  if (path.empty()) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "path is empty");
  if (path.find('\0') != std::string_view::npos) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "path holds a zero byte");
  return OpenFile(path, access, out_file);
}

Status FromMemory(void* data, uint64_t length, hal_file_access_t access, hal_file_release_fn_t release, void* user_data,
                  hal_file_t** out_file) {
  HAL_TRY(CheckAccess(access));
  if (length > 0) HAL_TRY(CheckNotNull("data", data));
  if (length > static_cast<uint64_t>(std::numeric_limits<ptrdiff_t>::max())) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "length is %" PRIu64 "; no memory is that long", length);
  }
  *out_file = MakeMemoryFile(data, length, access, release, user_data);
  return kOk;
}

Status FromDescriptor(int descriptor, hal_file_access_t access, hal_file_t** out_file) {
  HAL_TRY(CheckAccess(access));
  return MakeDescriptorFile(descriptor, access, out_file);
}

}  // namespace
}  // namespace halyard

hal_status_t hal_file_open(hal_string_view_t path, hal_file_access_t access, hal_file_t** out_file) {
  return halyard::PublicThatGives("out_file", out_file,
                                  [&] { return halyard::OpenPath(halyard::View(path), access, out_file); });
}

hal_status_t hal_file_from_memory(void* data, uint64_t length, hal_file_access_t access, hal_file_release_fn_t release,
                                  void* user_data, hal_file_t** out_file) {
  return halyard::PublicThatGives(
      "out_file", out_file, [&] { return halyard::FromMemory(data, length, access, release, user_data, out_file); });
}

hal_status_t hal_file_from_descriptor(int descriptor, hal_file_access_t access, hal_file_t** out_file) {
  return halyard::PublicThatGives("out_file", out_file,
                                  [&] { return halyard::FromDescriptor(descriptor, access, out_file); });
}

void hal_file_retain(hal_file_t* file) { halyard::RetainHandle(file); }
void hal_file_release(hal_file_t* file) { halyard::ReleaseHandle(file); }

uint64_t hal_file_length(hal_file_t* file) { return halyard::IsUsable("file", file) ? file->length : 0; }
