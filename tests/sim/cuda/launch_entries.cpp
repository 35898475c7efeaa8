// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
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
  for (; reinterpret_cast<uintptr_t>(*extra) != kLaunchParamEnd; extra += 2) {
    if (reinterpret_cast<uintptr_t>(*extra) == kLaunchParamBufferPointer) {
      block = extra[1];
    } else if (reinterpret_cast<uintptr_t>(*extra) == kLaunchParamBufferSize) {
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

Error SubmitLaunch(const KernelNodeParams& params, Stream stream) {
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

Error MakeLaunch(const KernelNodeParams& params, sim::Launch* launch) {
  launch->function = Runtime::Get().functions.Find(params.function);
  if (launch->function == nullptr) return Error::kInvalidHandle;
  launch->grid = {params.grid_dim_x, params.grid_dim_y, params.grid_dim_z};
  launch->block = {params.block_dim_x, params.block_dim_y, params.block_dim_z};
  launch->dynamic_shared = params.shared_mem_bytes;
  const Error error = sim::CheckLaunch(*launch);
  if (error != Error::kSuccess) return error;
  const sim::Function& function = *launch->function;
  launch->arguments.resize(function.ArgumentSize());
  if (params.kernel_params != nullptr && params.extra != nullptr) return Complain(function, "parameters come twice");
  return params.extra != nullptr ? ReadBlock(params.extra, function, &launch->arguments)
                                 : ReadPointers(params.kernel_params, function, &launch->arguments);
}

Result cuLaunchKernel(Function function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                      unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                      Stream stream, void** params, void** extra) {
  return Call(__func__, Requires::kContext, [&] {
    return SubmitLaunch(
        {function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, params, extra, nullptr, nullptr},
        stream);
  });
}

// The attributes are hints about speed, but for cooperative launches and clusters, which are not simulated.
Result cuLaunchKernelEx(const LaunchConfig* config, Function function, void** params, void** extra) {
  return Call(__func__, Requires::kContext, [&] {
    if (config == nullptr || (config->attribute_count != 0 && config->attributes == nullptr)) {
      return Error::kInvalidValue;
    }
    for (unsigned int i = 0; i < config->attribute_count; ++i) {
      const LaunchAttribute& attribute = config->attributes[i];
      if (attribute.id == LaunchAttributeId::kClusterDimension) return Error::kNotSupported;
      if (attribute.id == LaunchAttributeId::kCooperative && attribute.value.cooperative != 0) {
        return Error::kNotSupported;
      }
    }
    return SubmitLaunch(
        {function, config->grid_dim_x, config->grid_dim_y, config->grid_dim_z, config->block_dim_x, config->block_dim_y,
         config->block_dim_z, config->shared_mem_bytes, params, extra, nullptr, nullptr},
        config->stream);
  });
}

}  // namespace halyard::cuda::abi
