// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/device_properties.h"

#include <algorithm>
#include <iterator>

#include "core/validation/checks.h"
#include "driver_kit/device/blank_properties.h"

namespace halyard {
namespace {

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

Status FindRelation(hal_device_t* device, hal_device_t* other, hal_peer_properties_t* out) {
  hal_device_properties_t mine;
  HAL_TRY(ReadProperties(device, &mine));
  hal_device_properties_t theirs;
  HAL_TRY(ReadProperties(other, &theirs));
  if (device == other || SameHardware(mine, theirs)) {
    out->relation = HAL_PEER_RELATION_SAME;
    out->native_atomics = true;
    out->performance_rank = 0;
    return kOk;
  }
  // A driver opened twice, by two registries, has one set of tables.
  if (device->driver->tables != other->driver->tables) return kOk;
  return FromC(VtableOf(device)->query_peer(device, other, out));
}

Status QueryPeer(hal_device_t* device, hal_device_t* other, hal_peer_properties_t* out_properties) {
  HAL_TRY(CheckNotNull("device", device));
  HAL_TRY(CheckNotNull("other", other));
  hal_peer_properties_t properties = HAL_INIT(hal_peer_properties_t);
  properties.performance_rank = -1;
  HAL_TRY(FindRelation(device, other, &properties));
  return WriteStruct("out_properties", properties, out_properties);
}

Status QueryProperties(hal_device_t* device, hal_device_properties_t* out_properties) {
  HAL_TRY(CheckNotNull("device", device));
  hal_device_properties_t properties;
  HAL_TRY(ReadProperties(device, &properties));
  return WriteStruct("out_properties", properties, out_properties);
}

}  // namespace
}  // namespace halyard

hal_status_t hal_device_query_properties(hal_device_t* device, hal_device_properties_t* out_properties) {
  return halyard::Public([&] { return halyard::QueryProperties(device, out_properties); });
}

hal_status_t hal_device_query_peer(hal_device_t* device, hal_device_t* other, hal_peer_properties_t* out_properties) {
  return halyard::Public([&] { return halyard::QueryPeer(device, other, out_properties); });
}
