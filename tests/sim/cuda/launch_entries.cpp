// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel launches on streams.
#include <cstring>
#include <string>

#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "cuda/launch_params.h"

namespace halyard::cuda::abi {
namespace {

Error Complain(const sim::Function& function, const std::string& text) {
  Runtime::Get().reports.Add(sim::Rule::kKernelParameters, "launch of '" + function.entry.name + "': " + text);
  return Error::kInvalidValue;
}

// One pointer for each parameter. How many there are cannot be seen; a null among them can.
Error ReadPointers(void** params, const sim::Function& function, std::vector<std::byte>* arguments) {
  for (size_t i = 0; i < function.entry.parameters.size(); ++i) {
    const sim::ParameterPlace& place = function.entry.parameters[i];
    if (params == nullptr || params[i] == nullptr) {
      return Complain(function, "parameter " + std::to_string(i) + " of " +
                                    std::to_string(function.entry.parameters.size()) + " is missing");
    }
    std::memcpy(arguments->data() + place.offset, params[i], place.size);
  }
  return Error::kSuccess;
}

// A list of markers, each with its value behind it.
Error ReadBlock(void** extra, const sim::Function& function, std::vector<std::byte>* arguments) {
  const void* block = nullptr;
  size_t size = 0;
  for (; reinterpret_cast<uintptr_t>(*extra) != CU_LAUNCH_PARAM_END_AS_INT; extra += 2) {
    if (reinterpret_cast<uintptr_t>(*extra) == CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT) {
      block = extra[1];
    } else if (reinterpret_cast<uintptr_t>(*extra) == CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT) {
      size = *static_cast<const size_t*>(extra[1]);
    } else {
      return Complain(function, "an unknown marker among the extra parameters");
    }
  }
  // Padding at the end is allowed.
  const size_t needed = arguments->size();
  if (block == nullptr || size < needed || size > (needed + 15) / 16 * 16) {
    return Complain(function, std::to_string(size) + " bytes of parameters, expected " + std::to_string(needed));
  }
  std::memcpy(arguments->data(), block, needed);
  return Error::kSuccess;
}

Error SubmitLaunch(const CUDA_KERNEL_NODE_PARAMS& params, CUstream stream) {
  const auto queue = FindStream(stream);
  if (queue == nullptr) return Error::kInvalidHandle;
  sim::Launch launch;
  const Error error = MakeLaunch(params, &launch);
  if (error != Error::kSuccess) return error;
  if (launch.function->context != queue->context()) return Error::kInvalidHandle;
  queue->Submit(sim::LaunchWork(std::move(launch)));
  return Error::kSuccess;
}

}  // namespace

Error MakeLaunch(const CUDA_KERNEL_NODE_PARAMS& params, sim::Launch* launch) {
  launch->function = Runtime::Get().functions.Find(params.func);
  if (launch->function == nullptr) return Error::kInvalidHandle;
  launch->grid = {params.gridDimX, params.gridDimY, params.gridDimZ};
  launch->block = {params.blockDimX, params.blockDimY, params.blockDimZ};
  launch->dynamic_shared = params.sharedMemBytes;
  const Error error = sim::CheckLaunch(*launch);
  if (error != Error::kSuccess) return error;
  const sim::Function& function = *launch->function;
  launch->arguments.resize(function.ArgumentSize());
  if (params.kernelParams != nullptr && params.extra != nullptr) return Complain(function, "parameters come twice");
  return params.extra != nullptr ? ReadBlock(params.extra, function, &launch->arguments)
                                 : ReadPointers(params.kernelParams, function, &launch->arguments);
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void** params, void** extra) {
  return Call(__func__, Requires::kContext, [&] {
    return SubmitLaunch(
        {function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, params, extra, nullptr, nullptr},
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
    return SubmitLaunch({function, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
                         config->blockDimY, config->blockDimZ, config->sharedMemBytes, params, extra, nullptr, nullptr},
                        config->hStream);
  });
}

}  // namespace halyard::cuda::abi
