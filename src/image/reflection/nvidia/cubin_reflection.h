// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What CUDA machine code (a cubin) tells of its kernels.
#ifndef HALYARD_IMAGE_REFLECTION_CUBIN_REFLECTION_H_
#define HALYARD_IMAGE_REFLECTION_CUBIN_REFLECTION_H_

#include "image/reflection/reflected_image.h"
#include "image/shared_object/bytes.h"

namespace halyard {

/// Reads the attributes in `.nv.info.<kernel>` (sizes and order of the parameters, .reqntid, .maxntid,
/// .reqnctapercluster) and the size of `.nv.shared.<kernel>`. NVIDIA documents none of this: what stands here was found
/// with ptxas 12.4 and 13.0 for sm_70 to sm_121, see docs/executables.md. Which parameters of 8 bytes are addresses is
/// said by parameter_rules.h.
/// @return DATA_LOSS, with the field; INCOMPATIBLE if it is machine code of another vendor. May throw std::bad_alloc.
Status ReflectCubin(Bytes image, ReflectedImage* out_image);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_CUBIN_REFLECTION_H_
