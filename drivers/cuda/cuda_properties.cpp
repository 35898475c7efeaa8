// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a CUDA device is made of, for CudaApi.
#include <array>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "cuda/cuda_api.h"
#include "driver_kit/device/system_facts.h"

namespace halyard::cuda {
namespace {

constexpr hal_string_view_t kFormats[] = {HAL_STRING_LITERAL("cubin"), HAL_STRING_LITERAL("fatbin"),
                                          HAL_STRING_LITERAL("ptx")};

// As the PTX manual has it for each instruction: fma.rn.f16 from sm_53, fma.rn.bf16 from sm_80, atom.add of f64 from
// sm_60, of f16 from sm_70 and of bf16 from sm_90.
hal_data_types_t DataTypesOf(int compute_capability) {
  constexpr struct {
    int capability;
    hal_data_types_t types;
  } kSince[] = {{0, HAL_DATA_TYPE_FLOAT64 | HAL_DATA_TYPE_INT64_ATOMICS | HAL_DATA_TYPE_FLOAT32_ATOMIC_ADD},
                {53, HAL_DATA_TYPE_FLOAT16},
                {60, HAL_DATA_TYPE_FLOAT64_ATOMIC_ADD},
                {70, HAL_DATA_TYPE_FLOAT16_ATOMIC_ADD},
                {80, HAL_DATA_TYPE_BFLOAT16},
                {90, HAL_DATA_TYPE_BFLOAT16_ATOMIC_ADD}};
  hal_data_types_t types = HAL_DATA_TYPES_NONE;
  for (const auto& since : kSince) {
    if (compute_capability >= since.capability) types |= since.types;
  }
  return types;
}

// The vendor counts 1000 * major + 10 * minor.
HostString VersionText(int version) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%d.%d", version / 1000, version % 1000 / 10);
  return text.data();
}

}  // namespace

Status CudaApi::ReadProperties(int version) {
  hal_device_properties_t& p = properties_;
  int integrated = 0, clock = 0, warp = 0, l2_cache = 0, domain = 0, bus = 0, slot = 0;
  const AttributeValue wanted[] = {
      {CU_DEVICE_ATTRIBUTE_INTEGRATED, &integrated}, {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &clock},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, &warp},        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &l2_cache},
      {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, &domain},  {CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, &bus},
      {CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, &slot}};
  HAL_TRY(ReadAttributes(wanted));
  CUuuid uuid{};
  HAL_TRY(HALYARD_CUDA(cuda_, cuDeviceGetUuid_v2, (&uuid, device_)));
  static_assert(sizeof(uuid.bytes) == sizeof(p.uuid));
  std::memcpy(p.uuid, uuid.bytes, sizeof(p.uuid));
  p.has_uuid = true;
  p.pci_address = {static_cast<uint32_t>(domain), static_cast<uint32_t>(bus), static_cast<uint32_t>(slot), 0};
  p.has_pci_address = true;
  p.kind = integrated != 0 ? HAL_DEVICE_KIND_INTEGRATED : HAL_DEVICE_KIND_DISCRETE;
  p.vendor_id = 0x10DE;
  p.vendor = HAL_STRING_LITERAL("NVIDIA");
  p.driver_name = HAL_STRING_LITERAL("CUDA");
  driver_version_ = VersionText(version);
  p.driver_version = ToC(driver_version_);
  p.numa_node = NumaNodeOf(p.pci_address);
  architecture_ = HostString("sm_").append(std::to_string(compute_capability_));
  p.architecture = ToC(architecture_);
  p.compute_units = traits_.compute_units;
  p.max_clock_khz = static_cast<uint32_t>(clock);
  p.min_subgroup_size = p.max_subgroup_size = static_cast<uint32_t>(warp);
  p.l2_cache_size = static_cast<uint64_t>(l2_cache);
  p.data_types = DataTypesOf(compute_capability_);
  p.formats = {std::size(kFormats), kFormats};
  return kOk;
}

Status CudaApi::DescribePeer(const NativeApi& other, hal_peer_properties_t* out_properties) const {
  const CUdevice peer = static_cast<const CudaApi&>(other).device_;
  int can = 0;
  HAL_TRY(HALYARD_CUDA(cuda_, cuDeviceCanAccessPeer, (&can, device_, peer)));
  if (can == 0) return kOk;
  const auto ask = [&](CUdevice_P2PAttribute attribute, int* value) {
    return HALYARD_CUDA(cuda_, cuDeviceGetP2PAttribute, (value, attribute, device_, peer));
  };
  int atomics = 0;
  int rank = 0;
  HAL_TRY(ask(CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, &atomics));
  HAL_TRY(ask(CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, &rank));
  out_properties->relation = HAL_PEER_RELATION_ACCESS;
  out_properties->native_atomics = atomics != 0;
  out_properties->performance_rank = rank;
  return kOk;
}

Status CudaApi::AvailableMemory(uint64_t* out_bytes) {
  const CaptureExemption exempt(cuda_);
  size_t free = 0;
  size_t total = 0;
  HAL_TRY(HALYARD_CUDA(cuda_, cuMemGetInfo_v2, (&free, &total)));
  *out_bytes = free;
  return kOk;
}

}  // namespace halyard::cuda
