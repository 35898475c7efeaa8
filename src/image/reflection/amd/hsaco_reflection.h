// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What AMD's machine code (an HSACO, or "code object") tells of its kernels.
#ifndef HALYARD_IMAGE_REFLECTION_HSACO_REFLECTION_H_
#define HALYARD_IMAGE_REFLECTION_HSACO_REFLECTION_H_

#include "image/reflection/reflected_image.h"
#include "image/shared_object/bytes.h"

namespace halyard {

/// Reads the metadata note of code objects of version 3 and later. Hidden arguments, which the runtime of HIP fills in,
/// are no parameters. `const` pointers are bindings that are only read.
///
/// @return DATA_LOSS, with the field; INCOMPATIBLE if it is machine code of another vendor, or of version 2. May throw
///         std::bad_alloc.
Status ReflectHsaco(Bytes image, ReflectedImage* out_image);

/// The same from the contents of the note alone.
Status ReflectHsacoMetadata(Bytes metadata, ReflectedImage* out_image);

/// As ReflectHsaco(), and walks all that AMD's loader will believe: the segments, the symbols of each kernel, and its
/// descriptor, which has to agree with the metadata. The loader takes no length and checks nothing.
///
/// It does not make untrusted code safe.
Status CheckHsaco(Bytes image, ReflectedImage* out_image);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_HSACO_REFLECTION_H_
