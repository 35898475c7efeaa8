// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system_error.h"

#include <cerrno>
#include <system_error>

namespace halyard {
namespace {

hal_status_t StatusOfErrno(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return HAL_STATUS_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EROFS:
      return HAL_STATUS_PERMISSION_DENIED;
    case EBADF:
    case EINVAL:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case ENXIO:
    case ESPIPE:
      return HAL_STATUS_INVALID_ARGUMENT;
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC:
      return HAL_STATUS_RESOURCE_EXHAUSTED;
    case EIO:
      return HAL_STATUS_DATA_LOSS;
    default:
      return HAL_STATUS_UNAVAILABLE;
  }
}

}  // namespace

Status FailWithErrno(int error, std::string_view what) {
  const auto words = std::generic_category().message(error);
  return Fail(StatusOfErrno(error), "%.*s: %s", HALYARD_SV(what), words.c_str());
}

}  // namespace halyard
