// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file/file_contents.h"

#include <utility>

namespace halyard {
namespace {

Status FailToRead(const HostString& path, int error) {
  return FailWithErrno(error, HostString("cannot read '") + path + "'");
}

}  // namespace

Status FileReader::Open(const char* path, SpecialFiles special) {
  FileDescriptor file;
  const int error = file.Open(-1, path, FileUse::kRead, special == SpecialFiles::kUse ? kOpenWaits : OpenBits{});
  return error == 0 ? Take(std::move(file), path, special) : FailToRead(path, error);
}

Status FileReader::Take(FileDescriptor file, const char* path, SpecialFiles special) {
  path_ = path;
  file_ = std::move(file);
  FileFacts facts;
  if (const int error = file_.ReadFacts(&facts); error != 0) return FailToRead(path_, error);
  if (special == SpecialFiles::kRefuse && !facts.is_regular) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "cannot read '%s': not a regular file", path);
  }
  expected_size_ = facts.is_regular ? static_cast<size_t>(facts.size) : 0;
  return kOk;
}

Status FileReader::Read(std::span<std::byte> room, size_t* out_size) {
  const int error = file_.Read(room, out_size);
  return error == 0 ? kOk : FailToRead(path_, error);
}

Status FileReader::FailTooLong(uint64_t most) const {
  return Fail(HAL_STATUS_OUT_OF_RANGE, "cannot read '%s': it has more than %llu bytes", path_.c_str(),
              static_cast<unsigned long long>(most));
}

}  // namespace halyard
