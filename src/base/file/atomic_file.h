// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output files that appear complete or not at all.
#ifndef HALYARD_BASE_FILE_ATOMIC_FILE_H_
#define HALYARD_BASE_FILE_ATOMIC_FILE_H_

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "base/file/file_descriptor.h"
#include "base/host_memory.h"
#include "base/status.h"

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
  /// Appends bytes. RESOURCE_EXHAUSTED (no space left) or DATA_LOSS (the medium failed).
  Status Write(std::span<const std::byte> bytes);
  /// Moves the file into place, over what was there. Keeps the permissions of what it replaces.
  Status Commit();

 private:
  Status OpenDirectly();
  // These return 0 or what errno says.
  int OpenTemporary();
  int CloseAndRename();
  void Discard() noexcept;

  HostString path_;
  HostString temporary_;  // empty if there is none
  FileDescriptor file_;
};

/// Writes a file in one go. The messages name no function.
Status WriteFileAtomically(std::string_view path, std::string_view contents);

}  // namespace halyard

#endif  // HALYARD_BASE_FILE_ATOMIC_FILE_H_
