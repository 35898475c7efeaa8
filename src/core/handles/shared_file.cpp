// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/handles/shared_file.h"

#include <cerrno>
#include <cinttypes>
#include <climits>

#include "platform/process.h"

namespace halyard {
namespace {

Status FailNoDescriptor(const char* argument, uint64_t handle) {
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s is %" PRId64 ", which is no open descriptor", argument,
              static_cast<int64_t>(handle));
}

}  // namespace

Status ReadDescriptor(const char* argument, uint64_t handle, int* out_descriptor) {
  if (handle > INT_MAX) return FailNoDescriptor(argument, handle);
  FileDescriptor file(static_cast<int>(handle));  // for a look: it stays the caller's
  FileFacts facts;
  const int error = file.ReadFacts(&facts);
  *out_descriptor = file.Release();
  if (error != 0) return FailNoDescriptor(argument, handle);
  if (!facts.is_stream && !facts.is_folder) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE, "%s, %d, is a descriptor of a %s, not of memory", argument, *out_descriptor,
              facts.is_folder ? "folder" : "pipe or socket");
}

Status CheckSharesHostMemory() {
  if (kSharesHostMemory) return kOk;
  return FailWith(HAL_STATUS_UNIMPLEMENTED, "processes share no memory of the host on this system yet: no HOST_FD");
}

Status ReadHostFile(const char* argument, uint64_t handle, bool writes, int* out_descriptor, SharedFileFacts* out) {
  HAL_TRY(CheckSharesHostMemory());
  HAL_TRY(ReadDescriptor(argument, handle, out_descriptor));
  if (ReadSharedFile(*out_descriptor, out) != 0 || !out->never_shrinks) {
    return Fail(HAL_STATUS_INCOMPATIBLE,
                "%s, %d, is no memory that another process exported as HOST_FD: expected a memfd that is sealed with "
                "F_SEAL_SHRINK",
                argument, *out_descriptor);
  }
  if (out->owner != CurrentUser()) {
    return Fail(HAL_STATUS_PERMISSION_DENIED,
                "%s, %d, is memory of the user %" PRIu64 "; this process runs for user %" PRIu64, argument,
                *out_descriptor, out->owner, CurrentUser());
  }
  if (!writes || out->is_writable) return kOk;
  return Fail(HAL_STATUS_PERMISSION_DENIED, "%s, %d, is a descriptor that may only be read", argument, *out_descriptor);
}

}  // namespace halyard
