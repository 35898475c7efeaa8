// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder in which blobs are kept, one file each, for any number of processes at once.
#ifndef HALYARD_CORE_EXECUTABLE_BLOB_DIRECTORY_H_
#define HALYARD_CORE_EXECUTABLE_BLOB_DIRECTORY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/blob_store.h"
#include "platform/file_descriptor.h"

namespace halyard {

/// Files appear whole or not at all and carry a hash, so that other processes, crashes and bad disks cost no more than
/// making the blob again. Immutable once opened, and so thread-safe; the order between processes is the file system's.
///
/// What lies in the folder is run. So the object keeps the folder itself open, whatever its path leads to later. Folder
/// and file must belong to this user or to root, and no other user may be able to write them, at each load.
class BlobDirectory {
 public:
  /// Makes the folder if it is missing, for this user alone. On a file system that is mounted read-only, or if root
  /// owns the folder and this user may not write there, blobs are loaded and none is stored.
  ///
  /// @param limit  bytes of all blobs and unfinished files; the ones that were not used for longest go first
  /// @return PERMISSION_DENIED (even if another user owns it or could put another one in its place, or if all users may
  ///         write there), INVALID_ARGUMENT (no folder), RESOURCE_EXHAUSTED.
  Status Open(std::string_view path, uint64_t limit);

  bool is_open() const { return static_cast<bool>(folder_); }

  /// Reads the blob of a key. NOT_FOUND, DATA_LOSS, or PERMISSION_DENIED if another user may have written it. `file`
  /// holds the bytes that `out_blob` lies in.
  Status Load(std::string_view key, HostVector<std::byte>* file, std::span<const std::byte>* out_blob) const;
  /// Writes the blob of a key, and makes room if the limit is passed. Does nothing in a folder that is only read.
  Status Store(std::string_view key, std::span<const std::byte> blob) const;

  /// The folder as drivers see it; failures are logged. `this` must stay where it is.
  hal_blob_store_t Interface();

 private:
  Status OpenFolder(const HostString& path);
  Status FailToUse(int error) const;
  Status CheckFolder() const;
  Status CheckParents() const;
  Status CheckWritable();
  void MakeRoom(const HostString& newest) const;

  HostString path_;  // for messages
  FileDescriptor folder_;
  bool is_read_only_ = false;
  uint64_t limit_ = 0;
};

}  // namespace halyard

#endif  // HALYARD_CORE_EXECUTABLE_BLOB_DIRECTORY_H_
