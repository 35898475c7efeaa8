// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The FlatBuffer in an executable file, to and from plain structs. Nothing else sees the generated code.
#ifndef HALYARD_IMAGE_HALX_METADATA_H_
#define HALYARD_IMAGE_HALX_METADATA_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "image/halx/container.h"
#include "image/halx/container_contents.h"

namespace halyard {

/// What the FlatBuffer says.
struct Metadata {
  uint32_t version = 0;
  uint64_t file_size = 0;
  ContainerContents contents;     ///< without the images
  HostVector<ImagePlace> places;  ///< [variant]
};

/// Verifies a size-prefixed FlatBuffer that is aligned to kMetadataAlignment, and decodes it. Texts are views into it.
/// Checks what can no longer be told from the structs (absent fields, enum values), and nothing else.
/// DATA_LOSS, or INCOMPATIBLE for a newer version.
Status DecodeMetadata(std::span<const std::byte> flatbuffer, Metadata* out);

/// Makes a size-prefixed FlatBuffer of checked contents. Its size depends on the contents alone, as long as no number
/// in `places` nor `file_size` is 0. INVALID_ARGUMENT if it exceeds the format's bound.
Status EncodeMetadata(const ContainerContents& contents, std::span<const ImagePlace> places, uint64_t file_size,
                      HostVector<std::byte>* out);

}  // namespace halyard

#endif  // HALYARD_IMAGE_HALX_METADATA_H_
