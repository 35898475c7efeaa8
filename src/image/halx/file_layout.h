// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an executable file is laid out around its metadata and images. See docs/executables.md.
//
//   0        4 bytes    size of the FlatBuffer that follows
//   4        n bytes    the FlatBuffer of schemas/executable.fbs; its identifier "HALX" is at 8; 4 + n is a multiple
//                       of 8
//   4 + n    8 bytes    XXH3-64 of all before it
//            images, each at a multiple of 4096
#ifndef HALYARD_IMAGE_HALX_FILE_LAYOUT_H_
#define HALYARD_IMAGE_HALX_FILE_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "image/halx/container.h"

namespace halyard {

/// The newest version of the format that this library reads. It writes the least that the contents need.
inline constexpr uint32_t kFormatVersion = 4;
/// Files in which every image has all exports, none of which has a signature.
inline constexpr uint32_t kVersionWithoutSignatures = 1;
/// Files in which an export has a signature.
inline constexpr uint32_t kVersionWithSignatures = 2;
/// Files with a plain C function.
inline constexpr uint32_t kVersionWithCFunctions = 3;
/// Files with images that have some of the exports, with rules for launches, or with parameters that are neither
/// bindings nor constants.
inline constexpr uint32_t kVersionWithPartialImages = 3;
/// Files with kernels that are made for subgroups of some sizes, and that a device can compile for others.
inline constexpr uint32_t kVersionWithSubgroups = 4;

/// Images begin at multiples of this, so that each can be mapped by itself.
inline constexpr uint64_t kImageAlignment = 4096;

/// What a FlatBuffer is aligned to, and padded to.
inline constexpr size_t kMetadataAlignment = 8;

inline constexpr size_t kSizePrefixSize = 4;
inline constexpr size_t kMetadataHashSize = 8;

constexpr uint64_t AlignImage(uint64_t offset) {
  return (offset + kImageAlignment - 1) / kImageAlignment * kImageAlignment;
}

/// The XXH3-128 of an image, as the metadata has it.
struct ImageHash {
  uint64_t low = 0;
  uint64_t high = 0;
  bool operator==(const ImageHash&) const = default;
};
ImageHash HashImage(std::span<const std::byte> image);

/// Finds the size-prefixed FlatBuffer in a file and compares it with its hash. DATA_LOSS.
Status FindMetadata(std::span<const std::byte> file, std::span<const std::byte>* out_metadata);

/// Appends its hash to a size-prefixed FlatBuffer.
void AppendMetadataHash(HostVector<std::byte>* metadata);

/// Checks that the images lie one beside the other behind the metadata and inside the file. Several variants may have
/// the same image. DATA_LOSS.
Status CheckPlaces(std::span<const ImagePlace> places, uint64_t metadata_end, uint64_t file_size);

}  // namespace halyard

#endif  // HALYARD_IMAGE_HALX_FILE_LAYOUT_H_
