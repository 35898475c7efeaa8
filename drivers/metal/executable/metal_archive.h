// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled pipelines beyond the life of the process: a binary archive of Metal's in the application's blob store.
#ifndef HALYARD_METAL_EXECUTABLE_METAL_ARCHIVE_H_
#define HALYARD_METAL_EXECUTABLE_METAL_ARCHIVE_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/blob_store.h"
#include "halyard/executable.h"
#include "metal/native/metal_traits.h"
#include "metal/native/metal_types.h"

namespace halyard::metal {

/// The archive of one executable while its pipelines are made. Metal reads and writes archives as files, so a file of
/// the temporary folder stands in between and goes with this object. Whatever fails costs a compilation, nothing else.
class MetalArchive {
 public:
  /// Without a store there is no archive.
  MetalArchive(NativeDevice device, const MetalTraits& traits, const hal_blob_store_t* blobs)
      : device_(device), traits_(traits), blobs_(blobs) {}
  ~MetalArchive();
  MetalArchive(const MetalArchive&) = delete;
  MetalArchive& operator=(const MetalArchive&) = delete;

  /// Looks for the archive of these functions of an image with these specialisation constants; else makes an empty one.
  void Open(std::span<const std::byte> image, std::span<const std::string_view> functions,
            std::span<const hal_specialization_t> specializations);
  /// Where pipelines are looked up; NULL for nowhere.
  NativeBinaryArchive native() const { return archive_.get(); }
  /// Whether pipelines are to be added: it is a new one.
  bool collects() const { return archive_ && !found_; }
  /// Stores what was added.
  void Store() noexcept;

 private:
  bool Load(const HostString& key);
  void NamePath();

  const NativeDevice device_;
  const MetalTraits& traits_;
  const hal_blob_store_t* const blobs_;
  HostString key_;
  HostString path_;  // of the file; empty if there is none
  Owned<NativeBinaryArchive> archive_;
  bool found_ = false;
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_EXECUTABLE_METAL_ARCHIVE_H_
