// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "properties.h"

#include <limits>

#include "kernel.h"
#include "support/failure.h"
#include "support/program/check.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr size_t kPropertyWidth = 19;

ExportReport QueryExport(hal_executable_t* executable, uint32_t ordinal, const RunOptions& options) {
  const hal_export_info_t& info = *hal_executable_export_info(executable, ordinal);
  ExportReport report;
  report.ordinal = ordinal;
  report.name = Text(info.name);
  report.workgroup_size = options.workgroup_size.x ? options.workgroup_size : info.workgroup_size;
  report.local_memory = options.local_memory;
  report.subgroups = SubgroupsOf(info);
  Check(hal_executable_query_export_properties(executable, ordinal, options.workgroup_size,
                                               static_cast<uint32_t>(options.local_memory), &report.properties),
        ExitCode::kUsage, Concat("ask what '", report.name, "' takes"));
  return report;
}

std::string PropertyLine(std::string_view label, std::string_view text) {
  return Concat("  ", Padded(label, kPropertyWidth), text, "\n");
}

// A line, unless the device does not tell.
std::string LineIfKnown(std::string_view label, uint64_t value, std::string_view text) {
  return value == 0 ? "" : PropertyLine(label, text);
}

std::string SizeText(const hal_dim3_t& size) {
  return size.x == 0 ? "each dispatch says" : Concat(size.x, " x ", size.y, " x ", size.z);
}

std::string VolumeText(uint32_t volume) {
  return volume == std::numeric_limits<uint32_t>::max() ? "no limit" : Concat(volume, " work-items");
}

std::string ResidentText(const ExportReport& report) {
  const std::string memory =
      report.local_memory == 0 ? "" : Concat(", each with ", BytesText(report.local_memory), " of dynamic memory");
  return Concat(report.properties.resident_workgroups, " at a time on each compute unit", memory);
}

std::string ExportText(const ExportReport& report) {
  const hal_export_properties_t& known = report.properties;
  return Concat(
      "\nexport ", report.ordinal, ": ", report.name, "\n",
      PropertyLine("workgroup size", SizeText(report.workgroup_size)),
      LineIfKnown("largest workgroup", known.max_workgroup_volume, VolumeText(known.max_workgroup_volume)),
      LineIfKnown("best multiple", known.preferred_multiple,
                  Concat(known.preferred_multiple, known.preferred_multiple == 1 ? " work-item" : " work-items")),
      LineIfKnown("subgroups", report.subgroups.IsGiven(),
                  Concat("of ", SubgroupText(report.subgroups), " work-items, which it is made for")),
      LineIfKnown("registers", known.register_count, Concat(known.register_count, " of each work-item")),
      LineIfKnown("private memory", known.private_memory_size,
                  Concat(BytesText(known.private_memory_size), " of each work-item")),
      PropertyLine("workgroup memory", Concat(BytesText(known.local_memory_size), "; a dispatch can ask for ",
                                              BytesText(known.max_dynamic_local_memory), " more")),
      LineIfKnown("workgroups", known.resident_workgroups, ResidentText(report)));
}

// Numbers stand under the names that the API has for them; 0 is one that the device does not tell.
Json ExportJson(const ExportReport& report) {
  const hal_export_properties_t& known = report.properties;
  return {{"ordinal", report.ordinal},
          {"name", report.name},
          {"workgroup_size", {report.workgroup_size.x, report.workgroup_size.y, report.workgroup_size.z}},
          {"dynamic_local_memory", report.local_memory},
          {"register_count", known.register_count},
          {"private_memory_size", known.private_memory_size},
          {"local_memory_size", known.local_memory_size},
          {"max_workgroup_volume", known.max_workgroup_volume},
          {"min_subgroup_size", report.subgroups.least},
          {"max_subgroup_size", report.subgroups.most},
          {"preferred_multiple", known.preferred_multiple},
          {"resident_workgroups", known.resident_workgroups},
          {"max_dynamic_local_memory", known.max_dynamic_local_memory}};
}

}  // namespace

std::vector<ExportReport> QueryExports(hal_executable_t* executable, const RunOptions& options) {
  if (!options.function.empty()) return {QueryExport(executable, FindExport(executable, options), options)};
  std::vector<ExportReport> exports;
  for (uint32_t i = 0; i < hal_executable_export_count(executable); ++i) {
    exports.push_back(QueryExport(executable, i, options));
  }
  return exports;
}

std::string ExportsText(hal_device_t* device, const RunOptions& options, const std::vector<ExportReport>& exports) {
  std::string text =
      Concat(options.executable, " on ", options.device.device, " (", Text(hal_device_info(device)->name), ")\n");
  for (const ExportReport& report : exports) text += ExportText(report);
  return text;
}

Json ExportsJson(hal_device_t* device, const RunOptions& options, const std::vector<ExportReport>& exports) {
  Json list = Json::array();
  for (const ExportReport& report : exports) list.push_back(ExportJson(report));
  return {{"device", options.device.device},
          {"device_name", Text(hal_device_info(device)->name)},
          {"executable", options.executable},
          {"exports", list}};
}

}  // namespace halyard::tools
