// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel launches on streams.
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

// The attributes are hints about speed, except for cooperative launches and clusters, which are not simulated.
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** params, void** extra) {
  return Call(__func__, Requires::kContext, [&] {
    if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr)) {
      return Error::kInvalidValue;
    }
    for (unsigned int i = 0; i < config->numAttrs; ++i) {
      const CUlaunchAttribute& attribute = config->attrs[i];
      if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) return Error::kNotSupported;
      if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && attribute.value.cooperative != 0) {
        return Error::kNotSupported;
      }
    }
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
