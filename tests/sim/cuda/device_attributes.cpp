// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/device_attributes.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/call.h"
#include "engine/vendor.h"

namespace halyard::cuda::abi {
namespace {

using Attributes = std::map<DeviceAttribute, int>;

// Of each device. Protected by the runtime's lock.
std::vector<Attributes>& AllAttributes() {
  static auto* const all = new std::vector<Attributes>;
  return *all;
}

Attributes H200(int ordinal) {
  using enum DeviceAttribute;
  return {
      {kMaxThreadsPerBlock, 1024},
      {kMaxBlockDimX, 1024},
      {kMaxBlockDimY, 1024},
      {kMaxBlockDimZ, 64},
      {kMaxGridDimX, 2147483647},
      {kMaxGridDimY, 65535},
      {kMaxGridDimZ, 65535},
      {kMaxSharedMemoryPerBlock, 49152},
      {kTotalConstantMemory, 65536},
      {kWarpSize, 32},
      {kMaxRegistersPerBlock, 65536},
      {kClockRate, 1980000},
      {kMultiprocessorCount, 132},
      {kKernelExecTimeout, 0},
      {kIntegrated, 0},
      {kCanMapHostMemory, 1},
      {kComputeMode, 0},
      {kConcurrentKernels, 1},
      {kEccEnabled, 1},
      {kPciBusId, 0x1A + ordinal},
      {kPciDeviceId, 0},
      {kPciDomainId, 0},
      {kTccDriver, 0},
      {kMemoryClockRate, 3201000},
      {kGlobalMemoryBusWidth, 6016},
      {kL2CacheSize, 62914560},
      {kMaxThreadsPerMultiprocessor, 2048},
      {kAsyncEngineCount, 3},
      {kUnifiedAddressing, 1},
      {kComputeCapabilityMajor, 9},
      {kComputeCapabilityMinor, 0},
      {kStreamPrioritiesSupported, 1},
      {kMaxSharedMemoryPerMultiprocessor, 233472},
      {kMaxRegistersPerMultiprocessor, 65536},
      {kManagedMemory, 1},
      {kHostNativeAtomicSupported, 0},
      {kPageableMemoryAccess, 0},
      {kConcurrentManagedAccess, 1},
      {kComputePreemptionSupported, 1},
      {kCanUseHostPointerForRegisteredMem, 1},
      {kCooperativeLaunch, 1},
      {kMaxSharedMemoryPerBlockOptin, 232448},
      {kCanFlushRemoteWrites, 0},
      {kHostRegisterSupported, 1},
      {kPageableMemoryAccessUsesHostPageTables, 0},
      {kDirectManagedMemAccessFromHost, 0},
      {kVirtualMemoryManagementSupported, 1},
      {kMaxBlocksPerMultiprocessor, 32},
      {kReservedSharedMemoryPerBlock, 1024},
      {kReadOnlyHostRegisterSupported, 0},
      {kMemoryPoolsSupported, 1},
      {kMempoolSupportedHandleTypes, 9},
      {kClusterLaunch, 1},
      {kCanUse64BitStreamMemOps, 1},
      {kCanUseStreamWaitValueNor, 1},
      {kUnifiedFunctionPointers, 1},
      {kNumaId, -1},
  };
}

// What follows from the attributes for the engine.
void ApplyLimits(Device ordinal) {
  using enum DeviceAttribute;
  Attributes& attributes = AllAttributes()[static_cast<size_t>(ordinal)];
  const auto size = [&](DeviceAttribute attribute) { return static_cast<uint32_t>(attributes[attribute]); };
  sim::Limits& limits = FindDevice(ordinal)->limits;
  limits.block = {size(kMaxBlockDimX), size(kMaxBlockDimY), size(kMaxBlockDimZ)};
  limits.grid = {size(kMaxGridDimX), size(kMaxGridDimY), size(kMaxGridDimZ)};
  limits.threads_per_block = size(kMaxThreadsPerBlock);
  limits.shared_memory = size(kMaxSharedMemoryPerBlock);
  limits.shared_memory_opt_in = size(kMaxSharedMemoryPerBlockOptin);
  limits.stream_memory_operations = size(kCanUse64BitStreamMemOps) != 0;
  limits.pools = size(kMemoryPoolsSupported) != 0;
  limits.managed_memory = size(kManagedMemory) != 0;
}

std::optional<DeviceAttribute> AttributeByName(std::string_view name) {
#define HALYARD_SIM_NAME(ours, vendor, value) \
  if (std::string_view(#vendor) == "CU_DEVICE_ATTRIBUTE_" + std::string(name)) return DeviceAttribute::ours;
  HALYARD_CUDA_DEVICE_ATTRIBUTES(HALYARD_SIM_NAME, HALYARD_SIM_NAME)
#undef HALYARD_SIM_NAME
  return std::nullopt;
}

// One NAME=VALUE, for all devices.
void Override(std::string_view text) {
  const size_t equals = text.find('=');
  const auto attribute = AttributeByName(text.substr(0, equals));
  if (equals == std::string_view::npos || !attribute) {
    std::fprintf(stderr, "halyard sim: HALYARD_SIM_ATTRIBUTES has '%s', which is no attribute and value\n",
                 std::string(text).c_str());
    return;
  }
  const int value = std::atoi(std::string(text.substr(equals + 1)).c_str());
  for (Attributes& attributes : AllAttributes()) attributes[*attribute] = value;
}

}  // namespace

void StartAttributes() {
  const Runtime& runtime = Runtime::Get();
  const int count = static_cast<int>(runtime.devices.size());
  for (int i = 0; i < count; ++i) AllAttributes().push_back(H200(i));
  for (std::string_view text = runtime.settings.attributes; !text.empty();) {
    const size_t end = std::min(text.find(','), text.size());
    Override(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  for (int i = 0; i < count; ++i) ApplyLimits(i);
}

std::optional<int> AttributeOf(Device device, DeviceAttribute attribute) {
  const Attributes& attributes = AllAttributes()[static_cast<size_t>(device)];
  const auto found = attributes.find(attribute);
  return found == attributes.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace halyard::cuda::abi

namespace halyard::sim {

bool SetVendorAttribute(int device, int attribute, int value) {
  using cuda::abi::DeviceAttribute;
  if (cuda::abi::FindDevice(device) == nullptr) return false;
  auto& attributes = cuda::abi::AllAttributes()[static_cast<size_t>(device)];
  const auto found = attributes.find(static_cast<DeviceAttribute>(attribute));
  if (found == attributes.end()) return false;
  found->second = value;
  cuda::abi::ApplyLimits(device);
  return true;
}

}  // namespace halyard::sim
