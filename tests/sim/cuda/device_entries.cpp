// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices: which there are and what they are.
#include <cstring>

#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "stream_api/attributes.h"

namespace halyard::cuda::abi {
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return Call(__func__, Requires::kInit, [&] {
    if (device == nullptr) return Error::kInvalidValue;
    if (FindDevice(ordinal) == nullptr) return Error::kInvalidDevice;
    *device = ordinal;
    return Error::kSuccess;
  });
}

CUresult cuDeviceGetCount(int* count) {
  return Call(__func__, Requires::kInit, [&] { return DeviceCount(count); });
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
  return Call(__func__, Requires::kInit, [&] { return TotalMemoryOf(device, bytes); });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return Call(__func__, Requires::kInit, [&] { return DeviceAttribute(device, attribute, value); });
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return Call(__func__, Requires::kInit, [&] { return PeerAccess(device, peer, can); });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to) {
  return Call(__func__, Requires::kInit, [&] {
    if (from == to) return Error::kInvalidDevice;
    const Error error = PeerAccess(from, to, value);
    if (error == Error::kSuccess && attribute == CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK) *value = 0;
    return error;
  });
}

}  // namespace halyard::cuda::abi
