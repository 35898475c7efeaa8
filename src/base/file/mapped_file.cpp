// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/file/file_descriptor.h"

namespace halyard {
namespace {

Status FailToOpen() { return FailWithErrno(errno, "it cannot be opened"); }

}  // namespace

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

Status MappedFile::Open(const char* path) {
  // Not blocking, or a named pipe would hold us up before it could be refused.
  const FileDescriptor file(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return FailToOpen();
  struct stat about = {};
  if (fstat(file.get(), &about) != 0) return FailToOpen();
  if (!S_ISREG(about.st_mode)) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "it is not a regular file");
  if (about.st_size == 0) return FailWith(HAL_STATUS_DATA_LOSS, "it is empty");
  const auto size = static_cast<size_t>(about.st_size);
  void* const memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (memory == MAP_FAILED) return FailToOpen();
  *this = MappedFile();
  bytes_ = {static_cast<const std::byte*>(memory), size};
  return kOk;
}

}  // namespace halyard
