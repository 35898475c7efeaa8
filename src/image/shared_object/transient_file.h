// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes as a file that the system's loader can open, for as long as it loads them.
#ifndef HALYARD_IMAGE_SHARED_OBJECT_TRANSIENT_FILE_H_
#define HALYARD_IMAGE_SHARED_OBJECT_TRANSIENT_FILE_H_

#include <cstddef>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "platform/file_descriptor.h"

namespace halyard {

/// A file in memory (memfd_create), or in a private folder where the system has no such files or no /proc to open them
/// by. It goes with the object; what was loaded from it stays.
class TransientFile {
 public:
  TransientFile() = default;
  ~TransientFile() { Discard(); }
  TransientFile(const TransientFile&) = delete;
  TransientFile& operator=(const TransientFile&) = delete;

  /// RESOURCE_EXHAUSTED, or UNAVAILABLE if there is no place for it; the message says why.
  Status Create(std::span<const std::byte> bytes);
  /// A path that no other file of this process has had.
  const HostString& path() const { return path_; }

 private:
  Status CreateInMemory(std::span<const std::byte> bytes);
  Status CreateInFolder(const char* parent, std::span<const std::byte> bytes);
  Status Write(std::span<const std::byte> bytes);
  void Discard() noexcept;

  FileDescriptor file_;
  HostString path_;
  HostString folder_;  // empty if it is in memory
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_SHARED_OBJECT_TRANSIENT_FILE_H_
