// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>

#include "memory_words.h"
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
  return Line(label, Concat(capacity, "; one buffer up to ", BytesText(heap.max_allocation_size), ", aligned to ",
                            BytesText(heap.min_allocation_alignment))) +
         Line("", JoinText(MemoryTypeWords(heap.memory_type))) + Line("", JoinText(BufferUsageWords(heap.usage)));
}

std::string FactsText(const DeviceFacts& facts) {
  const hal_device_limits_t& limits = facts.limits;
  std::string text = Line("queues", std::to_string(facts.queue_count));
  for (size_t i = 0; i < facts.heaps.size(); ++i) text += HeapText(facts.heaps[i], i);
  text += Line("workgroups", DimText(limits.max_workgroup_count));
  text += Line("workgroup size", DimText(limits.max_workgroup_size));
  text += Line("workgroup volume", LimitText(limits.max_workgroup_volume));
  text += Line("workgroup memory", LimitBytesText(limits.max_local_memory));
  text += Line("bindings", BindingsText(limits));
  text += Line("constants", LimitBytesText(limits.max_constants_size));
  text += Line("semaphores", SemaphoreText(limits));
  text += Line("executable formats", ListText(facts.formats));
  text += Line("extensions", ListText(facts.extensions));
  return text;
}

std::string AvailabilityText(const DriverEntry& driver) {
  if (!driver.available) return "not available: " + driver.reason.message;
  if (driver.devices.empty()) return "no devices";
  std::vector<std::string> uris;
  for (const DeviceEntry& device : driver.devices) uris.push_back(device.uri);
  return JoinText(uris, "  ");
}

}  // namespace

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
