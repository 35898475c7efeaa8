// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/settings.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace halyard::sim {
namespace {

std::string Text(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

template <typename Number>
Number Value(const char* name, Number standard) {
  const std::string text = Text(name);
  if (text.empty()) return standard;
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0) return value;
  std::fprintf(stderr, "halyard sim: %s is '%s', which is no number\n", name, text.c_str());
  return standard;
}

}  // namespace

Settings ReadSettings() {
  Settings settings;
  settings.seed = Value("HALYARD_SIM_SEED", settings.seed);
  settings.longest_delay = Value("HALYARD_SIM_DELAY", settings.longest_delay);
  settings.device_count = Value("HALYARD_SIM_DEVICES", settings.device_count);
  settings.device_memory = Value("HALYARD_SIM_MEMORY", settings.device_memory);
  settings.peer_access = Value("HALYARD_SIM_PEER_ACCESS", 1) != 0;
  settings.driver_version = Value("HALYARD_SIM_DRIVER_VERSION", 0);
  settings.architecture = Text("HALYARD_SIM_ARCHITECTURE");
  if (settings.architecture.empty()) settings.architecture = "gfx942:sramecc+:xnack-";
  settings.patch_memory = Value("HALYARD_SIM_PATCH_MEMORY", settings.patch_memory);
  settings.kernels = Text("HALYARD_SIM_KERNELS");
  settings.attributes = Text("HALYARD_SIM_ATTRIBUTES");
  settings.fail = Text("HALYARD_SIM_FAIL");
  settings.ignore = Text("HALYARD_SIM_IGNORE");
  settings.report_at_exit = Value("HALYARD_SIM_REPORT", 0);
  return settings;
}

}  // namespace halyard::sim
