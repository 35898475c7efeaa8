// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an AMD Instinct MI300X says about itself, or an RX 7900 where the architecture is that of such devices.
#include <string>

#include "hip/call.h"

namespace halyard::sim {

using namespace hip::abi;  // NOLINT(google-build-using-namespace): what this layer provides is about HIP's names

Attributes StandardAttributes(int ordinal) {
  const bool is_rdna = Runtime::Get().settings.architecture.starts_with("gfx1");
  return {
      {hipDeviceAttributeClockRate, is_rdna ? 2482000 : 2100000},
      {hipDeviceAttributeConcurrentManagedAccess, 1},
      {hipDeviceAttributeIntegrated, 0},
      {hipDeviceAttributeL2CacheSize, is_rdna ? 6291456 : 4194304},
      {hipDeviceAttributeMaxBlockDimX, 1024},
      {hipDeviceAttributeMaxBlockDimY, 1024},
      {hipDeviceAttributeMaxBlockDimZ, 1024},
      {hipDeviceAttributeMaxGridDimX, 2147483647},
      {hipDeviceAttributeMaxGridDimY, 65536},
      {hipDeviceAttributeMaxGridDimZ, 65536},
      {hipDeviceAttributeMaxThreadsPerBlock, 1024},
      {hipDeviceAttributeMultiprocessorCount, is_rdna ? 48 : 304},
      {hipDeviceAttributePciBusId, 0xE3 + ordinal},
      {hipDeviceAttributePciDeviceId, 0},
      {hipDeviceAttributePciDomainID, 0},
      {hipDeviceAttributeMaxSharedMemoryPerBlock, 65536},
      {hipDeviceAttributeWarpSize, is_rdna ? 32 : 64},
      {hipDeviceAttributeMemoryPoolsSupported, 1},
  };
}

std::optional<int> AttributeNumber(std::string_view name) {
#define HALYARD_SIM_NAME(attribute, value) \
  if (std::string_view(#attribute) == "hipDeviceAttribute" + std::string(name)) return value;
  HALYARD_hipDeviceAttribute_t(HALYARD_SIM_NAME);
#undef HALYARD_SIM_NAME
  return std::nullopt;
}

// Streams write 64 bits on every device; memory for workgroups needs no opt-in.
void ApplyLimits(const Attributes& attributes, Limits* limits) {
  const auto number = [&](hipDeviceAttribute_t attribute) { return static_cast<uint32_t>(attributes.at(attribute)); };
  limits->block = {number(hipDeviceAttributeMaxBlockDimX), number(hipDeviceAttributeMaxBlockDimY),
                   number(hipDeviceAttributeMaxBlockDimZ)};
  limits->grid = {number(hipDeviceAttributeMaxGridDimX), number(hipDeviceAttributeMaxGridDimY),
                  number(hipDeviceAttributeMaxGridDimZ)};
  limits->threads_per_block = number(hipDeviceAttributeMaxThreadsPerBlock);
  limits->shared_memory = limits->shared_memory_opt_in = number(hipDeviceAttributeMaxSharedMemoryPerBlock);
  limits->pools = number(hipDeviceAttributeMemoryPoolsSupported) != 0;
}

}  // namespace halyard::sim
