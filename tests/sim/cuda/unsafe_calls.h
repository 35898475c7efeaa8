// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What CUDA refuses while a stream is captured: the simulation goes by it, and tests/cuda holds it against the
// vendor's.
#ifndef HALYARD_TESTS_SIM_CUDA_UNSAFE_CALLS_H_
#define HALYARD_TESTS_SIM_CUDA_UNSAFE_CALLS_H_

#include <algorithm>
#include <array>
#include <string_view>

namespace halyard::cuda {

/// Functions that may be unsafe: they allocate, load, wait or ask, beside all streams. Memory of a pool is among them,
/// though it is taken and given back in the order of a stream.
inline constexpr std::array<std::string_view, 23> kUnsafeCalls = {
    "cuCtxSynchronize", "cuEventQuery",          "cuEventSynchronize",  "cuGraphExecDestroy",
    "cuLinkComplete",   "cuMemAllocManaged",     "cuMemAlloc_v2",       "cuMemAllocFromPoolAsync",
    "cuMemFreeAsync",   "cuMemFreeHost",         "cuMemFree_v2",        "cuMemHostAlloc",
    "cuMemPoolCreate",  "cuMemHostRegister_v2",  "cuMemHostUnregister", "cuGraphInstantiateWithFlags",
    "cuMemPoolDestroy", "cuMemPoolSetAttribute", "cuMemPoolTrimTo",     "cuModuleLoadDataEx",
    "cuModuleUnload",   "cuStreamQuery",         "cuStreamSynchronize",
};

/// @param name  as the library exports it
inline bool IsUnsafeCall(std::string_view name) {
  return std::find(kUnsafeCalls.begin(), kUnsafeCalls.end(), name) != kUnsafeCalls.end();
}

}  // namespace halyard::cuda

#endif  // HALYARD_TESTS_SIM_CUDA_UNSAFE_CALLS_H_
