// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream_api/attributes.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::sim {
namespace {

// Of each device. Protected by the runtime's lock.
std::vector<Attributes>& AllAttributes() {
  static auto* const all = new std::vector<Attributes>;
  return *all;
}

// One NAME=VALUE, for all devices.
void Override(std::string_view text) {
  const size_t equals = text.find('=');
  const std::optional<int> attribute = AttributeNumber(text.substr(0, equals));
  if (equals == std::string_view::npos || !attribute) {
    std::fprintf(stderr, "halyard sim: HALYARD_SIM_ATTRIBUTES has '%s', which is no attribute and value\n",
                 std::string(text).c_str());
    return;
  }
  const int value = std::atoi(std::string(text.substr(equals + 1)).c_str());
  for (Attributes& attributes : AllAttributes()) attributes[*attribute] = value;
}

}  // namespace

void StartAttributes() {
  Runtime& runtime = Runtime::Get();
  for (const auto& device : runtime.devices) AllAttributes().push_back(StandardAttributes(device->ordinal));
  for (std::string_view text = runtime.settings.attributes; !text.empty();) {
    const size_t end = std::min(text.find(','), text.size());
    Override(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  for (const auto& device : runtime.devices) {
    ApplyLimits(AllAttributes()[static_cast<size_t>(device->ordinal)], &device->limits);
  }
}

std::optional<int> AttributeOf(int device, int attribute) {
  const Attributes& attributes = AllAttributes()[static_cast<size_t>(device)];
  const auto found = attributes.find(attribute);
  return found == attributes.end() ? std::nullopt : std::optional(found->second);
}

bool SetVendorAttribute(int device, int attribute, int value) {
  if (FindDevice(device) == nullptr) return false;
  Attributes& attributes = AllAttributes()[static_cast<size_t>(device)];
  const auto found = attributes.find(attribute);
  if (found == attributes.end()) return false;
  found->second = value;
  ApplyLimits(attributes, &FindDevice(device)->limits);
  return true;
}

Error DeviceCount(int* count) {
  if (count == nullptr) return Error::kInvalidValue;
  *count = static_cast<int>(Runtime::Get().devices.size());
  return Error::kSuccess;
}

Error CurrentDevice(int* device) {
  if (device == nullptr) return Error::kInvalidValue;
  *device = CurrentContext()->device.ordinal;
  return Error::kSuccess;
}

Error DeviceAttribute(int device, int attribute, int* value) {
  if (value == nullptr) return Error::kInvalidValue;
  if (FindDevice(device) == nullptr) return Error::kInvalidDevice;
  const std::optional<int> known = AttributeOf(device, attribute);
  if (!known) return Error::kInvalidValue;
  *value = *known;
  return Error::kSuccess;
}

Error TotalMemoryOf(int device, size_t* bytes) {
  if (bytes == nullptr) return Error::kInvalidValue;
  const Device* found = FindDevice(device);
  if (found == nullptr) return Error::kInvalidDevice;
  *bytes = found->memory_size;
  return Error::kSuccess;
}

Error PeerAccess(int from, int to, int* can) {
  if (can == nullptr) return Error::kInvalidValue;
  if (FindDevice(from) == nullptr || FindDevice(to) == nullptr) return Error::kInvalidDevice;
  *can = from != to && Runtime::Get().settings.peer_access ? 1 : 0;
  return Error::kSuccess;
}

Error EnablePeer(Context& context, int peer, unsigned int flags) {
  if (FindDevice(peer) == nullptr) return Error::kInvalidDevice;
  if (flags != 0) return Error::kInvalidValue;
  if (!Runtime::Get().settings.peer_access) return Error::kPeerUnsupported;
  return context.peers.insert(peer).second ? Error::kSuccess : Error::kPeerAlreadyEnabled;
}

Error PciBusIdOf(int bus, char* text, int capacity) {
  char id[16];
  std::snprintf(id, sizeof(id), "0000:%02X:00.0", static_cast<unsigned>(bus) & 0xFFU);
  return CopyText(id, text, capacity);
}

Error FindByPciBusId(const char* text, int bus_attribute, int* device) {
  if (device == nullptr || text == nullptr) return Error::kInvalidValue;
  unsigned domain = 0;
  unsigned bus = 0;
  const bool has_domain = std::sscanf(text, "%x:%x:", &domain, &bus) == 2 && std::string_view(text).size() > 7;
  if (!has_domain && std::sscanf(text, "%x:", &bus) != 1) return Error::kInvalidValue;
  for (const auto& candidate : Runtime::Get().devices) {
    if (static_cast<unsigned>(AttributeOf(candidate->ordinal, bus_attribute).value_or(0)) != bus) continue;
    *device = candidate->ordinal;
    return Error::kSuccess;
  }
  return Error::kInvalidDevice;
}

}  // namespace halyard::sim
