// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices: which there are and what they are.
#include <cstring>

#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "stream_api/attributes.h"

namespace halyard::cuda::abi {
namespace {

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
    return FindDevice(device) == nullptr ? Error::kInvalidDevice : CopyText("NVIDIA H200 (simulated)", name, capacity);
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
    return PciBusIdOf(AttributeOf(device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID).value_or(0), text, capacity);
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  return Call(__func__, Requires::kInit, [&] { return FindByPciBusId(text, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device); });
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
