// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What PTX text tells of its kernels: the parameters, .reqntid and .maxntid, and workgroup memory of each `.entry`.
#ifndef HALYARD_IMAGE_REFLECTION_PTX_REFLECTION_H_
#define HALYARD_IMAGE_REFLECTION_PTX_REFLECTION_H_

#include <string_view>

#include "image/reflection/reflected_image.h"

namespace halyard {

/// Reads PTX of any version. Only as much is understood as reflection needs: the vendor's compiler judges the rest.
///
/// A 64-bit integer without `.ptr` may be an address: nvcc before CUDA 13 and clang before 20 write both alike. The
/// code decides: it is a binding if it is turned into an address or used as one, a constant if it is only computed
/// with, and taken for a binding if it is not used. `is_guess` marks the last two.
/// @return DATA_LOSS, with the line; INCOMPATIBLE for 32-bit addresses. May throw std::bad_alloc.
Status ReflectPtx(std::string_view text, ReflectedImage* out_image);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_PTX_REFLECTION_H_
