// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devices.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace halyard_ggml {
namespace {

constexpr const char* kVariable = "HALYARD_GGML_DEVICES";

/// The drivers of accelerators, in the order in which one is chosen for hardware that several of them drive.
constexpr const char* kDrivers[] = {"cuda", "hip", "metal", "vulkan"};

std::string PciAddress(const hal_device_properties_t& properties) {
  if (!properties.has_pci_address) return "";
  const hal_pci_address_t& at = properties.pci_address;
  char text[32];
  std::snprintf(text, sizeof(text), "%04x:%02x:%02x.%x", at.domain, at.bus, at.device, at.function);
  return text;
}

bool IsAccelerator(const hal_device_properties_t& properties) {
  return properties.kind == HAL_DEVICE_KIND_DISCRETE || properties.kind == HAL_DEVICE_KIND_INTEGRATED;
}

/// What is known of a device that is not open. ggml calls every device that is no part of its own CPU backend a GPU.
FoundDevice Describe(const hal::Driver& driver, std::string_view id, std::string uri, std::string_view name) {
  const hal_device_properties_t properties = driver.DeviceProperties(id);
  const hal_device_limits_t limits = driver.DeviceLimits(id);
  FoundDevice found;
  found.uri = std::move(uri);
  found.description = name;
  found.pci_address = PciAddress(properties);
  if (properties.kind == HAL_DEVICE_KIND_INTEGRATED) found.type = GGML_BACKEND_DEVICE_TYPE_IGPU;
  found.traits.is_host = found.uri.starts_with("local");
  found.traits.threads = std::max(properties.compute_units, 1u);
  found.traits.binding_alignment = std::max(limits.binding_alignment, 1u);
  found.traits.max_binding_range = limits.max_binding_range;
  return found;
}

bool IsSameHardware(const hal_device_properties_t& a, const hal_device_properties_t& b) {
  if (a.has_uuid && b.has_uuid) return std::equal(std::begin(a.uuid), std::end(a.uuid), std::begin(b.uuid));
  return a.has_pci_address && b.has_pci_address && PciAddress(a) == PciAddress(b);
}

void FindAccelerators(const char* name, std::vector<hal_device_properties_t>* known,
                      std::vector<FoundDevice>* devices) {
  const hal::Driver driver = hal::Registry::Default().OpenDriver(name);
  const std::vector<hal_device_summary_t> summaries = driver.Devices();
  for (size_t i = 0; i < summaries.size(); ++i) {
    const std::string ordinal = std::to_string(i);
    const hal_device_properties_t properties = driver.DeviceProperties(ordinal);
    const auto is_same = [&](const hal_device_properties_t& other) { return IsSameHardware(properties, other); };
    if (!IsAccelerator(properties) || std::ranges::any_of(*known, is_same)) continue;
    known->push_back(properties);
    devices->push_back(Describe(driver, ordinal, std::string(name) + "://" + ordinal, hal::View(summaries[i].name)));
  }
}

/// `driver`, `driver://id` or either with parameters.
FoundDevice FindNamed(std::string_view uri) {
  const std::string_view place = uri.substr(0, uri.find('?'));
  const size_t separator = place.find("://");
  const std::string_view id = separator == std::string_view::npos ? "" : place.substr(separator + 3);
  const hal::Driver driver = hal::Registry::Default().OpenDriver(place.substr(0, separator));
  const std::vector<hal_device_summary_t> summaries = driver.Devices();
  std::string_view name = summaries.empty() ? std::string_view() : hal::View(summaries.front().name);
  for (size_t i = 0; i < summaries.size(); ++i) {
    if (hal::View(summaries[i].id) == id || std::to_string(i) == id) name = hal::View(summaries[i].name);
  }
  return Describe(driver, id, std::string(uri), name);
}

std::vector<FoundDevice> FindNamedDevices(std::string_view list) {
  std::vector<FoundDevice> devices;
  while (!list.empty()) {
    const std::string_view uri = list.substr(0, list.find(','));
    list.remove_prefix(std::min(uri.size() + 1, list.size()));
    if (uri.empty()) continue;
    Guarded(kVariable, [&] { devices.push_back(FindNamed(uri)); });
  }
  return devices;
}

}  // namespace

std::vector<FoundDevice> FindDevices() {
  const char* const named = std::getenv(kVariable);
  if (named && *named != 0) return FindNamedDevices(named);
  std::vector<FoundDevice> devices;
  std::vector<hal_device_properties_t> known;
  for (const char* const driver : kDrivers) {
    try {
      FindAccelerators(driver, &known, &devices);
    } catch (const hal::Error&) {
      // Not built in, or without its vendor's library.
    }
  }
  if (devices.empty()) Guarded("local device", [&] { devices.push_back(FindNamed("local://task")); });
  return devices;
}

}  // namespace halyard_ggml
