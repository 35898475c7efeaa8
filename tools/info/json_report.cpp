// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "flag_words.h"
#include "report.h"

namespace halyard::tools {
namespace {

Json DimJson(const hal_dim3_t& dim) { return {dim.x, dim.y, dim.z}; }

Json ReasonJson(const Reason& reason) {
  return {{"status", hal_status_name(reason.status)}, {"message", reason.message}};
}

Json HeapJson(const hal_memory_heap_t& heap) {
  return {{"memory_type", MemoryTypeWords(heap.memory_type)},
          {"usage", BufferUsageWords(heap.usage)},
          {"capacity", heap.capacity},
          {"max_allocation_size", heap.max_allocation_size},
          {"min_allocation_alignment", heap.min_allocation_alignment},
          {"available", heap.available}};
}

Json LimitsJson(const hal_device_limits_t& limits) {
  return {{"max_semaphore_value", limits.max_semaphore_value},
          {"max_semaphore_distance", limits.max_semaphore_distance},
          {"max_workgroup_count", DimJson(limits.max_workgroup_count)},
          {"max_workgroup_size", DimJson(limits.max_workgroup_size)},
          {"max_workgroup_volume", limits.max_workgroup_volume},
          {"max_local_memory", limits.max_local_memory},
          {"max_constants_size", limits.max_constants_size},
          {"max_bindings", limits.max_bindings},
          {"max_descriptor_sets", limits.max_descriptor_sets},
          {"binding_alignment", limits.binding_alignment},
          {"max_binding_range", limits.max_binding_range},
          {"max_numbers_size", limits.max_numbers_size}};
}

Json ExtensionsJson(const std::vector<Extension>& extensions) {
  Json list = Json::array();
  for (const Extension& extension : extensions) {
    list.push_back({{"name", extension.name}, {"version", extension.version}});
  }
  return list;
}

Json PeerJson(const std::string& uri, const hal_peer_properties_t& peer) {
  return {{"uri", uri},
          {"relation", PeerRelationWord(peer.relation)},
          {"copy_route", CopyRouteWord(peer.copy_route)},
          {"share", PeerShareWord(peer.share)},
          {"link", PeerLinkWord(peer.link)},
          {"native_atomics", peer.native_atomics},
          {"native_waits", peer.native_waits},
          {"performance_rank", peer.performance_rank},
          {"memory_handles", PeerHandleWords(peer.memory_handles)},
          {"semaphore_handles", PeerHandleWords(peer.semaphore_handles)}};
}

Json PeersJson(const std::vector<Peer>& peers) {
  Json list = Json::array();
  for (const Peer& peer : peers) list.push_back(PeerJson(peer.uri, peer.properties));
  return list;
}

// null where the device does not tell.
Json PropertiesJson(const DeviceFacts& facts) {
  const hal_device_properties_t& p = facts.properties;
  return {{"kind", DeviceKindWord(p.kind)},
          {"vendor", facts.vendor},
          {"vendor_id", p.vendor_id},
          {"driver_name", facts.driver_name},
          {"driver_version", facts.driver_version},
          {"pci_address", p.has_pci_address ? Json(PciText(p.pci_address)) : Json()},
          {"uuid", p.has_uuid ? Json(UuidText(p.uuid)) : Json()},
          {"numa_node", p.numa_node},
          {"architecture", facts.architecture},
          {"features", facts.features},
          {"compute_units", p.compute_units},
          {"max_clock_khz", p.max_clock_khz},
          {"min_subgroup_size", p.min_subgroup_size},
          {"max_subgroup_size", p.max_subgroup_size},
          {"l1_cache_size", p.l1_cache_size},
          {"l2_cache_size", p.l2_cache_size},
          {"l3_cache_size", p.l3_cache_size},
          {"data_types", DataTypeWords(p.data_types)}};
}

void AddFacts(const DeviceFacts& facts, Json* json) {
  Json heaps = Json::array();
  for (const hal_memory_heap_t& heap : facts.heaps) heaps.push_back(HeapJson(heap));
  (*json)["queues"] = facts.queue_count;
  (*json)["heaps"] = heaps;
  (*json)["limits"] = LimitsJson(facts.limits);
  (*json)["formats"] = facts.formats;
  (*json)["extensions"] = ExtensionsJson(facts.extensions);
  (*json)["properties"] = PropertiesJson(facts);
  (*json)["peers"] = PeersJson(facts.peers);
}

}  // namespace

Json JsonReport(const DeviceEntry& device) {
  Json json = {{"uri", device.uri}, {"id", device.id}, {"name", device.name}, {"ordinal", device.ordinal}};
  json["available"] = device.facts.has_value();
  if (device.facts) {
    AddFacts(*device.facts, &json);
  } else {
    json["reason"] = ReasonJson(device.reason);
  }
  return json;
}

Json JsonReport(const Topology& topology) {
  Json list = Json::array();
  for (size_t i = 0; i < topology.uris.size(); ++i) {
    Json others = Json::array();
    for (size_t j = 0; j < topology.uris.size(); ++j) {
      others.push_back(PeerJson(topology.uris[j], topology.matrix[i][j]));
    }
    list.push_back({{"uri", topology.uris[i]}, {"others", others}});
  }
  return list;
}

Json JsonReport(const std::vector<DriverEntry>& drivers) {
  Json list = Json::array();
  for (const DriverEntry& driver : drivers) {
    Json json = {{"name", driver.name},
                 {"description", driver.description},
                 {"plugin", driver.is_plugin},
                 {"available", driver.available}};
    if (!driver.available) json["reason"] = ReasonJson(driver.reason);
    json["devices"] = Json::array();
    for (const DeviceEntry& device : driver.devices) json["devices"].push_back(JsonReport(device));
    list.push_back(json);
  }
  return list;
}

}  // namespace halyard::tools
