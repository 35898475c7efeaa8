// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices: which there are, what they are, and which is current.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "engine/settings.h"
#include "hip/entry_points.h"
#include "hip/properties.h"
#include "hip_on_cuda/call.h"
#include "hip_on_cuda/launch_limits.h"

namespace halyard::hip::abi {
namespace {

constexpr std::array kAttributes = {
    std::pair{hipDeviceAttributeClockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
    std::pair{hipDeviceAttributeConcurrentManagedAccess, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS},
    std::pair{hipDeviceAttributeIntegrated, CU_DEVICE_ATTRIBUTE_INTEGRATED},
    std::pair{hipDeviceAttributeL2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
    std::pair{hipDeviceAttributeMaxBlockDimX, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X},
    std::pair{hipDeviceAttributeMaxBlockDimY, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y},
    std::pair{hipDeviceAttributeMaxBlockDimZ, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z},
    std::pair{hipDeviceAttributeMaxGridDimX, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X},
    std::pair{hipDeviceAttributeMaxGridDimY, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y},
    std::pair{hipDeviceAttributeMaxGridDimZ, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z},
    std::pair{hipDeviceAttributeMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
    std::pair{hipDeviceAttributeMultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
    std::pair{hipDeviceAttributePciBusId, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID},
    std::pair{hipDeviceAttributePciDeviceId, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID},
    std::pair{hipDeviceAttributePciDomainID, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID},
    std::pair{hipDeviceAttributeMaxSharedMemoryPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
    std::pair{hipDeviceAttributeWarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE},
    std::pair{hipDeviceAttributeMemoryPoolsSupported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED},
};

// 16 characters of text for CUDA's 16 bytes: digits of both halves in one, since devices may differ in either.
void WriteUuid(const CUuuid& from, hipUUID* uuid) {
  constexpr size_t kHalf = sizeof(uuid->bytes) / 2;
  char text[sizeof(uuid->bytes) + 1];
  for (size_t i = 0; i < kHalf; ++i) {
    const auto byte = static_cast<unsigned char>(from.bytes[i] ^ from.bytes[i + kHalf]);
    std::snprintf(text + 2 * i, 3, "%02x", byte);
  }
  std::memcpy(uuid->bytes, text, sizeof(uuid->bytes));
}

hipError_t Fill(const PropertiesLayout& layout, void* properties, int device) {
  return CallLibrary([&](const CudaFunctions& cuda) {
    if (properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::array<char, kArchitectureSize> name{};
    const CUresult result = cuda.cuDeviceGetName(name.data(), static_cast<int>(name.size()), device);
    static const std::string architecture = sim::ReadSettings().architecture;
    if (result == CUDA_SUCCESS) FillProperties(layout, name.data(), architecture, properties);
    return result;
  });
}

}  // namespace

hipError_t hipGetDeviceCount(int* count) {
  return CallLibrary([&](const CudaFunctions& cuda) { return cuda.cuDeviceGetCount(count); });
}

hipError_t hipGetDevice(int* device) {
  return CallLibrary([&](const CudaFunctions&) {
    if (device == nullptr) return hipErrorInvalidValue;
    *device = CurrentDevice();
    return LostBy();
  });
}

hipError_t hipSetDevice(int device) {
  return CallLibrary([&](const CudaFunctions& cuda) { return SetCurrentDevice(cuda, device); });
}

hipError_t hipDeviceGetName(char* name, int capacity, hipDevice_t device) {
  return CallLibrary([&](const CudaFunctions& cuda) { return cuda.cuDeviceGetName(name, capacity, device); });
}

hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  return CallLibrary([&](const CudaFunctions& cuda) {
    if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUuuid bytes{};
    const CUresult result = cuda.cuDeviceGetUuid_v2(&bytes, device);
    if (result == CUDA_SUCCESS) WriteUuid(bytes, uuid);
    return result;
  });
}

hipError_t hipDeviceGetPCIBusId(char* text, int capacity, int device) {
  return CallLibrary([&](const CudaFunctions& cuda) { return cuda.cuDeviceGetPCIBusId(text, capacity, device); });
}

hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
  return CallLibrary([&](const CudaFunctions& cuda) { return cuda.cuDeviceTotalMem_v2(bytes, device); });
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  return CallLibrary([&](const CudaFunctions& cuda) {
    const auto* const known = std::ranges::find(kAttributes, attribute, &decltype(kAttributes)::value_type::first);
    if (value == nullptr || known == kAttributes.end()) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = cuda.cuDeviceGetAttribute(value, known->second, device);
    if (attribute == hipDeviceAttributeMaxSharedMemoryPerBlock) *value = std::min(*value, kMostLocalMemory);
    return result;
  });
}

hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  return CallLibrary([&](const CudaFunctions& cuda) { return cuda.cuDeviceCanAccessPeer(can, device, peer); });
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return Call([&](const CudaFunctions& cuda) {
    CUcontext context = nullptr;
    const CUresult result = ContextOf(cuda, peer, &context);
    return result == CUDA_SUCCESS ? cuda.cuCtxEnablePeerAccess(context, flags) : result;
  });
}

hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr attribute, int from, int to) {
  const auto wanted = static_cast<CUdevice_P2PAttribute>(static_cast<int>(attribute) + 1);
  static_assert(hipDevP2PAttrNativeAtomicSupported + 1U == CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED);
  return CallLibrary([&](const CudaFunctions& cuda) { return cuda.cuDeviceGetP2PAttribute(value, wanted, from, to); });
}

hipError_t hipGetDeviceProperties(void* properties, int device) { return Fill(kOldLayout, properties, device); }

hipError_t hipGetDevicePropertiesR0600(void* properties, int device) { return Fill(kNewLayout, properties, device); }

}  // namespace halyard::hip::abi
