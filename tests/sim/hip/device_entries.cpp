// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices: which there are, what they are, and which is current.
#include <cstdio>
#include <cstring>

#include "hip/call.h"
#include "hip/entry_points.h"
#include "stream_api/attributes.h"

namespace halyard::hip::abi {
namespace {

// 16 characters of text, with the device in the last.
Error WriteUuid(hipUUID* uuid, hipDevice_t device) {
  if (uuid == nullptr) return Error::kInvalidValue;
  char text[sizeof(uuid->bytes) + 1];
  std::snprintf(text, sizeof(text), "5ca1ab1e%08x", static_cast<unsigned>(device));
  std::memcpy(uuid->bytes, text, sizeof(uuid->bytes));
  return Error::kSuccess;
}

Error WriteBusId(char* text, int capacity, int device) {
  char id[16];
  const int bus = AttributeOf(device, hipDeviceAttributePciBusId).value_or(0);
  std::snprintf(id, sizeof(id), "0000:%02x:00.0", static_cast<unsigned>(bus) & 0xFFU);
  return CopyText(id, text, capacity);
}

}  // namespace

hipError_t hipGetDeviceCount(int* count) {
  return Call(__func__, [&] { return DeviceCount(count); });
}

hipError_t hipGetDevice(int* device) {
  return Call(__func__, [&] { return CurrentDevice(device); });
}

hipError_t hipSetDevice(int device) {
  return Call(__func__, [&] {
    const Device* found = FindDevice(device);
    if (found == nullptr) return Error::kInvalidDevice;
    ContextStack() = {found->primary};
    return Error::kSuccess;
  });
}

hipError_t hipDeviceGetName(char* name, int capacity, hipDevice_t device) {
  return Call(__func__, [&] {
    return FindDevice(device) == nullptr ? Error::kInvalidDevice : CopyText(kDeviceName, name, capacity);
  });
}

hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  return Call(__func__,
              [&] { return FindDevice(device) == nullptr ? Error::kInvalidDevice : WriteUuid(uuid, device); });
}

hipError_t hipDeviceGetPCIBusId(char* text, int capacity, int device) {
  return Call(__func__, [&] {
    return FindDevice(device) == nullptr ? Error::kInvalidDevice : WriteBusId(text, capacity, device);
  });
}

hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
  return Call(__func__, [&] { return TotalMemoryOf(device, bytes); });
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  return Call(__func__, [&] { return DeviceAttribute(device, static_cast<int>(attribute), value); });
}

hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  return Call(__func__, [&] { return PeerAccess(device, peer, can); });
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return Call(__func__, [&] {
    const auto current = CurrentContext();
    return peer == current->device.ordinal ? Error::kInvalidDevice : EnablePeer(*current, peer, flags);
  });
}

hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr attribute, int from, int to) {
  return Call(__func__, [&] {
    if (from == to) return Error::kInvalidDevice;
    const Error error = PeerAccess(from, to, value);
    if (error == Error::kSuccess && attribute == hipDevP2PAttrPerformanceRank) *value = 0;
    return error;
  });
}

}  // namespace halyard::hip::abi
