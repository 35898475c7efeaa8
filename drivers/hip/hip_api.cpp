// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/hip_api.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "image/reflection/amd/amd_target.h"

namespace halyard::hip {
namespace {

constexpr hal_string_view_t kFormats[] = {HAL_STRING_LITERAL("hsaco"),
                                          HAL_STRING_LITERAL(HAL_EXECUTABLE_FORMAT_HIP_SOURCE)};

// hipGraphLaunch() of a wider graph runs past the streams that it has, and crashes, where those share the hardware
// queue of the stream that it is launched into (6.4.3). No version is known to be without that.
constexpr uint32_t kGraphChains = 1;
// A patch takes up to 5.5 KiB of device memory (354 MiB after 64,000 on an MI300X) until its graph is destroyed.
constexpr uint64_t kGraphPatches = 4096;
constexpr uint32_t kParameterBytes = 4096;

}  // namespace

Status HipApi::Describe() {
  HAL_TRY(ReadArchitecture());
  HAL_TRY(ReadTraits());
  HAL_TRY(ReadProperties());
  SetTraits();
  SetProperties();
  return kOk;
}

// No attribute has it. The function with the number fills the newer layout. The one without filled the older layout
// before 6.0, and has been the only name of the newer one since 7.15. So the text itself tells the layout.
Status HipApi::ReadArchitecture() {
  std::array<char, 4096> properties{};
  if (library_.hipGetDevicePropertiesR0600) {
    HAL_TRY(HALYARD_HIP(library_, hipGetDevicePropertiesR0600, (properties.data(), device_)));
  } else {
    HAL_TRY(HALYARD_HIP(library_, hipGetDeviceProperties, (properties.data(), device_)));
  }
  for (const size_t offset : {kArchitectureOffsetR0600, kArchitectureOffset}) {
    architecture_ = std::string_view(&properties[offset], strnlen(&properties[offset], kArchitectureSize - 1));
    if (architecture_.starts_with("gfx")) return kOk;
  }
  return Fail(HAL_STATUS_UNAVAILABLE, "'%s' tells no architecture of device %d: expected one like gfx90a",
              library_.path().c_str(), device_);
}

void HipApi::SetTraits() {
  traits_.stream_writes = true;
  traits_.max_constants_size = kParameterBytes;
  traits_.max_work_items = UINT32_MAX;
  traits_.graph_launches_overlap = true;
  traits_.max_graph_chains = kGraphChains;
  traits_.max_graph_patches = kGraphPatches;
  // The pattern of a memset node lies in memory that other graphs use again (6.4.3; AMD's change 1068 of September 2025
  // names the fault, and no version is known to be without it).
  traits_.graph_fills = false;
  traits_.graphs_pay = false;  // docs/hip-driver.md
  traits_.no_indirect_launches = "HIP has no such nodes";
}

void HipApi::SetProperties() {
  hal_device_properties_t& p = properties_;
  p.vendor_id = 0x1002;
  p.vendor = HAL_STRING_LITERAL("AMD");
  p.driver_name = HAL_STRING_LITERAL("HIP");
  const int version = library_.version();
  std::array<char, 48> text;
  std::snprintf(text.data(), text.size(), "%d.%d.%d", version / 10000000, version / 100000 % 100, version % 100000);
  driver_version_ = text.data();
  p.driver_version = ToC(driver_version_);
  p.architecture = ToC(architecture_);
  p.data_types = AmdDataTypes(architecture_);
  p.formats = {std::size(kFormats), kFormats};
}

Status HipApi::Enter(NativeCurrent* out_before) {
  HAL_TRY(HALYARD_HIP(library_, hipGetDevice, (&out_before->device)));
  if (out_before->device == device_) return kOk;
  HAL_TRY(HALYARD_HIP(library_, hipSetDevice, (device_)));
  out_before->changed = true;
  return kOk;
}

void HipApi::Leave(const NativeCurrent& before) {
  if (before.changed) library_.Ignore(library_.hipSetDevice(before.device));
}

Status HipApi::DescribePointer(uint64_t pointer, NativePointerKind* out_kind) {
  auto* const address = reinterpret_cast<void*>(pointer);
  *out_kind = NativePointerKind::kUnknown;
  unsigned char managed = 0;
  const hipError_t result = library_.hipPointerGetAttribute(&managed, HIP_POINTER_ATTRIBUTE_IS_MANAGED, address);
  if (result == hipErrorInvalidValue) {
    library_.Ignore(result);
    return kOk;
  }
  HAL_TRY(library_.Check("hipPointerGetAttribute", result));
  unsigned int type = 0;
  int owner = device_;
  if (managed == 0) {
    HAL_TRY(HALYARD_HIP(library_, hipPointerGetAttribute, (&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, address)));
    HAL_TRY(HALYARD_HIP(library_, hipPointerGetAttribute, (&owner, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address)));
  }
  const MemoryTypes& types = library_.memory_types();
  if (managed == 0 && type == types.host) {
    *out_kind = NativePointerKind::kHost;
  } else if (managed != 0 || type == types.device) {
    *out_kind = owner == device_ ? NativePointerKind::kDevice : NativePointerKind::kForeign;
  }
  return kOk;
}

Status HipApi::Copy(NativeStream stream, NativeAddress target, NativeAddress source, uint64_t length) {
  return HALYARD_HIP(library_, hipMemcpyAsync,
                     (reinterpret_cast<void*>(target), reinterpret_cast<const void*>(source), length, hipMemcpyDefault,
                      reinterpret_cast<hipStream_t>(stream)));
}

Status HipApi::PrefetchManaged(NativeStream stream, NativeAddress address, uint64_t length) {
  return HALYARD_HIP(library_, hipMemPrefetchAsync,
                     (reinterpret_cast<const void*>(address), length, device_, reinterpret_cast<hipStream_t>(stream)));
}

}  // namespace halyard::hip
