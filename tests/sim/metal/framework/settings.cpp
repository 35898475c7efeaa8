// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/settings.h"

#include <cstdlib>

namespace halyard::metal_sim {
namespace {

uint64_t Number(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

Settings Read() {
  Settings settings;
  settings.devices = static_cast<unsigned>(Number("HALYARD_SIM_DEVICES", settings.devices));
  settings.unified = Number("HALYARD_SIM_METAL_UNIFIED", 1) != 0;
  settings.macos = static_cast<unsigned>(Number("HALYARD_SIM_METAL_MACOS", settings.macos));
  settings.metal3 = Number("HALYARD_SIM_METAL_METAL3", 1) != 0;
  settings.tier = static_cast<unsigned>(Number("HALYARD_SIM_METAL_TIER", settings.tier));
  settings.memory = Number("HALYARD_SIM_MEMORY", settings.memory);
  settings.max_threads = static_cast<unsigned>(Number("HALYARD_SIM_METAL_MAX_THREADS", settings.max_threads));
  settings.pipeline_threads = static_cast<unsigned>(Number("HALYARD_SIM_METAL_PIPELINE_THREADS", settings.max_threads));
  settings.sample_dispatches = Number("HALYARD_SIM_METAL_SAMPLE_DISPATCHES", 0) != 0;
  settings.captures = static_cast<unsigned>(Number("HALYARD_SIM_METAL_CAPTURES", settings.captures));
  settings.seed = Number("HALYARD_SIM_SEED", uint64_t{1});
  settings.longest_delay = static_cast<unsigned>(Number("HALYARD_SIM_DELAY", settings.longest_delay));
  settings.report_at_exit = Number("HALYARD_SIM_REPORT", 0) != 0;
  return settings;
}

}  // namespace

const Settings& TheSettings() {
  static const Settings settings = Read();
  return settings;
}

}  // namespace halyard::metal_sim
