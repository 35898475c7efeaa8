// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file/mapped_file.h"

#include "platform/file_descriptor.h"
#include "platform/memory.h"

namespace halyard {
namespace {

Status FailToOpen(int error) { return FailWithErrno(error, "it cannot be opened"); }

}  // namespace

MappedFile::~MappedFile() {
  if (!bytes_.empty()) UnmapFile(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

Status MappedFile::Open(const char* path) {
  FileDescriptor file;
  FileFacts facts;
  if (const int error = file.Open(-1, path, FileUse::kRead); error != 0) return FailToOpen(error);
  if (const int error = file.ReadFacts(&facts); error != 0) return FailToOpen(error);
  if (!facts.is_regular) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "it is not a regular file");
  if (facts.size == 0) return FailWith(HAL_STATUS_DATA_LOSS, "it is empty");
  const auto size = static_cast<size_t>(facts.size);
  void* memory = nullptr;
  if (const int error = MapFile(file.get(), size, &memory); error != 0) return FailToOpen(error);
  *this = MappedFile();
  bytes_ = {static_cast<const std::byte*>(memory), size};
  return kOk;
}

}  // namespace halyard
