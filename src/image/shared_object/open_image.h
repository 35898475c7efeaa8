// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared libraries that are loaded from their bytes.
#ifndef HALYARD_IMAGE_SHARED_OBJECT_OPEN_IMAGE_H_
#define HALYARD_IMAGE_SHARED_OBJECT_OPEN_IMAGE_H_

#include <cstddef>
#include <span>

#include "base/dynamic_library.h"
#include "base/status.h"

namespace halyard {

/// Opens a library from its bytes, which are copied. NOT_FOUND, with the names, if it needs libraries or symbols that
/// nothing provides; DATA_LOSS with the loader's message if it is none; RESOURCE_EXHAUSTED as DynamicLibrary::Open();
/// UNAVAILABLE if the system has no place for a file from which code may be loaded. A failure leaves `library` as it
/// is.
Status OpenImage(std::span<const std::byte> image, DynamicLibrary* library);

}  // namespace halyard

#endif  // HALYARD_IMAGE_SHARED_OBJECT_OPEN_IMAGE_H_
