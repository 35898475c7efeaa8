// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one kernel of the CUDA driver, drivers/cuda/builtin/count_reader.cu, as a function of the host: it changes a node
// of the graph that it is in, which no kernel of a shared object could.
#ifndef HALYARD_TESTS_SIM_CUDA_COUNT_READER_H_
#define HALYARD_TESTS_SIM_CUDA_COUNT_READER_H_

#include <cstddef>
#include <memory>
#include <span>

#include "host_code/host_code.h"

namespace halyard::cuda::abi {

// The kernel, if the image is of it; null otherwise.
std::shared_ptr<const sim::HostCode> CountReaderCode(std::span<const std::byte> image);

}  // namespace halyard::cuda::abi

#endif  // HALYARD_TESTS_SIM_CUDA_COUNT_READER_H_
