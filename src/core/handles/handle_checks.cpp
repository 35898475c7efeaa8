// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/handles/handle_checks.h"

#include <algorithm>
#include <iterator>

#include "base/text/flag_words.h"
#include "core/device_properties.h"
#include "core/handles/shared_file.h"
#include "driver_kit/device/blank_properties.h"
#include "driver_kit/object/vtable.h"

namespace halyard {
namespace {

constexpr hal_peer_handles_t kOfDevices = HAL_PEER_HANDLE_OPAQUE_FD | HAL_PEER_HANDLE_DMA_BUF |
                                          HAL_PEER_HANDLE_VIRTUAL_FD | HAL_PEER_HANDLE_FABRIC | HAL_PEER_HANDLE_IPC;

bool IsDescriptor(hal_external_memory_type_t type) {
  return type == HAL_EXTERNAL_MEMORY_TYPE_OPAQUE_FD || type == HAL_EXTERNAL_MEMORY_TYPE_DMA_BUF ||
         type == HAL_EXTERNAL_MEMORY_TYPE_VIRTUAL_FD;
}

/// Handles that the device alone takes whose memory it is. A dma-buf is for any.
bool IsOfOneDevice(hal_external_memory_type_t type) {
  return type == HAL_EXTERNAL_MEMORY_TYPE_OPAQUE_FD || type == HAL_EXTERNAL_MEMORY_TYPE_VIRTUAL_FD ||
         type == HAL_EXTERNAL_MEMORY_TYPE_IPC || type == HAL_EXTERNAL_MEMORY_TYPE_FABRIC;
}

bool IsOfBytes(hal_external_memory_type_t type) {
  return type == HAL_EXTERNAL_MEMORY_TYPE_IPC || type == HAL_EXTERNAL_MEMORY_TYPE_FABRIC;
}

Status CheckUuid(hal_device_t* device, const hal_external_memory_t& memory) {
  if (std::ranges::all_of(memory.uuid, [](uint8_t byte) { return byte == 0; })) return kOk;
  hal_device_properties_t properties = BlankProperties();
  HAL_TRY(VtableOf(device)->query_properties(device, &properties));
  if (properties.has_uuid && std::ranges::equal(memory.uuid, properties.uuid)) return kOk;
  return FailWith(HAL_STATUS_INCOMPATIBLE,
                  "memory->uuid is not that of this device: it takes memory of its own alone as such a handle");
}

}  // namespace

Status CheckExports(hal_device_t* device, hal_peer_handles_t handles) {
  if ((handles & HAL_PEER_HANDLE_HOST_FD) != 0 && (handles & kOfDevices) != 0) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "params->handles is %s: HOST_FD is memory of the host, the others of a device",
                HandleWords(handles).c_str());
  }
  hal_peer_properties_t own = HAL_INIT(hal_peer_properties_t);
  HAL_TRY(DescribePeer(device, device, &own));
  const hal_peer_handles_t missing = handles & ~own.memory_handles;
  if (missing == 0) return kOk;
  return Fail(HAL_STATUS_UNIMPLEMENTED, "memory of the device does not leave as %s; it does as %s",
              HandleWords(missing).c_str(), HandleWords(own.memory_handles).c_str());
}

Status CheckHandle(hal_device_t* device, const hal_external_memory_t& memory) {
  if (memory.type == HAL_EXTERNAL_MEMORY_TYPE_WIN32) {
    return FailWith(HAL_STATUS_UNIMPLEMENTED, "memory->type is WIN32: the library does not run on Windows yet");
  }
  if (IsDescriptor(memory.type)) {
    int descriptor = -1;
    HAL_TRY(ReadDescriptor("memory->handle", memory.handle, &descriptor));
  }
  if (IsOfBytes(memory.type) && std::ranges::all_of(memory.bytes, [](uint8_t byte) { return byte == 0; })) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "memory->bytes are all 0: expected those of an exported handle");
  }
  return IsOfOneDevice(memory.type) ? CheckUuid(device, memory) : kOk;
}

Status SetUuid(hal_device_t* device, hal_external_memory_t* memory) {
  if (!IsOfOneDevice(memory->type)) return kOk;
  hal_device_properties_t properties = BlankProperties();
  HAL_TRY(VtableOf(device)->query_properties(device, &properties));
  if (properties.has_uuid) std::ranges::copy(properties.uuid, std::begin(memory->uuid));
  return kOk;
}

Status CheckRoom(const hal_external_memory_t& out_memory, hal_external_memory_type_t type) {
  if (IsPointer(type) || type >= HAL_EXTERNAL_MEMORY_TYPE_VENDOR_BEGIN) return kOk;
  if (out_memory.struct_size >= sizeof(hal_external_memory_t)) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "out_memory->struct_size is %zu; a handle needs %zu bytes",
              out_memory.struct_size, sizeof(hal_external_memory_t));
}

}  // namespace halyard
