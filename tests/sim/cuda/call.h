// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's side of stream_api/call.h.
#ifndef HALYARD_TESTS_SIM_CUDA_CALL_H_
#define HALYARD_TESTS_SIM_CUDA_CALL_H_

#include <memory>

#include "cuda/abi/cuda_abi.h"
#include "stream_api/call.h"

namespace halyard::cuda::abi {

using namespace sim;  // NOLINT(google-build-using-namespace): the words of the layer that all of this is written in

// Carry() with the vendor's type of answer.
template <typename Body>
CUresult Call(const char* name, Requires needed, Body body) {
  return static_cast<CUresult>(Carry(name, needed, body));
}

std::shared_ptr<Context> FindContext(CUcontext handle);
// The context that is meant: the current one for a null handle.
std::shared_ptr<Context> ContextOrCurrent(CUcontext handle);

template <typename Handle, typename Object>
Handle ToHandle(Object* object) {
  return reinterpret_cast<Handle>(object);
}

}  // namespace halyard::cuda::abi

#endif  // HALYARD_TESTS_SIM_CUDA_CALL_H_
