// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the simulated NVTX library and the simulated tool tell a test that opens them as well.
#ifndef HALYARD_TESTS_NVTX_NVTX_SIM_H_
#define HALYARD_TESTS_NVTX_NVTX_SIM_H_

/// The ranges of all threads so far, oldest first: "(text" as one opens, ")" as one closes.
using NvtxSimLogFunction = const char* (*)();
inline constexpr const char* kNvtxSimLog = "nvtx_sim_log";

#endif  // HALYARD_TESTS_NVTX_NVTX_SIM_H_
