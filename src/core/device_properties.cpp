// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/device_properties.h"

#include <algorithm>
#include <iterator>

#include "core/device_queries.h"
#include "core/peer/peer_routes.h"
#include "core/public_call.h"
#include "core/validation/checks.h"
#include "driver_kit/device/blank_properties.h"
#include "platform/shared_memory.h"

namespace halyard {
namespace {

/// Whether the host reads and writes all memory of a device as its own. A driver that tells of no heaps has others.
Status HasHostMemoryOnly(hal_device_t* device, bool* out) {
  HostVector<hal_memory_heap_t> heaps;
  const auto query = [&](size_t* count, hal_memory_heap_t* list) {
    return FromC(VtableOf(device->allocator)->query_heaps(device->allocator, count, list));
  };
  *out = false;
  if (Status status = ReadStructList(HAL_INIT(hal_memory_heap_t), query, &heaps); status != kOk) {
    if (status.code() != HAL_STATUS_UNIMPLEMENTED) return status;
    status.Ignore();
    return kOk;
  }
  *out = std::ranges::all_of(heaps, [](const auto& heap) { return IsLikeHostMemory(heap.memory_type); });
  return kOk;
}

Status ReadProperties(hal_device_t* device, hal_device_properties_t* out) {
  *out = BlankProperties();
  return FromC(VtableOf(device)->query_properties(device, out));
}

bool SamePlace(const hal_pci_address_t& a, const hal_pci_address_t& b) {
  return a.domain == b.domain && a.bus == b.bus && a.device == b.device && a.function == b.function;
}

// A UUID says more than an address, which all parts of a divided device have in common.
bool SameHardware(const hal_device_properties_t& a, const hal_device_properties_t& b) {
  if (a.has_uuid && b.has_uuid) return std::equal(std::begin(a.uuid), std::end(a.uuid), std::begin(b.uuid));
  return a.has_pci_address && b.has_pci_address && SamePlace(a.pci_address, b.pci_address);
}

hal_peer_properties_t NoConnection() {
  hal_peer_properties_t properties = HAL_INIT(hal_peer_properties_t);
  properties.performance_rank = -1;
  return properties;
}

/// What the driver of `device` knows of a device of any driver. What two drivers have in common is the host, so the
/// device takes of the other what it takes of itself through the host. A driver may be older than the question of a
/// device for itself, and refuse it.
Status AskDriver(hal_device_t* device, hal_device_t* other, hal_peer_properties_t* out) {
  if (device != other && SameDriver(device, other)) return FromC(VtableOf(device)->query_peer(device, other, out));
  hal_peer_properties_t own = NoConnection();
  if (!Succeeds(FromC(VtableOf(device)->query_peer(device, device, &own)))) return kOk;
  if (device == other) {
    *out = own;
  } else {
    out->memory_handles = own.memory_handles & HAL_PEER_HANDLE_HOST_POINTER;
  }
  return kOk;
}

hal_peer_link_t LinkOf(const hal_device_properties_t& a, const hal_device_properties_t& b) {
  if (a.kind == HAL_DEVICE_KIND_CPU || b.kind == HAL_DEVICE_KIND_CPU) return HAL_PEER_LINK_HOST;
  return a.has_pci_address && b.has_pci_address ? HAL_PEER_LINK_PCIE : HAL_PEER_LINK_UNKNOWN;
}

Status FindRoute(hal_device_t* device, hal_device_t* other, hal_copy_route_t* out) {
  bool mine = false;
  bool theirs = false;
  HAL_TRY(HasHostMemoryOnly(device, &mine));
  HAL_TRY(HasHostMemoryOnly(other, &theirs));
  *out = mine || theirs ? HAL_COPY_ROUTE_HOST : HAL_COPY_ROUTE_STAGED;
  return kOk;
}

/// What the driver leaves unknown: memory with an address of the host.
Status FindShare(hal_device_t* device, hal_device_t* other, hal_peer_properties_t* out) {
  if (device == other) out->share = HAL_PEER_SHARE_ALL;
  if (out->share != HAL_PEER_SHARE_NONE || (out->memory_handles & HAL_PEER_HANDLE_HOST_POINTER) == 0) return kOk;
  bool all = false;
  HAL_TRY(HasHostMemoryOnly(other, &all));
  out->share = all ? HAL_PEER_SHARE_ALL : HAL_PEER_SHARE_HOST;
  return kOk;
}

/// What the library itself does for all drivers: memory of the host in a file goes to each device that imports memory
/// of the host, and to a queue a shared timeline is as any of another driver.
void AddHostHandles(hal_device_t* other, hal_peer_properties_t* out) {
  if (!kSharesHostMemory) return;
  out->semaphore_handles |= HAL_PEER_HANDLE_HOST_FD;
  hal_peer_properties_t theirs = NoConnection();
  if ((out->memory_handles & HAL_PEER_HANDLE_HOST_POINTER) == 0) return;
  if (!Succeeds(FromC(VtableOf(other)->query_peer(other, other, &theirs)))) return;
  if (theirs.memory_handles & HAL_PEER_HANDLE_HOST_POINTER) out->memory_handles |= HAL_PEER_HANDLE_HOST_FD;
}

}  // namespace

Status DescribePeer(hal_device_t* device, hal_device_t* other, hal_peer_properties_t* out) {
  hal_device_properties_t mine;
  HAL_TRY(ReadProperties(device, &mine));
  hal_device_properties_t theirs;
  HAL_TRY(ReadProperties(other, &theirs));
  HAL_TRY(AskDriver(device, other, out));
  AddHostHandles(other, out);
  if (device == other || SameHardware(mine, theirs)) {
    out->relation = HAL_PEER_RELATION_SAME;
    out->native_atomics = true;
    out->performance_rank = 0;
  }
  if (out->relation == HAL_PEER_RELATION_SAME) out->link = HAL_PEER_LINK_SAME;
  if (out->link == HAL_PEER_LINK_UNKNOWN) out->link = LinkOf(mine, theirs);
  HAL_TRY(FindShare(device, other, out));
  if (device == other) out->copy_route = HAL_COPY_ROUTE_DIRECT;
  return out->copy_route == HAL_COPY_ROUTE_UNKNOWN ? FindRoute(device, other, &out->copy_route) : kOk;
}

namespace {

Status QueryProperties(hal_device_t* device, hal_device_properties_t* out_properties) {
  HAL_TRY(CheckNotNull("device", device));
  hal_device_properties_t properties;
  HAL_TRY(ReadProperties(device, &properties));
  return WriteStruct("out_properties", properties, out_properties);
}

}  // namespace

Status QueryPeer(hal_device_t* device, hal_device_t* other, hal_peer_properties_t* out_properties) {
  HAL_TRY(CheckNotNull("device", device));
  HAL_TRY(CheckNotNull("other", other));
  hal_peer_properties_t properties = NoConnection();
  HAL_TRY(DescribePeer(device, other, &properties));
  return WriteStruct("out_properties", properties, out_properties);
}

}  // namespace halyard

hal_status_t hal_device_query_properties(hal_device_t* device, hal_device_properties_t* out_properties) {
  return halyard::Public([&] { return halyard::QueryProperties(device, out_properties); });
}

hal_status_t hal_device_query_peer(hal_device_t* device, hal_device_t* other, hal_peer_properties_t* out_properties) {
  return halyard::Public([&] { return halyard::QueryPeer(device, other, out_properties); });
}
