// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel launches on streams.
#include <span>

#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "stream_api/launches.h"

namespace halyard::cuda::abi {

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void** params, void** extra) {
  return Call(__func__, Requires::kContext, [&] {
    return SubmitLaunch({function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, params, extra},
                        stream);
  });
}

namespace {

// What the hardware would refuse. The blocks of a cluster and of a cooperative launch run like all others.
CUresult CheckAttribute(const CUlaunchConfig& config, CUfunction function, const CUlaunchAttribute& attribute) {
  if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
    const auto& cluster = attribute.value.clusterDim;
    const bool fits = cluster.x > 0 && cluster.y > 0 && cluster.z > 0 && config.gridDimX % cluster.x == 0 &&
                      config.gridDimY % cluster.y == 0 && config.gridDimZ % cluster.z == 0;
    return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && attribute.value.cooperative != 0) {
    const auto volume = static_cast<int>(config.blockDimX * config.blockDimY * config.blockDimZ);
    int each = 0;
    int units = 0;
    cuOccupancyMaxActiveBlocksPerMultiprocessor(&each, function, volume, config.sharedMemBytes);
    cuDeviceGetAttribute(&units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
    const uint64_t count = uint64_t{config.gridDimX} * config.gridDimY * config.gridDimZ;
    const bool fits = count <= static_cast<uint64_t>(each) * static_cast<uint64_t>(units);
    return fits ? CUDA_SUCCESS : CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  }
  return CUDA_SUCCESS;
}

}  // namespace

// The other attributes are hints about speed.
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** params, void** extra) {
  if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr)) {
    return Call(__func__, Requires::kContext, [] { return Error::kInvalidValue; });
  }
  for (const CUlaunchAttribute& attribute : std::span(config->attrs, config->numAttrs)) {
    if (const CUresult refused = CheckAttribute(*config, function, attribute); refused != CUDA_SUCCESS) return refused;
  }
  return Call(__func__, Requires::kContext, [&] {
    return SubmitLaunch({function,
                         {config->gridDimX, config->gridDimY, config->gridDimZ},
                         {config->blockDimX, config->blockDimY, config->blockDimZ},
                         config->sharedMemBytes,
                         params,
                         extra},
                        config->hStream);
  });
}

}  // namespace halyard::cuda::abi
