// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of graph nodes, made into work. A missing or wrong description is an error.
#ifndef HALYARD_TESTS_SIM_CUDA_GRAPH_PARAMS_H_
#define HALYARD_TESTS_SIM_CUDA_GRAPH_PARAMS_H_

#include "cuda/call.h"
#include "engine/transfer.h"

namespace halyard::cuda::abi {

// A description of a copy in the engine's words. kNotSupported for what is not simulated: arrays, and offsets in y and
// z.
Error ReadCopy(const CUDA_MEMCPY3D* params, sim::CopyRows* copy);
Error ReadCopy(const CUDA_MEMCPY3D_PEER* params, sim::CopyRows* copy);

Error MakeWork(const CUDA_KERNEL_NODE_PARAMS* params, sim::Work* work);
Error MakeWork(const CUDA_MEMCPY3D* params, sim::Work* work);
Error MakeWork(const CUDA_MEMSET_NODE_PARAMS* params, sim::Work* work);
Error MakeWork(const CUDA_HOST_NODE_PARAMS* params, sim::Work* work);

}  // namespace halyard::cuda::abi

#endif  // HALYARD_TESTS_SIM_CUDA_GRAPH_PARAMS_H_
