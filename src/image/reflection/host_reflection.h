// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a shared object of a host tells of its kernels: the records of halyard/local_kernel_record.h.
#ifndef HALYARD_IMAGE_REFLECTION_HOST_REFLECTION_H_
#define HALYARD_IMAGE_REFLECTION_HOST_REFLECTION_H_

#include "image/reflection/reflected_image.h"
#include "image/shared_object/bytes.h"

namespace halyard {

/// Reads the records from their section, for any little-endian 64-bit machine.
/// @return DATA_LOSS, with the field; NOT_FOUND if there are no records. May throw std::bad_alloc.
Status ReflectHost(Bytes image, ReflectedImage* out_image);

/// The same from the contents of the section alone.
Status ReflectHostRecords(Bytes section, ReflectedImage* out_image);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_HOST_REFLECTION_H_
