// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices: which there are and what they are.
#include <cstdio>
#include <cstring>

#include "cuda/call.h"
#include "cuda/device_attributes.h"
#include "cuda/entry_points.h"

namespace halyard::cuda::abi {
namespace {

// Copies a text as far as it fits, always ended by NUL.
Error CopyText(const char* text, char* out, int capacity) {
  if (out == nullptr || capacity <= 0) return Error::kInvalidValue;
  std::snprintf(out, static_cast<size_t>(capacity), "%s", text);
  return Error::kSuccess;
}

int PciBus(CUdevice device) { return AttributeOf(device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID).value_or(0); }

bool CanReach(CUdevice from, CUdevice to) {
  return from != to && FindDevice(from) != nullptr && FindDevice(to) != nullptr && Runtime::Get().settings.peer_access;
}

}  // namespace

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return Call(__func__, Requires::kInit, [&] {
    if (device == nullptr) return Error::kInvalidValue;
    if (FindDevice(ordinal) == nullptr) return Error::kInvalidDevice;
    *device = ordinal;
    return Error::kSuccess;
  });
}

CUresult cuDeviceGetCount(int* count) {
  return Call(__func__, Requires::kInit, [&] {
    if (count == nullptr) return Error::kInvalidValue;
    *count = static_cast<int>(Runtime::Get().devices.size());
    return Error::kSuccess;
  });
}

CUresult cuDeviceGetName(char* name, int capacity, CUdevice device) {
  return Call(__func__, Requires::kInit, [&] {
    return FindDevice(device) == nullptr ? Error::kInvalidDevice : CopyText(kDeviceName, name, capacity);
  });
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  return Call(__func__, Requires::kInit, [&] {
    if (uuid == nullptr) return Error::kInvalidValue;
    if (FindDevice(device) == nullptr) return Error::kInvalidDevice;
    std::memcpy(uuid->bytes, "halyard-sim-gpu", sizeof(uuid->bytes));
    uuid->bytes[15] = static_cast<char>(device);
    return Error::kSuccess;
  });
}

CUresult cuDeviceGetPCIBusId(char* text, int capacity, CUdevice device) {
  return Call(__func__, Requires::kInit, [&] {
    if (FindDevice(device) == nullptr) return Error::kInvalidDevice;
    char id[16];
    std::snprintf(id, sizeof(id), "0000:%02X:00.0", static_cast<unsigned>(PciBus(device)) & 0xFFU);
    return CopyText(id, text, capacity);
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  return Call(__func__, Requires::kInit, [&] {
    if (device == nullptr || text == nullptr) return Error::kInvalidValue;
    unsigned domain = 0;
    unsigned bus = 0;
    const bool has_domain = std::sscanf(text, "%x:%x:", &domain, &bus) == 2 && std::strlen(text) > 7;
    if (!has_domain && std::sscanf(text, "%x:", &bus) != 1) return Error::kInvalidValue;
    for (const auto& candidate : Runtime::Get().devices) {
      if (static_cast<unsigned>(PciBus(candidate->ordinal)) != bus) continue;
      *device = candidate->ordinal;
      return Error::kSuccess;
    }
    return Error::kInvalidDevice;
  });
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  return Call(__func__, Requires::kInit, [&] {
    if (bytes == nullptr) return Error::kInvalidValue;
    const sim::Device* found = FindDevice(device);
    if (found == nullptr) return Error::kInvalidDevice;
    *bytes = found->memory_size;
    return Error::kSuccess;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return Call(__func__, Requires::kInit, [&] {
    if (value == nullptr) return Error::kInvalidValue;
    if (FindDevice(device) == nullptr) return Error::kInvalidDevice;
    const std::optional<int> known = AttributeOf(device, attribute);
    if (!known) return Error::kInvalidValue;
    *value = *known;
    return Error::kSuccess;
  });
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return Call(__func__, Requires::kInit, [&] {
    if (can == nullptr) return Error::kInvalidValue;
    if (FindDevice(device) == nullptr || FindDevice(peer) == nullptr) return Error::kInvalidDevice;
    *can = CanReach(device, peer) ? 1 : 0;
    return Error::kSuccess;
  });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to) {
  return Call(__func__, Requires::kInit, [&] {
    if (value == nullptr) return Error::kInvalidValue;
    if (FindDevice(from) == nullptr || FindDevice(to) == nullptr || from == to) return Error::kInvalidDevice;
    *value = attribute != CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK && CanReach(from, to) ? 1 : 0;
    return Error::kSuccess;
  });
}

}  // namespace halyard::cuda::abi
