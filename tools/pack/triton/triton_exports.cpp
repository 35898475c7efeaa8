// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pack/triton/triton_exports.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>
#include <type_traits>

#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

namespace fs = std::filesystem;

// The folders of Triton's cache have hashes of 52 characters for names; these many tell them apart.
constexpr size_t kHashCharacters = 8;
constexpr size_t kLongName = 40;

// Scratch memory is the driver's part: a dispatch gives none.
std::vector<TritonParameter> GivenParameters(const TritonVariant& variant) {
  std::vector<TritonParameter> given = variant.parameters;
  std::erase_if(given, [](const TritonParameter& parameter) {
    return parameter.kind == TritonParameterKind::kGlobalScratch ||
           parameter.kind == TritonParameterKind::kProfileScratch;
  });
  return given;
}

// How divisible numbers are is no part of it.
bool TakesTheSame(const TritonVariant& a, const TritonVariant& b) {
  return std::ranges::equal(GivenParameters(a), GivenParameters(b),
                            [](const TritonParameter& one, const TritonParameter& other) {
                              return one.name == other.name && one.kind == other.kind && one.element == other.element &&
                                     one.size == other.size;
                            });
}

bool IsForSameDevice(const TritonVariant& a, const TritonVariant& b) {
  return a.format == b.format && a.target == b.target;
}

// The folder of a specialisation tells it from others of its kernel; beside each other, the files' names do.
std::string SuffixOf(const std::string& file, const std::string& symbol) {
  const fs::path path(file);
  std::string stem = path.stem().string();
  if (stem != symbol) return stem;
  std::string folder = fs::absolute(path).parent_path().filename().string();
  if (folder.size() >= kLongName) folder.resize(kHashCharacters);
  return folder;
}

bool HasSize(const hal_dim3_t& a, const hal_dim3_t& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

bool IsSameParameter(const hal_parameter_t& a, const hal_parameter_t& b) {
  return a.kind == b.kind && a.offset == b.offset && a.size == b.size && a.binding == b.binding;
}

bool IsSameMap(const hal_tensor_map_t& a, const hal_tensor_map_t& b) {
  static_assert(std::has_unique_object_representations_v<hal_tensor_map_t>);
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

ContainerEntryPoint EntryPointOf(const TritonVariant& variant, uint32_t ordinal, const ContainerExport& own) {
  ContainerEntryPoint entry_point;
  entry_point.ordinal = ordinal;
  if (variant.symbol != own.name) entry_point.symbol = variant.symbol;
  entry_point.launch = variant.launch;
  if (!HasSize(variant.workgroup_size, own.workgroup_size)) entry_point.launch.workgroup_size = variant.workgroup_size;
  HostVector<hal_parameter_t> parameters = ContainerParametersOf(variant);
  HostVector<hal_tensor_map_t> maps = ContainerTensorMapsOf(variant, parameters);
  if (std::ranges::equal(parameters, own.parameters, IsSameParameter) &&
      std::ranges::equal(maps, own.tensor_maps, IsSameMap)) {
    return entry_point;
  }
  entry_point.parameters = std::move(parameters);
  entry_point.tensor_maps = std::move(maps);
  return entry_point;
}

}  // namespace

TritonExports::TritonExports(std::span<const TritonOption> options) {
  for (const TritonOption& option : options) {
    const std::vector<std::string> files = FindTritonMetadata({option.path});
    for (const std::string& file : files) Add(option.name, ReadTritonKernel(file), files.size() > 1);
  }
  if (exports_.empty() && !left_out_.empty()) Fail(ExitCode::kInput, left_out_.front());
  NameSpecializations();
  CheckNames();
}

void TritonExports::Add(const std::string& name, const TritonKernel& kernel, bool is_one_of_many) {
  std::vector<TritonVariant> variants;
  for (const TritonImage& image : kernel.images) {
    variants.push_back(ReadTritonVariant(kernel, image));
    if (variants.back().obstacle.empty()) continue;
    if (!is_one_of_many) Fail(ExitCode::kInput, "'", kernel.file, "': ", variants.back().obstacle);
    left_out_.push_back(Concat("'", kernel.file, "' is left out: ", variants.back().obstacle));
    return;
  }
  Export* same = FindSameKernel(name.empty() ? kernel.metadata.name : name, !name.empty(), variants);
  if (!same) {
    exports_.push_back({name.empty() ? kernel.metadata.name : name, !name.empty(), kernel.file, {}});
    same = &exports_.back();
  }
  std::ranges::move(variants, std::back_inserter(same->variants));
}

// The first export of the kernel that has no image for these devices yet.
TritonExports::Export* TritonExports::FindSameKernel(const std::string& name, bool is_named,
                                                     const std::vector<TritonVariant>& variants) {
  for (Export& candidate : exports_) {
    if (candidate.name != name || candidate.is_named != is_named) continue;
    if (!TakesTheSame(candidate.variants.front(), variants.front())) continue;
    const bool has_device = std::ranges::any_of(candidate.variants, [&](const TritonVariant& known) {
      return std::ranges::any_of(variants, [&](const TritonVariant& other) { return IsForSameDevice(known, other); });
    });
    if (!has_device) return &candidate;
  }
  return nullptr;
}

void TritonExports::NameSpecializations() {
  std::map<std::string, size_t> counts;
  for (const Export& one : exports_) counts[one.name] += one.is_named ? 0 : 1;
  for (Export& one : exports_) {
    const auto count = counts.find(one.name);
    if (one.is_named || count == counts.end() || count->second < 2) continue;
    one.name += "." + SuffixOf(one.origin, one.variants.front().symbol);
  }
}

void TritonExports::CheckNames() const {
  std::map<std::string_view, const Export*> known;
  for (const Export& one : exports_) {
    const auto [place, is_new] = known.emplace(one.name, &one);
    if (is_new) continue;
    Fail(ExitCode::kInput, "'", place->second->origin, "' and '", one.origin, "' would both be the export '", one.name,
         "'; name them, as in --triton=", one.variants.front().symbol, "_2=", one.origin);
  }
}

void TritonExports::AppendTo(ContainerContents* contents) const {
  for (const Export& one : exports_) {
    const auto ordinal = static_cast<uint32_t>(contents->exports.size());
    const TritonVariant& first = one.variants.front();
    ContainerExport& own = contents->exports.emplace_back();
    own.name = one.name;
    own.workgroup_size = first.workgroup_size;
    for (const TritonVariant& variant : one.variants) {
      own.local_memory_size = std::max(own.local_memory_size, variant.local_memory_size);
    }
    own.parameters = ContainerParametersOf(first);
    own.constants_size = ConstantsSizeOf(own.parameters);
    own.infos = ParameterInfosOf(first);
    own.tensor_maps = ContainerTensorMapsOf(first, own.parameters);
    for (const TritonVariant& variant : one.variants) {
      ContainerVariant& added = contents->variants.emplace_back();
      added.format = variant.format;
      added.target = variant.target;
      added.image = variant.bytes;
      added.isa_version = variant.isa_version;
      added.entry_points.push_back(EntryPointOf(variant, ordinal, own));
    }
  }
}

void TritonExports::AppendNotes(std::vector<std::string>* notes) const {
  notes->insert(notes->end(), left_out_.begin(), left_out_.end());
  for (const Export& one : exports_) {
    const TritonVariant& first = one.variants.front();
    if (one.name != first.symbol && !one.is_named) {
      notes->push_back(Concat("'", one.name, "' is the kernel '", first.symbol, "' of '", one.origin, "'"));
    }
    const hal_dim3_t& cluster = first.launch.cluster_size;
    const uint32_t workgroups = cluster.x * cluster.y * cluster.z;
    if (workgroups < 2) continue;
    notes->push_back(Concat("each program of '", one.name, "' is a cluster of ", workgroups,
                            " workgroups: multiply its grid in x by that"));
  }
}

}  // namespace halyard::tools
