// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine code of count_reader.cu, as the build has made it.
#ifndef HALYARD_DRIVERS_CUDA_BUILTIN_COUNT_READER_IMAGE_H_
#define HALYARD_DRIVERS_CUDA_BUILTIN_COUNT_READER_IMAGE_H_

#include <cstdint>
#include <span>

namespace halyard::cuda {

/// A fatbin; empty if the library was built without nvcc. Aligned as words are.
extern const std::span<const uint64_t> kCountReaderImage;

}  // namespace halyard::cuda

#endif  // HALYARD_DRIVERS_CUDA_BUILTIN_COUNT_READER_IMAGE_H_
