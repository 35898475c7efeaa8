// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr size_t kLabelWidth = 12;

std::string Line(std::string_view label, std::string_view text) {
  return Concat("  ", Padded(label, kLabelWidth), text, "\n");
}

std::string DimText(const hal_dim3_t& dim) { return Concat(dim.x, " x ", dim.y, " x ", dim.z); }

std::string TimeText(const Statistics& time, bool is_call) {
  if (time.count == 1) return DurationText(time.median) + (is_call ? ", the call" : ", submission to completion");
  return Concat(DurationText(time.median), " median, ", DurationText(time.p10), " p10, ", DurationText(time.p90),
                " p90 (", time.count, " runs, ", DurationText(time.least), " to ", DurationText(time.most), ")");
}

std::string ResultText(const ResultReport& result) {
  std::string text;
  const std::string binding = Concat("binding ", result.binding);
  if (!result.path.empty()) text += Line(binding, Concat(result.spec, " written to ", result.path));
  if (!result.text.empty()) text += Line(binding, result.text);
  if (result.comparison) {
    text += Line(binding, Concat(ComparisonText(*result.comparison, result.shape), " (", result.expected_path, ")"));
  }
  return text;
}

Json DimJson(const hal_dim3_t& dim) { return {dim.x, dim.y, dim.z}; }

Json TimeJson(const Statistics& time) {
  return {{"runs", time.count}, {"median", time.median}, {"p10", time.p10},  {"p90", time.p90},
          {"min", time.least},  {"max", time.most},      {"mean", time.mean}};
}

Json ComparisonJson(const ResultReport& result) {
  const Comparison& comparison = *result.comparison;
  return {{"file", result.expected_path},
          {"equal", comparison.IsEqual()},
          {"elements", comparison.elements},
          {"mismatches", comparison.mismatches},
          {"largest_difference", static_cast<double>(comparison.largest.distance)},
          {"text", ComparisonText(comparison, result.shape)}};
}

Json ResultJson(const ResultReport& result) {
  Json json = {
      {"binding", result.binding}, {"type", result.spec.substr(0, result.spec.find('['))}, {"shape", result.shape}};
  if (!result.path.empty()) json["file"] = result.path;
  if (!result.text.empty()) json["text"] = result.text;
  if (result.comparison) json["expected"] = ComparisonJson(result);
  return json;
}

}  // namespace

std::string TextReport(const RunReport& report) {
  std::string text = Concat(report.function, " on ", report.device, " (", report.device_name, ")\n");
  const std::string size = report.workgroup_size.x ? " of " + DimText(report.workgroup_size) : "";
  const bool is_call = !report.call_reason.empty();
  text += is_call ? Line("called", "directly: " + report.call_reason)
                  : Line("workgroups", DimText(report.workgroup_count) + size);
  text += Line("time", TimeText(report.time, is_call));
  for (const ResultReport& result : report.results) text += ResultText(result);
  if (!report.trace.empty()) text += Line("trace", report.trace + ", for https://ui.perfetto.dev");
  return text;
}

Json JsonReport(const RunReport& report) {
  Json results = Json::array();
  for (const ResultReport& result : report.results) results.push_back(ResultJson(result));
  Json json = {{"device", report.device},
               {"device_name", report.device_name},
               {"function", report.function},
               {"route", report.call_reason.empty() ? "dispatch" : "call"},
               {"workgroup_count", DimJson(report.workgroup_count)},
               {"workgroup_size", DimJson(report.workgroup_size)},
               {"time_ns", TimeJson(report.time)},
               {"results", results}};
  if (!report.trace.empty()) json["trace"] = report.trace;
  return json;
}

}  // namespace halyard::tools
