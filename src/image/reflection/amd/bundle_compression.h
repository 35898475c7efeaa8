// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unpacks compressed offload bundles (CCOB), which clang makes with --offload-compress.
#ifndef HALYARD_IMAGE_REFLECTION_BUNDLE_COMPRESSION_H_
#define HALYARD_IMAGE_REFLECTION_BUNDLE_COMPRESSION_H_

#include "base/host_memory.h"
#include "base/status.h"
#include "image/shared_object/bytes.h"

namespace halyard {

/// Whether it begins like a compressed bundle.
bool LooksLikeCompressedBundle(Bytes image);

/// Unpacks versions 1 to 3 of the format, with libzstd or libz, which are loaded when they are needed.
///
/// @return DATA_LOSS, with the field; INCOMPATIBLE for an unknown version or method, and if it says that it grows to
///         more than 48 times its size and 8 MiB; UNIMPLEMENTED if the library that unpacks it cannot be loaded, with
///         the tool that does it instead. May throw std::bad_alloc.
Status UnpackBundle(Bytes image, HostVector<std::byte>* out_bundle);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_BUNDLE_COMPRESSION_H_
