// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What POSIX's answers on files mean. For the files of this folder.
#ifndef HALYARD_PLATFORM_POSIX_POSIX_FILE_H_
#define HALYARD_PLATFORM_POSIX_POSIX_FILE_H_

#include <fcntl.h>
#include <sys/stat.h>

#include "platform/file_descriptor.h"

namespace halyard {

/// Where a relative path begins.
inline int PosixFolder(int folder) { return folder < 0 ? AT_FDCWD : folder; }

inline FileFacts FactsOf(const struct stat& info) {
#if defined(__APPLE__)
  const timespec changed = info.st_mtimespec;
#else
  const timespec changed = info.st_mtim;
#endif
  FileFacts facts;
  facts.is_regular = S_ISREG(info.st_mode);
  facts.is_folder = S_ISDIR(info.st_mode);
  facts.is_stream = S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode);
  facts.group_may_write = (info.st_mode & S_IWGRP) != 0;
  facts.others_may_write = (info.st_mode & S_IWOTH) != 0;
  facts.protects_names = (info.st_mode & S_ISVTX) != 0;
  facts.permissions = info.st_mode & 0777;
  facts.size = static_cast<uint64_t>(info.st_size);
  facts.link_count = info.st_nlink;
  facts.owner = info.st_uid;
  facts.device = static_cast<uint64_t>(info.st_dev);
  facts.number = info.st_ino;
  facts.changed = int64_t{changed.tv_sec} * 1'000'000'000 + changed.tv_nsec;
  return facts;
}

}  // namespace halyard

#endif  // HALYARD_PLATFORM_POSIX_POSIX_FILE_H_
