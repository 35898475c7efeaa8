// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch_corrections.h"

#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "size_text.h"
#include "support/failure.h"
#include "support/kernels/export_description.h"
#include "support/kernels/image_format.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

std::optional<uint32_t> ParseCount(std::string_view text) {
  const auto number = ParseUint(text);
  if (!number || *number == 0 || *number > std::numeric_limits<uint32_t>::max()) return std::nullopt;
  return static_cast<uint32_t>(*number);
}

// "X", "X,Y" or "X,Y,Z".
std::optional<hal_dim3_t> ParseSize(std::string_view text) {
  const std::vector<std::string_view> parts = SplitText(text, ',');
  if (parts.empty() || parts.size() > 3) return std::nullopt;
  std::array<uint32_t, 3> size = {1, 1, 1};
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto count = ParseCount(parts[i]);
    if (!count) return std::nullopt;
    size[i] = *count;
  }
  return hal_dim3(size[0], size[1], size[2]);
}

bool ParseFact(std::string_view name, std::string_view value, LaunchFacts* out) {
  if (value.empty()) {
    if (name == "cooperative") out->flags = HAL_EXPORT_COOPERATIVE;
    if (name == "programmatic") out->flags = HAL_EXPORT_PROGRAMMATIC_LAUNCH;
    return out->flags != 0;
  }
  if (name == "subgroup") {
    const std::optional<SubgroupBounds> bounds = ParseSubgroupBounds(value);
    if (bounds) SetSubgroups(*bounds, out);
    return bounds.has_value();
  }
  const auto size = ParseSize(value);
  if (!size) return false;
  if (name == "cluster") out->cluster_size = *size;
  if (name == "workgroup") out->workgroup_size = *size;
  if (name == "dynamic-memory") out->dynamic_local_memory_size = ParseCount(value).value_or(0);
  return out->cluster_size.x > 0 || IsGiven(out->workgroup_size) || out->dynamic_local_memory_size > 0;
}

// Clusters and programmatic launches are NVIDIA's. Every format can be made for subgroups.
bool IsOfUse(const LaunchFacts& fact, std::string_view format) {
  if (SubgroupsOf(fact).IsGiven()) return true;
  const bool is_nvidias = fact.cluster_size.x > 0 || (fact.flags & HAL_EXPORT_PROGRAMMATIC_LAUNCH) != 0;
  return IsForNvidia(format) || (format == "hsaco" && !is_nvidias);
}

bool Differ(const hal_dim3_t& a, const hal_dim3_t& b) { return a.x != b.x || a.y != b.y || a.z != b.z; }

[[noreturn]] void FailKnown(const LaunchCorrection& correction, const ContainerVariant& variant,
                            const std::string& what) {
  Fail(ExitCode::kInput, "--launch=", correction.text, ": the ", variant.format, " image",
       variant.target.empty() ? "" : Concat(" for ", variant.target), " knows that ", what);
}

void CorrectLaunch(const LaunchCorrection& correction, const ContainerVariant& variant, const ContainerExport& own,
                   LaunchFacts* launch) {
  const LaunchFacts& fact = correction.fact;
  launch->flags |= fact.flags;
  if (fact.cluster_size.x > 0) {
    if (launch->cluster_size.x > 0 && Differ(launch->cluster_size, fact.cluster_size)) {
      FailKnown(correction, variant, "it runs in clusters of " + SizeText(launch->cluster_size));
    }
    launch->cluster_size = fact.cluster_size;
  }
  if (IsGiven(fact.workgroup_size)) {
    const hal_dim3_t& known = IsGiven(launch->workgroup_size) ? launch->workgroup_size : own.workgroup_size;
    const bool is_exact = (launch->flags & HAL_EXPORT_EXACT_WORKGROUP_SIZE) != 0;
    if (is_exact && Differ(known, fact.workgroup_size)) {
      FailKnown(correction, variant, "a workgroup has " + SizeText(known) + " work-items");
    }
    launch->workgroup_size = fact.workgroup_size;
  }
  if (const SubgroupBounds wanted = SubgroupsOf(fact); wanted.IsGiven()) {
    const SubgroupBounds known = SubgroupsOf(*launch);
    if (known.IsGiven() && (known.least != wanted.least || known.most != wanted.most)) {
      FailKnown(correction, variant, Concat("it runs in subgroups of ", SubgroupText(known)));
    }
    SetSubgroups(wanted, launch);
  }
  if (fact.dynamic_local_memory_size > 0) launch->dynamic_local_memory_size = fact.dynamic_local_memory_size;
}

}  // namespace

LaunchCorrection ParseLaunchCorrection(const std::string& text) {
  const size_t colon = text.rfind(':');
  const std::string_view fact =
      colon == std::string::npos ? std::string_view() : std::string_view(text).substr(colon + 1);
  const size_t equals = fact.find('=');
  const std::string_view value = equals == std::string_view::npos ? std::string_view() : fact.substr(equals + 1);
  LaunchCorrection correction = {text.substr(0, colon), {}, text};
  if (colon == 0 || fact.empty() || fact.ends_with('=') ||
      !ParseFact(fact.substr(0, equals), value, &correction.fact)) {
    Fail(ExitCode::kUsage,
         "--launch takes KERNEL:cooperative, KERNEL:programmatic, KERNEL:cluster=X,Y,Z, KERNEL:workgroup=X,Y,Z, "
         "KERNEL:subgroup=SIZE, KERNEL:subgroup=LEAST-MOST or KERNEL:dynamic-memory=BYTES, not '",
         text, "'");
  }
  return correction;
}

void CorrectLaunches(std::span<const LaunchCorrection> corrections, ContainerContents* contents) {
  for (const LaunchCorrection& correction : corrections) {
    std::vector<std::string_view> names;
    bool is_used = false;
    for (ContainerVariant& variant : contents->variants) {
      if (!IsOfUse(correction.fact, variant.format)) continue;
      for (ContainerEntryPoint& entry_point : variant.entry_points) {
        const ContainerExport& own = contents->exports[entry_point.ordinal];
        names.emplace_back(own.name);
        if (own.name != correction.kernel) continue;
        is_used = true;
        CorrectLaunch(correction, variant, own, &entry_point.launch);
      }
    }
    if (is_used) continue;
    Fail(ExitCode::kInput, "--launch=", correction.text, ": no image that could be launched so has a kernel '",
         correction.kernel, "'; ", SuggestionText(correction.kernel, names));
  }
}

}  // namespace halyard::tools
