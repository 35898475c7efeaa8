// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading executable files (.halx). See docs/executables.md.
#ifndef HALYARD_IMAGE_HALX_CONTAINER_H_
#define HALYARD_IMAGE_HALX_CONTAINER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/file/mapped_file.h"
#include "base/host_memory.h"
#include "base/status.h"
#include "image/halx/container_contents.h"

namespace halyard {

/// Whether bytes begin as an executable file does. Says nothing about the rest.
bool LooksLikeContainer(std::span<const std::byte> file) noexcept;

/// Where an image lies in its file, and the XXH3-128 of its bytes.
struct ImagePlace {
  uint64_t offset = 0;  ///< bytes from the start of the file
  uint64_t size = 0;    ///< bytes
  uint64_t hash_low = 0;
  uint64_t hash_high = 0;
};

/// An executable file, verified. Images, names and symbols are views into the file's bytes.
class Container {
 public:
  Container() = default;
  Container(Container&&) = default;
  Container& operator=(Container&&) = default;
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  /// Maps a file, which stays mapped as long as the container lives, and verifies it as Parse() does. Messages begin
  /// with the path.
  Status Open(const char* path);

  /// Verifies bytes, which must outlive the container: all but the contents of the images. On failure the container is
  /// empty and the message names the field: `variants[1].image: offset 8192 + size 100 exceeds the file's 8200 bytes`.
  /// Images are as well aligned as `file` is, up to 4096 bytes.
  /// DATA_LOSS, or INCOMPATIBLE for a newer version of the format. Throws std::bad_alloc.
  Status Parse(std::span<const std::byte> file);

  /// Version of the format that the file asks for.
  uint32_t version() const { return version_; }
  const ContainerContents& contents() const { return contents_; }
  /// Where the image of a variant lies.
  const ImagePlace& Place(size_t variant) const { return places_[variant]; }

  /// Compares an image with its hash, for which it is read whole. DATA_LOSS if it differs.
  Status CheckImage(size_t variant) const;

 private:
  Status Read(std::span<const std::byte> file);

  MappedFile mapping_;            // if the container opened the file itself
  HostVector<uint64_t> aligned_;  // the metadata, if the file's bytes are not aligned well enough to be read in place
  uint32_t version_ = 0;
  ContainerContents contents_;
  HostVector<ImagePlace> places_;  // [variant]
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_HALX_CONTAINER_H_
