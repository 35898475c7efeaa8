// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What PTX text tells of its kernels: the parameters, .reqntid and .maxntid, and workgroup memory of each `.entry`.
#ifndef HALYARD_IMAGE_REFLECTION_PTX_REFLECTION_H_
#define HALYARD_IMAGE_REFLECTION_PTX_REFLECTION_H_

#include <string_view>

#include "image/reflection/reflected_image.h"

namespace halyard {

/// Reads PTX of any version. Only as much is understood as reflection needs: the vendor's compiler judges the rest.
/// Which integers of 64 bits are addresses is said by parameter_rules.h. What functions use counts for the kernels that
/// call them.
/// @return DATA_LOSS, with the line; INCOMPATIBLE for 32-bit addresses, and for more calls than can be followed in a
/// short
///         time. May throw std::bad_alloc.
Status ReflectPtx(std::string_view text, ReflectedImage* out_image);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_PTX_REFLECTION_H_
