// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the CUDA counterpart share: calls of the driver API whose failures are thrown, and the module.
#ifndef HALYARD_TOOLS_BENCH_OVERHEAD_CUDA_CALLS_H_
#define HALYARD_TOOLS_BENCH_OVERHEAD_CUDA_CALLS_H_

#include <memory>

#include "counterpart.h"
#include "cuda/cuda_library.h"

namespace halyard::tools {

[[noreturn]] void FailCudaCall(const halyard::Failure& failure);

/// As in `Must(HALYARD_CUDA(cuda, cuStreamCreate, (&stream, 1)))`.
inline void Must(Status status) {
  if (status != kOk) FailCudaCall(halyard::Failure(status));
}

/// A graph of a kernel of `module`, in the current context.
std::unique_ptr<CounterpartGraph> MakeCudaGraph(const cuda::CudaLibrary& library, cuda::CUmodule module,
                                                const RecordedWork& work);
std::unique_ptr<CounterpartGraph> MakeCudaTransfer(const cuda::CudaLibrary& library, const RecordedTransfer& transfer);
double CudaKernelTime(const cuda::CudaLibrary& library, cuda::CUmodule module, const RecordedWork& work);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_BENCH_OVERHEAD_CUDA_CALLS_H_
