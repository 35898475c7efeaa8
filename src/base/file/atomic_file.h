// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output files that appear complete or not at all.
#ifndef HALYARD_BASE_FILE_ATOMIC_FILE_H_
#define HALYARD_BASE_FILE_ATOMIC_FILE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "base/file/special_files.h"
#include "base/host_memory.h"
#include "base/status.h"
#include "platform/file_descriptor.h"

namespace halyard {

/// A file that is written beside its place and moved there once it is whole. Without Commit() nothing is left behind.
class AtomicFile {
 public:
  AtomicFile() = default;
  AtomicFile(AtomicFile&& other) noexcept { *this = std::move(other); }
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile();

  /// Begins a file that will stand at `path`, or at what `path` links to. NOT_FOUND or PERMISSION_DENIED (the
  /// directory, or a link that ResolveOutputPath() does not follow), INVALID_ARGUMENT (something else than a file is
  /// there), RESOURCE_EXHAUSTED. A special file that is used is written directly.
  Status Create(const char* path, SpecialFiles special = SpecialFiles::kRefuse);
  /// Begins a file of a folder that is open, which stays open meanwhile. Only its owner can write it. A lock on
  /// the unfinished file tells that its writer lives.
  Status CreateIn(const FileDescriptor& folder, const char* name);
  /// Removes an unfinished file of CreateIn() whose writer died. False if one lives, or if the system does not tell.
  static bool RemoveAbandoned(const FileDescriptor& folder, const char* name);
  /// Appends bytes. RESOURCE_EXHAUSTED (no space left) or DATA_LOSS (the medium failed).
  Status Write(std::span<const std::byte> bytes);
  /// Moves the file into place, over what was there. Keeps the permissions of what it replaces.
  Status Commit();

 private:
  Status OpenDirectly();
  // These return 0 or an error number.
  int OpenTemporary();
  int OpenLocked();
  int CloseAndRename();
  void Discard() noexcept;

  int folder_ = -1;              // where the paths begin; the current folder if it is negative
  uint32_t permissions_ = 0666;  // less what the process masks
  HostString path_;
  HostString temporary_;  // empty if there is none
  FileDescriptor file_;
  FileDescriptor lock_;  // the same open file; keeps the lock until it has its name
};

/// Writes a file in one go. The messages name no function.
Status WriteFileAtomically(std::string_view path, std::string_view contents);

}  // namespace halyard

#endif  // HALYARD_BASE_FILE_ATOMIC_FILE_H_
