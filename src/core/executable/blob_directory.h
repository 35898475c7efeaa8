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

namespace halyard {

/// Files appear whole or not at all and carry a hash, so that other processes, crashes and bad disks cost no more than
/// making the blob again. Immutable once opened, and so thread-safe; the order between processes is the file system's.
class BlobDirectory {
 public:
  /// Makes the folder if it is missing, for this user alone.
  ///
  /// @param limit  bytes of all blobs; the ones that were not used for longest go first
  /// @return PERMISSION_DENIED (even if another user owns it or all users may write there: what lies there is run),
  ///         INVALID_ARGUMENT (no folder), RESOURCE_EXHAUSTED.
  Status Open(std::string_view path, uint64_t limit);

  bool is_open() const { return !path_.empty(); }

  /// Reads the blob of a key; NOT_FOUND or DATA_LOSS. `file` holds the bytes that `out_blob` lies in.
  Status Load(std::string_view key, HostVector<std::byte>* file, std::span<const std::byte>* out_blob) const;
  /// Writes the blob of a key, and makes room if the limit is passed.
  Status Store(std::string_view key, std::span<const std::byte> blob) const;

  /// The folder as drivers see it; failures are logged. `this` must stay where it is.
  hal_blob_store_t Interface();

 private:
  HostString FileOf(std::string_view key) const;
  Status CheckOwner() const;
  void MakeRoom(const HostString& newest) const;

  HostString path_;
  uint64_t limit_ = 0;
};

}  // namespace halyard

#endif  // HALYARD_CORE_EXECUTABLE_BLOB_DIRECTORY_H_
