// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/graph_params.h"

#include <utility>

#include "cuda/launch_params.h"
#include "engine/transfer.h"

namespace halyard::cuda::abi {
namespace {

// One row of bytes is all that is simulated.
bool IsRow(const Memcpy3d& params) {
  return params.height == 1 && params.depth == 1 && params.src_y == 0 && params.src_z == 0 && params.dst_y == 0 &&
         params.dst_z == 0;
}

uintptr_t SideAddress(MemoryType type, const void* host, DevicePtr device, size_t offset) {
  const auto base = type == MemoryType::kHost ? reinterpret_cast<uintptr_t>(host) : static_cast<uintptr_t>(device);
  return base + offset;
}

bool IsSimulated(MemoryType type) {
  return type == MemoryType::kHost || type == MemoryType::kDevice || type == MemoryType::kUnified;
}

}  // namespace

Error MakeWork(const KernelNodeParams* params, sim::Work* work) {
  if (params == nullptr) return Error::kInvalidValue;
  sim::Launch launch;
  const Error error = MakeLaunch(*params, &launch);
  if (error != Error::kSuccess) return error;
  *work = sim::LaunchWork(launch);
  work->launch = std::make_shared<const sim::Launch>(std::move(launch));
  return error;
}

Error MakeWork(const Memcpy3d* params, sim::Work* work) {
  if (params == nullptr) return Error::kInvalidValue;
  if (!IsRow(*params) || !IsSimulated(params->src_memory_type) || !IsSimulated(params->dst_memory_type)) {
    return Error::kNotSupported;
  }
  const sim::Copy copy = {
      SideAddress(params->dst_memory_type, params->dst_host, params->dst_device, params->dst_x_in_bytes),
      SideAddress(params->src_memory_type, params->src_host, params->src_device, params->src_x_in_bytes),
      params->width_in_bytes, params->dst_memory_type != MemoryType::kDevice,
      params->src_memory_type != MemoryType::kDevice};
  const Error error = sim::CheckCopy(copy);
  if (error == Error::kSuccess) *work = sim::CopyWork(copy);
  return error;
}

Error MakeWork(const MemsetNodeParams* params, sim::Work* work) {
  if (params == nullptr || params->width == 0 || params->height == 0) return Error::kInvalidValue;
  if (params->height != 1) return Error::kNotSupported;
  const sim::Fill fill = {static_cast<uintptr_t>(params->dst), params->value, params->element_size, params->width};
  const Error error = sim::CheckFill(fill);
  if (error == Error::kSuccess) *work = sim::FillWork(fill);
  return error;
}

Error MakeWork(const HostNodeParams* params, sim::Work* work) {
  if (params == nullptr || params->fn == nullptr) return Error::kInvalidValue;
  *work = sim::HostFunctionWork(params->fn, params->user_data);
  return Error::kSuccess;
}

}  // namespace halyard::cuda::abi
