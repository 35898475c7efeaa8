// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/file/descriptor_file.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <utility>

#include "core/validation/checks.h"
#include "driver_kit/object/live_objects.h"
#include "platform/file_descriptor.h"

namespace halyard {
namespace {

/// The most that one call of the system is asked for; Linux moves no more than 2 GiB at a time.
constexpr uint64_t kMaxChunk = uint64_t{1} << 30;

class DescriptorFile final : public hal_file_t, public HostObject {
 public:
  DescriptorFile(FileDescriptor descriptor, bool owned, hal_file_access_t file_access, uint64_t bytes);
  ~DescriptorFile() {
    if (!owned_) descriptor_.Release();
  }
  DescriptorFile(const DescriptorFile&) = delete;
  DescriptorFile& operator=(const DescriptorFile&) = delete;

  Status Read(uint64_t offset, void* data, uint64_t count);
  Status Write(uint64_t offset, const void* data, uint64_t count);

 private:
  FileDescriptor descriptor_;
  const bool owned_;  // or it stays open
};

constexpr hal_file_vtable_t kDescriptorFileTable = {sizeof(hal_file_vtable_t), DestroyEntry<DescriptorFile, hal_file_t>,
                                                    Entry<&DescriptorFile::Read>::Of<hal_file_t>,
                                                    Entry<&DescriptorFile::Write>::Of<hal_file_t>};

DescriptorFile::DescriptorFile(FileDescriptor descriptor, bool owned, hal_file_access_t file_access, uint64_t bytes)
    : hal_file_t{}, descriptor_(std::move(descriptor)), owned_(owned) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_FILE, &kDescriptorFileTable);
  LiveObjects::Made(HAL_OBJECT_KIND_FILE);
  access = file_access;
  length = bytes;
}

/// Moves `count` bytes with calls of `move(done, step, &moved)`, which answers as FileDescriptor::ReadAt() does, until
/// all are moved or the file ends. Returns the bytes that were moved; `*error` is an error number or 0.
template <class Move>
uint64_t MoveAll(uint64_t count, int* error, const Move& move) {
  uint64_t done = 0;
  size_t moved = 0;
  *error = 0;
  while (done < count) {
    *error = move(done, static_cast<size_t>(std::min(count - done, kMaxChunk)), &moved);
    if (*error != 0 || moved == 0) break;
    done += moved;
  }
  return done;
}

Status DescribeFailure(const char* what, uint64_t offset, uint64_t count, uint64_t done, int error) {
  if (error == 0) {
    return Fail(HAL_STATUS_DATA_LOSS,
                "%s %" PRIu64 " bytes at offset %" PRIu64 " of a file: it ended after %" PRIu64 " of them", what, count,
                offset, done);
  }
  const Failure failure(FailWithErrno(error, what));
  return Fail(failure.code(), "%s (after %" PRIu64 " of %" PRIu64 " bytes at offset %" PRIu64 ")",
              failure.message().data(), done, count, offset);
}

Status DescriptorFile::Read(uint64_t offset, void* data, uint64_t count) {
  int error = 0;
  const uint64_t done = MoveAll(count, &error, [&](uint64_t at, size_t step, size_t* moved) {
    return descriptor_.ReadAt(offset + at, {static_cast<std::byte*>(data) + at, step}, moved);
  });
  return done == count ? kOk : DescribeFailure("reading", offset, count, done, error);
}

Status DescriptorFile::Write(uint64_t offset, const void* data, uint64_t count) {
  int error = 0;
  const uint64_t done = MoveAll(count, &error, [&](uint64_t at, size_t step, size_t* moved) {
    return descriptor_.WriteAt(offset + at, {static_cast<const std::byte*>(data) + at, step}, moved);
  });
  return done == count ? kOk : DescribeFailure("writing", offset, count, done, error);
}

FileUse UseOf(hal_file_access_t access) {
  if (access == HAL_FILE_ACCESS_READ) return FileUse::kRead;
  return access == HAL_FILE_ACCESS_WRITE ? FileUse::kWrite : FileUse::kReadAndWrite;
}

Status QueryLength(const FileDescriptor& descriptor, uint64_t* out_length) {
  FileFacts facts;
  if (const int error = descriptor.ReadFacts(&facts); error != 0) return FailWithErrno(error, "fstat");
  if (!facts.is_regular) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "not a regular file");
  *out_length = facts.size;
  return kOk;
}

/// Whether a descriptor was opened for all of `access`.
Status CheckOpenedFor(int descriptor, hal_file_access_t access) {
  DescriptorUse use;
  if (const int error = ReadDescriptorUse(descriptor, &use); error != 0) {
    return FailWithErrno(error, "not an open descriptor");
  }
  if ((access & HAL_FILE_ACCESS_READ) && !use.reads) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "the descriptor was not opened for reading");
  }
  if ((access & HAL_FILE_ACCESS_WRITE) && !use.writes) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "the descriptor was not opened for writing");
  }
  if ((access & HAL_FILE_ACCESS_WRITE) && use.appends) {  // Linux then ignores the offset
    return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                    "the descriptor was opened with O_APPEND, so it writes at the end only");
  }
  return kOk;
}

}  // namespace

Status OpenFile(std::string_view path, hal_file_access_t access, hal_file_t** out_file) {
  const HostString name(path);
  const HostString prefix = HostString("'") + name + "'";
  FileDescriptor descriptor;
  if (const int error = descriptor.Open(-1, name.c_str(), UseOf(access)); error != 0) {
    return FailWithErrno(error, prefix);
  }
  uint64_t length = 0;
  if (Status status = QueryLength(descriptor, &length); status != kOk) return Annotate(status, prefix, ": ");
  *out_file = new DescriptorFile(std::move(descriptor), true, access, length);
  return kOk;
}

Status MakeDescriptorFile(int descriptor, hal_file_access_t access, hal_file_t** out_file) {
  HAL_TRY(CheckOpenedFor(descriptor, access));
  uint64_t length = 0;
  FileDescriptor borrowed(descriptor);
  const Status status = QueryLength(borrowed, &length);
  borrowed.Release();
  HAL_TRY(status);
  *out_file = new DescriptorFile(FileDescriptor(descriptor), false, access, length);
  return kOk;
}

}  // namespace halyard
