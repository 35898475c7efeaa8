// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/device/local_cpu.h"

#include <algorithm>
#include <array>

#include "base/process_wide.h"
#include "base/status.h"
#include "driver_kit/device/blank_properties.h"
#include "driver_kit/device/usable_processors.h"
#include "platform/system_facts.h"

namespace halyard::local {
namespace {

hal_data_types_t DataTypesOf(const CpuInstructions& instructions) {
  hal_data_types_t types = HAL_DATA_TYPE_FLOAT64 | HAL_DATA_TYPE_INT64_ATOMICS;
  if (instructions.Has("avx512fp16") || instructions.Has("fp16")) types |= HAL_DATA_TYPE_FLOAT16;
  return types;
}

/// The properties with what they point to.
struct HostCpu : HostObject {
  HostCpu() : instructions(ReadCpuInstructions()) {
    properties.kind = HAL_DEVICE_KIND_CPU;
    properties.vendor_id = instructions.vendor_id;
    properties.vendor = hal_string_view(instructions.vendor);
    properties.driver_name = hal_string_view(system.name.data());
    properties.driver_version = hal_string_view(system.version.data());
    properties.numa_node = OnlyNumaNode();
    properties.architecture = hal_string_view(instructions.architecture);
    properties.features = {instructions.features.size(), instructions.features.data()};
    properties.compute_units = UsableProcessors();
    properties.max_clock_khz = ProcessorClockKhz();
    properties.min_subgroup_size = 1;  // a work-item is for a kernel what it makes of it
    properties.max_subgroup_size = 1;
    properties.data_types = DataTypesOf(instructions);
    const std::array<uint64_t, 3> caches = CacheSizes();
    properties.l1_cache_size = caches[0];
    properties.l2_cache_size = caches[1];
    properties.l3_cache_size = caches[2];
  }

  const CpuInstructions instructions;
  const SystemVersion system = ReadSystemVersion();
  hal_device_properties_t properties = BlankProperties();
};

}  // namespace

bool CpuInstructions::Has(std::string_view feature) const {
  return std::any_of(features.begin(), features.end(), [&](hal_string_view_t name) { return View(name) == feature; });
}

const hal_device_properties_t& HostCpuProperties() { return ProcessWide<HostCpu>::Get().properties; }

}  // namespace halyard::local
