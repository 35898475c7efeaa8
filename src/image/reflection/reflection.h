// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an image tells of its kernels, for every format that can be asked without a compiler's library.
#ifndef HALYARD_IMAGE_REFLECTION_REFLECTION_H_
#define HALYARD_IMAGE_REFLECTION_REFLECTION_H_

#include <span>
#include <string_view>

#include "image/reflection/reflected_image.h"
#include "image/shared_object/bytes.h"

namespace halyard {

/// Whether images of a format tell what they export: "ptx", "cubin", "fatbin", "hsaco", "spirv",
/// "host-shared-object", "host-object".
bool CanReflect(std::string_view format);

/// Asks an image. A fatbin may stand where a cubin is expected, and an offload bundle where an HSACO is, as the
/// vendors' loaders take both.
/// @return UNIMPLEMENTED if the format does not tell; else as the format's own function. May throw std::bad_alloc.
/// @param specializations  values that take the place of defaults, for formats that have them
Status Reflect(std::string_view format, Bytes image, ReflectedImage* out_image,
               std::span<const hal_specialization_t> specializations = {});

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_REFLECTION_H_
