// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/file/descriptor_file.h"

#if __has_include(<unistd.h>)

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <utility>

#include "core/validation/checks.h"
#include "driver_kit/object/live_objects.h"

namespace halyard {
namespace {

/// The most that one call of the system is asked for; Linux moves no more than 2 GiB at a time.
constexpr uint64_t kMaxChunk = uint64_t{1} << 30;

/// An open descriptor, closed on destruction if it is owned.
class Descriptor {
 public:
  Descriptor(int number, bool owned) : number_(number), owned_(owned) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_), owned_(std::exchange(other.owned_, false)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (owned_) close(number_);
  }
  int Number() const { return number_; }

 private:
  int number_;
  bool owned_;
};

class DescriptorFile final : public hal_file_t, public HostObject {
 public:
  DescriptorFile(Descriptor descriptor, hal_file_access_t file_access, uint64_t bytes);

  Status Read(uint64_t offset, void* data, uint64_t count);
  Status Write(uint64_t offset, const void* data, uint64_t count);

 private:
  Descriptor descriptor_;
};

constexpr hal_file_vtable_t kDescriptorFileTable = {sizeof(hal_file_vtable_t), DestroyEntry<DescriptorFile, hal_file_t>,
                                                    Entry<&DescriptorFile::Read>::Of<hal_file_t>,
                                                    Entry<&DescriptorFile::Write>::Of<hal_file_t>};

DescriptorFile::DescriptorFile(Descriptor descriptor, hal_file_access_t file_access, uint64_t bytes)
    : hal_file_t{}, descriptor_(std::move(descriptor)) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_FILE, &kDescriptorFileTable);
  LiveObjects::Made(HAL_OBJECT_KIND_FILE);
  access = file_access;
  length = bytes;
}

/// Moves `count` bytes with calls of `move(done, step)`, which answers as pread() and pwrite() do, until all are moved
/// or the file ends. Returns the bytes that were moved; `*error` is an errno value or 0.
template <class Move>
uint64_t MoveAll(uint64_t count, int* error, const Move& move) {
  uint64_t done = 0;
  *error = 0;
  while (done < count) {
    const ssize_t step = move(done, static_cast<size_t>(std::min(count - done, kMaxChunk)));
    if (step == 0) break;
    if (step > 0) {
      done += static_cast<uint64_t>(step);
    } else if (errno != EINTR) {
      *error = errno;
      break;
    }
  }
  return done;
}

Status DescribeFailure(const char* what, uint64_t offset, uint64_t count, uint64_t done, int error) {
  if (error == 0) {
    return Fail(HAL_STATUS_DATA_LOSS,
                "%s %" PRIu64 " bytes at offset %" PRIu64 " of a file: it ended after %" PRIu64 " of them", what, count,
                offset, done);
  }
  const Status status = FailWithErrno(error, what);
  const HostString message(LastErrorMessage());
  return Fail(status, "%s (after %" PRIu64 " of %" PRIu64 " bytes at offset %" PRIu64 ")", message.c_str(), done, count,
              offset);
}

Status DescriptorFile::Read(uint64_t offset, void* data, uint64_t count) {
  int error = 0;
  const uint64_t done = MoveAll(count, &error, [&](uint64_t at, size_t step) {
    return pread(descriptor_.Number(), static_cast<char*>(data) + at, step, static_cast<off_t>(offset + at));
  });
  return done == count ? kOk : DescribeFailure("reading", offset, count, done, error);
}

Status DescriptorFile::Write(uint64_t offset, const void* data, uint64_t count) {
  int error = 0;
  const uint64_t done = MoveAll(count, &error, [&](uint64_t at, size_t step) {
    return pwrite(descriptor_.Number(), static_cast<const char*>(data) + at, step, static_cast<off_t>(offset + at));
  });
  return done == count ? kOk : DescribeFailure("writing", offset, count, done, error);
}

int OpenFlags(hal_file_access_t access) {
  // Without O_NONBLOCK opening a pipe would wait for its other end before it is found to be no regular file.
  constexpr int kAlways = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  if (access == HAL_FILE_ACCESS_READ) return O_RDONLY | kAlways;
  if (access == HAL_FILE_ACCESS_WRITE) return O_WRONLY | kAlways;
  return O_RDWR | kAlways;
}

Status QueryLength(int descriptor, uint64_t* out_length) {
  struct stat info = {};
  if (fstat(descriptor, &info) != 0) return FailWithErrno(errno, "fstat");
  if (!S_ISREG(info.st_mode)) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "not a regular file");
  *out_length = static_cast<uint64_t>(info.st_size);
  return kOk;
}

/// Whether a descriptor was opened for all of `access`.
Status CheckOpenedFor(int descriptor, hal_file_access_t access) {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0) return FailWithErrno(errno, "not an open descriptor");
  const int mode = flags & O_ACCMODE;
  bool usable = true;
#ifdef O_PATH
  usable = (flags & O_PATH) == 0;
#endif
  const bool reads = usable && mode != O_WRONLY;
  const bool writes = usable && mode != O_RDONLY;
  if ((access & HAL_FILE_ACCESS_READ) && !reads) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "the descriptor was not opened for reading");
  }
  if ((access & HAL_FILE_ACCESS_WRITE) && !writes) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "the descriptor was not opened for writing");
  }
  if ((access & HAL_FILE_ACCESS_WRITE) && (flags & O_APPEND)) {  // Linux then ignores the offset
    return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                    "the descriptor was opened with O_APPEND, so it writes at the end only");
  }
  return kOk;
}

}  // namespace

Status OpenFile(std::string_view path, hal_file_access_t access, hal_file_t** out_file) {
  const HostString name(path);
  const HostString prefix = HostString("'") + name + "'";
  const int number = open(name.c_str(), OpenFlags(access));
  if (number < 0) return FailWithErrno(errno, prefix);
  Descriptor descriptor(number, true);
  uint64_t length = 0;
  if (Status status = QueryLength(number, &length); status != kOk) return Annotate(status, prefix + ": ");
  *out_file = new DescriptorFile(std::move(descriptor), access, length);
  return kOk;
}

Status MakeDescriptorFile(int descriptor, hal_file_access_t access, hal_file_t** out_file) {
  HAL_TRY(CheckOpenedFor(descriptor, access));
  uint64_t length = 0;
  HAL_TRY(QueryLength(descriptor, &length));
  *out_file = new DescriptorFile(Descriptor(descriptor, false), access, length);
  return kOk;
}

}  // namespace halyard

#else

namespace halyard {

Status OpenFile(std::string_view, hal_file_access_t, hal_file_t**) {
  return FailWith(HAL_STATUS_UNIMPLEMENTED, "files by path are not implemented on this system");
}

Status MakeDescriptorFile(int, hal_file_access_t, hal_file_t**) {
  return FailWith(HAL_STATUS_UNIMPLEMENTED, "this system has no POSIX descriptors");
}

}  // namespace halyard

#endif
