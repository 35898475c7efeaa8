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

using Attributes = std::map<CUdevice_attribute, int>;

// Of each device. Protected by the runtime's lock.
std::vector<Attributes>& AllAttributes() {
  static auto* const all = new std::vector<Attributes>;
  return *all;
}

Attributes H200(int ordinal) {
  return {
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
      {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
      {CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, 0},
      {CU_DEVICE_ATTRIBUTE_INTEGRATED, 0},
      {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0},
      {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
      {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 1},
      {CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 0x1A + ordinal},
      {CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 0},
      {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 0},
      {CU_DEVICE_ATTRIBUTE_TCC_DRIVER, 0},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3201000},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6016},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 62914560},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
      {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3},
      {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
      {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
      {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
      {CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, 0},
      {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 0},
      {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
      {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
      {CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES, 0},
      {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 0},
      {CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 0},
      {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
      {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED, 0},
      {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, 9},
      {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 1},
      {CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 1},
      {CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, 1},
      {CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS, 1},
      {CU_DEVICE_ATTRIBUTE_NUMA_ID, -1},
  };
}

// What follows from the attributes for the engine.
void ApplyLimits(CUdevice ordinal) {
  Attributes& attributes = AllAttributes()[static_cast<size_t>(ordinal)];
  const auto size = [&](CUdevice_attribute attribute) { return static_cast<uint32_t>(attributes[attribute]); };
  sim::Limits& limits = FindDevice(ordinal)->limits;
  limits.block = {size(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X), size(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                  size(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)};
  limits.grid = {size(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), size(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                 size(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)};
  limits.threads_per_block = size(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  limits.shared_memory = size(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  limits.shared_memory_opt_in = size(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  limits.stream_memory_operations = size(CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS) != 0;
  limits.pools = size(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0;
  limits.managed_memory = size(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY) != 0;
}

std::optional<CUdevice_attribute> AttributeByName(std::string_view name) {
#define HALYARD_SIM_NAME(attribute, value) \
  if (std::string_view(#attribute) == "CU_DEVICE_ATTRIBUTE_" + std::string(name)) return attribute;
  HALYARD_CUdevice_attribute(HALYARD_SIM_NAME, HALYARD_SIM_NAME);
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

std::optional<int> AttributeOf(CUdevice device, CUdevice_attribute attribute) {
  const Attributes& attributes = AllAttributes()[static_cast<size_t>(device)];
  const auto found = attributes.find(attribute);
  return found == attributes.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace halyard::cuda::abi

namespace halyard::sim {

bool SetVendorAttribute(int device, int attribute, int value) {
  if (cuda::abi::FindDevice(device) == nullptr) return false;
  auto& attributes = cuda::abi::AllAttributes()[static_cast<size_t>(device)];
  const auto found = attributes.find(static_cast<cuda::CUdevice_attribute>(attribute));
  if (found == attributes.end()) return false;
  found->second = value;
  cuda::abi::ApplyLimits(device);
  return true;
}

}  // namespace halyard::sim
