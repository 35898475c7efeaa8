// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "flag_words.h"
#include "report.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr size_t kLabelWidth = 20;

std::string Line(std::string_view label, std::string_view value) {
  return Concat("  ", Padded(label, kLabelWidth), value, "\n");
}

// A bound, or that there is none.
template <class T>
std::string LimitText(T value) {
  return value == std::numeric_limits<T>::max() ? "no limit" : std::to_string(value);
}

std::string LimitBytesText(uint32_t bytes) {
  return bytes == std::numeric_limits<uint32_t>::max() ? "no limit" : BytesText(bytes);
}

std::string DimText(const hal_dim3_t& dim) {
  if (std::min({dim.x, dim.y, dim.z}) == std::numeric_limits<uint32_t>::max()) return "no limit";
  return Concat(LimitText(dim.x), " x ", LimitText(dim.y), " x ", LimitText(dim.z));
}

std::string BindingsText(const hal_device_limits_t& limits) {
  if (limits.max_bindings == std::numeric_limits<uint32_t>::max()) return "no limit";
  return Concat(limits.max_bindings, " in ", LimitText(limits.max_descriptor_sets), " sets");
}

std::string SemaphoreText(const hal_device_limits_t& limits) {
  std::string values = Concat("values up to ", limits.max_semaphore_value);
  if (limits.max_semaphore_distance >= limits.max_semaphore_value) return values;
  return Concat(values, ", at most ", limits.max_semaphore_distance, " ahead");
}

std::string ListText(const std::vector<std::string>& words) { return words.empty() ? "none" : JoinText(words); }

std::string HeapText(const hal_memory_heap_t& heap, size_t index) {
  const std::string label = Concat("memory heap ", index);
  const std::string capacity = heap.capacity ? BytesText(heap.capacity) : "unknown size";
  const std::string available = heap.available == UINT64_MAX ? "" : BytesText(heap.available) + " available, ";
  return Line(label, Concat(capacity, "; ", available, "one buffer up to ", BytesText(heap.max_allocation_size),
                            ", aligned to ", BytesText(heap.min_allocation_alignment))) +
         Line("", JoinText(MemoryTypeWords(heap.memory_type))) + Line("", JoinText(BufferUsageWords(heap.usage)));
}

// Words that are there, with commas between them.
std::string Joined(std::vector<std::string> words) {
  std::erase(words, "");
  return JoinText(words);
}

std::string VendorText(const DeviceFacts& facts) {
  if (facts.properties.vendor_id == 0) return facts.vendor;
  std::array<char, 16> id;
  std::snprintf(id.data(), id.size(), "0x%04x", facts.properties.vendor_id);
  return Concat(facts.vendor, " (", id.data(), ")");
}

std::string PlaceText(const hal_device_properties_t& p) {
  return Joined({p.has_pci_address ? "PCI " + PciText(p.pci_address) : "",
                 p.numa_node >= 0 ? Concat("NUMA node ", p.numa_node) : ""});
}

std::string UnitsText(const hal_device_properties_t& p) {
  if (p.compute_units == 0) return "";
  return Joined({std::to_string(p.compute_units),
                 p.max_clock_khz ? Concat("up to ", p.max_clock_khz / 1000, " MHz") : "",
                 Concat("subgroups of ", p.min_subgroup_size,
                        p.max_subgroup_size > p.min_subgroup_size ? Concat(" to ", p.max_subgroup_size) : "")});
}

std::string CachesText(const hal_device_properties_t& p) {
  const auto cache = [](const char* name, uint64_t size) { return size ? Concat(name, BytesText(size)) : ""; };
  return Joined({cache("L1 ", p.l1_cache_size), cache("L2 ", p.l2_cache_size), cache("L3 ", p.l3_cache_size)});
}

// A line for what the device tells, none for what it does not.
std::string KnownLine(std::string_view label, const std::string& value) {
  return value.empty() ? "" : Line(label, value);
}

// A long list in lines of a width that terminals have.
std::string WrappedLines(std::string_view label, const std::vector<std::string>& words) {
  constexpr size_t kWidth = 96;
  std::string text;
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty() && line.size() + 1 + word.size() > kWidth) {
      text += Line(text.empty() ? label : "", line);
      line.clear();
    }
    line += line.empty() ? word : " " + word;
  }
  return line.empty() ? text : text + Line(text.empty() ? label : "", line);
}

std::string PropertiesText(const DeviceFacts& facts) {
  const hal_device_properties_t& p = facts.properties;
  std::string text = Line("kind", DeviceKindWord(p.kind));
  text += KnownLine("vendor", VendorText(facts));
  text += KnownLine("driver", Concat(facts.driver_name, facts.driver_name.empty() ? "" : " ", facts.driver_version));
  text += KnownLine("place", PlaceText(p));
  if (p.has_uuid) text += Line("UUID", UuidText(p.uuid));
  text += KnownLine("architecture", facts.architecture);
  text += WrappedLines("features", facts.features);
  text += KnownLine("compute units", UnitsText(p));
  text += KnownLine("caches", CachesText(p));
  return text + WrappedLines("data types", DataTypeWords(p.data_types));
}

std::string PeerText(const Peer& peer) {
  const hal_peer_properties_t& p = peer.properties;
  if (p.relation == HAL_PEER_RELATION_SAME) return peer.uri + ": the same hardware";
  return Concat(peer.uri, ": memory can be accessed, ", p.native_atomics ? "with" : "without", " native atomics",
                p.performance_rank >= 0 ? Concat(", rank ", p.performance_rank) : "");
}

std::string PeersText(const std::vector<Peer>& peers) {
  std::string text;
  for (const Peer& peer : peers) text += Line(text.empty() ? "peers" : "", PeerText(peer));
  return text;
}

std::string BindingRangeText(const hal_device_limits_t& limits) {
  return Concat("at multiples of ", BytesText(limits.binding_alignment), ", ",
                limits.max_binding_range == UINT64_MAX ? "of any length" : BytesText(limits.max_binding_range));
}

std::string ExtensionsText(const std::vector<Extension>& extensions) {
  std::vector<std::string> texts;
  texts.reserve(extensions.size());
  for (const Extension& extension : extensions) texts.push_back(Concat(extension.name, " ", extension.version));
  return ListText(texts);
}

std::string FactsText(const DeviceFacts& facts) {
  const hal_device_limits_t& limits = facts.limits;
  std::string text = PropertiesText(facts);
  if (facts.queue_count > 0) text += Line("queues", std::to_string(facts.queue_count));
  for (size_t i = 0; i < facts.heaps.size(); ++i) text += HeapText(facts.heaps[i], i);
  text += Line("workgroups", DimText(limits.max_workgroup_count));
  text += Line("workgroup size", DimText(limits.max_workgroup_size));
  text += Line("workgroup volume", LimitText(limits.max_workgroup_volume));
  text += Line("workgroup memory", LimitBytesText(limits.max_local_memory));
  text += Line("bindings", BindingsText(limits));
  if (limits.max_bindings > 0) text += Line("", BindingRangeText(limits));
  text += Line("constants", LimitBytesText(limits.max_constants_size));
  text += Line("semaphores", SemaphoreText(limits));
  text += Line("executable formats", ListText(facts.formats));
  text += Line("extensions", ExtensionsText(facts.extensions));
  return text + PeersText(facts.peers);
}

std::string AvailabilityText(const DriverEntry& driver) {
  if (!driver.available) return "not available: " + driver.reason.message;
  if (driver.devices.empty()) return "no devices";
  std::vector<std::string> uris;
  for (const DeviceEntry& device : driver.devices) uris.push_back(device.uri);
  return JoinText(uris, "  ");
}

// "direct/fabric 0 aw": how a copy goes, over what, the rank, and what is native.
std::string CellText(const hal_peer_properties_t& peer) {
  const std::string rank = peer.performance_rank >= 0 ? Concat(" ", peer.performance_rank) : "";
  const std::string_view atomics = peer.native_atomics ? "a" : "";
  const std::string_view waits = peer.native_waits ? "w" : "";
  const std::string_view gap = peer.native_atomics || peer.native_waits ? " " : "";
  return Concat(CopyRouteWord(peer.copy_route), "/", PeerLinkWord(peer.link), rank, gap, atomics, waits);
}

size_t Widest(const std::vector<std::string>& texts) {
  size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, text.size());
  return width;
}

}  // namespace

std::string TextReport(const Topology& topology) {
  const size_t label_width = Widest(topology.uris) + 2;
  std::string header = Padded("from \\ to", label_width);
  std::vector<std::string> lines;
  for (const std::string& uri : topology.uris) lines.push_back(Padded(uri, label_width));
  for (size_t j = 0; j < topology.uris.size(); ++j) {
    std::vector<std::string> cells;
    for (const auto& row : topology.matrix) cells.push_back(CellText(row[j]));
    const size_t width = std::max(Widest(cells), topology.uris[j].size()) + 2;
    header += Padded(topology.uris[j], width);
    for (size_t i = 0; i < lines.size(); ++i) lines[i] += Padded(cells[i], width);
  }
  std::string text = header + "\n";
  for (const std::string& line : lines) text += line + "\n";
  return text +
         "\nroute of a copy/link, rank (0 is the fastest); a: atomics are native; w: semaphores are waited for "
         "natively\n";
}

std::string TextReport(const DeviceEntry& device) {
  std::string text = device.uri + "  " + device.name + "\n";
  return text + (device.facts ? FactsText(*device.facts) : "  not available: " + device.reason.message + "\n");
}

std::string TextReport(const std::vector<DriverEntry>& drivers) {
  size_t width = 6;
  for (const DriverEntry& driver : drivers) width = std::max(width, driver.name.size());
  std::string text;
  for (const DriverEntry& driver : drivers) {
    const std::string indent(width + 2, ' ');
    text += Concat(Padded(driver.name, width), "  ", driver.description, driver.is_plugin ? " (plugin)" : "", "\n",
                   indent, AvailabilityText(driver), "\n");
  }
  for (const DriverEntry& driver : drivers) {
    for (const DeviceEntry& device : driver.devices) text += "\n" + TextReport(device);
  }
  return text;
}

}  // namespace halyard::tools
