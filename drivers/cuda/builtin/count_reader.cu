// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only device code of the CUDA driver, built if there is an nvcc: sets the grid of the kernel node that comes next
// in a graph. See cuda_indirect.cpp, which launches it with one thread.
#include <cstdint>
#include <cstring>

/// What the host learns of counts that did not run; stream::RejectedCounts on the host's side.
struct RejectedCounts {
  uint32_t counts[3];
  uint32_t code;
};

/// @param node       the kernel node
/// @param counts     three numbers, at any address
/// @param rejection  in the host's memory, all zero
extern "C" __global__ void halyard_read_counts(cudaGraphDeviceNode_t node, const unsigned char* counts,
                                               RejectedCounts* rejection, uint32_t most_x, uint32_t most_y,
                                               uint32_t most_z) {
  uint32_t count[3];
  memcpy(count, counts, sizeof(count));
  const bool fits = count[0] <= most_x && count[1] <= most_y && count[2] <= most_z;
  const bool runs = fits && count[0] != 0 && count[1] != 0 && count[2] != 0;
  // A grid with a 0 cannot be set, and what was disabled by the last launch of the graph stays so.
  cudaError_t error = cudaGraphKernelNodeSetEnabled(node, runs);
  if (runs && error == cudaSuccess) error = cudaGraphKernelNodeSetGridDim(node, dim3(count[0], count[1], count[2]));
  if (fits && error == cudaSuccess) return;
  *rejection = {{count[0], count[1], count[2]}, 1 + static_cast<uint32_t>(error)};
}
