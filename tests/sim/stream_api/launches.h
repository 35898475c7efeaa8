// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel launches: what the vendors' functions do, under the runtime's lock.
#ifndef HALYARD_TESTS_SIM_STREAM_API_LAUNCHES_H_
#define HALYARD_TESTS_SIM_STREAM_API_LAUNCHES_H_

#include <array>

#include "stream_api/call.h"

namespace halyard::sim {

// A launch as the vendors' functions describe it.
struct LaunchParams {
  const void* function = nullptr;
  std::array<uint32_t, 3> grid = {0, 0, 0};   // blocks
  std::array<uint32_t, 3> block = {0, 0, 0};  // threads
  uint32_t shared_bytes = 0;
  void** params = nullptr;
  void** extra = nullptr;
};

// Checks the description and makes a launch of it, with a copy of the arguments. They come as one pointer for each
// parameter, or as one block of bytes in `extra`.
Error MakeLaunch(const LaunchParams& params, Launch* launch);
Error SubmitLaunch(const LaunchParams& params, const void* stream);

// The work of a node of a graph.
Error MakeWork(const LaunchParams* params, Work* work);

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_STREAM_API_LAUNCHES_H_
