// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What CUDA refuses while a stream is captured: the simulation follows it, and tests/cuda compares it with the
// vendor's.
#ifndef HALYARD_TESTS_SIM_CUDA_UNSAFE_CALLS_H_
#define HALYARD_TESTS_SIM_CUDA_UNSAFE_CALLS_H_

#include <algorithm>
#include <array>
#include <string_view>

namespace halyard::cuda {

/// Functions that may be unsafe: they allocate, free, wait or query, beside all streams. Memory of a pool is among
/// them, though it is allocated and freed in the order of a stream; loading code is not (driver 580, with lazy and
/// with eager loading).
inline constexpr std::array<std::string_view, 21> kUnsafeCalls = {
    "cuCtxSynchronize",      "cuEventQuery",      "cuEventSynchronize", "cuGraphInstantiateWithFlags",
    "cuGraphExecDestroy",    "cuMemAlloc_v2",     "cuMemFree_v2",       "cuMemAllocFromPoolAsync",
    "cuMemFreeAsync",        "cuMemHostAlloc",    "cuMemFreeHost",      "cuMemHostRegister_v2",
    "cuMemHostUnregister",   "cuMemAllocManaged", "cuMemPoolCreate",    "cuMemPoolDestroy",
    "cuMemPoolSetAttribute", "cuMemPoolTrimTo",   "cuModuleUnload",     "cuStreamQuery",
    "cuStreamSynchronize",
};

/// @param name  as the library exports it
inline bool IsUnsafeCall(std::string_view name) {
  return std::find(kUnsafeCalls.begin(), kUnsafeCalls.end(), name) != kUnsafeCalls.end();
}

}  // namespace halyard::cuda

#endif  // HALYARD_TESTS_SIM_CUDA_UNSAFE_CALLS_H_
