// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Memory of another API as CUDA's: three functions of the CUDA driver API, found in the library that Halyard's CUDA
/// driver has loaded.
#ifndef HALYARD_EXAMPLES_SHARING_CUDA_IMPORT_H_
#define HALYARD_EXAMPLES_SHARING_CUDA_IMPORT_H_

#include "halyard/vulkan_interop.h"
#include "support/halyard_handles.h"

namespace examples {

/// The first `length` bytes that `memory` tells of, as a buffer of a CUDA device on the same GPU. The descriptor
/// becomes CUDA's.
Buffer ImportIntoCuda(hal_device_t* cuda, const hal_vulkan_memory_t& memory, uint64_t length);

}  // namespace examples

#endif  // HALYARD_EXAMPLES_SHARING_CUDA_IMPORT_H_
