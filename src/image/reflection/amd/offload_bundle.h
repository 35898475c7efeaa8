// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang's container of code objects for several devices, which hipcc makes too.
#ifndef HALYARD_IMAGE_REFLECTION_OFFLOAD_BUNDLE_H_
#define HALYARD_IMAGE_REFLECTION_OFFLOAD_BUNDLE_H_

#include "image/reflection/reflected_image.h"
#include "image/shared_object/bytes.h"

namespace halyard {

struct OffloadBundleEntry {
  std::string_view id;      ///< "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-"
  std::string_view target;  ///< "gfx90a:xnack-"; empty for the host's part
  Bytes contents;           ///< empty for the host's part of what hipcc makes
};

/// The entries of a bundle, which are views into the image, or into what was unpacked of it.
struct OffloadBundle {
  HostVector<OffloadBundleEntry> entries;
  HostVector<std::byte> unpacked;  ///< empty unless the image is compressed
};

/// Whether it begins like a bundle, compressed or not.
bool LooksLikeOffloadBundle(Bytes image);

/// Lists the entries; unpacks the bundle if it is compressed.
/// @return DATA_LOSS, with the field, and as UnpackBundle(). May throw std::bad_alloc.
Status ReadOffloadBundle(Bytes image, OffloadBundle* out_bundle);

/// What the first code object tells. @return as ReflectHsaco(), NOT_FOUND if there is none for AMD GPUs
Status ReflectOffloadBundle(Bytes image, ReflectedImage* out_image);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_OFFLOAD_BUNDLE_H_
