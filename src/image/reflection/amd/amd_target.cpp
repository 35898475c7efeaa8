// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/amd/amd_target.h"

#include <algorithm>
#include <iterator>

namespace halyard {
namespace {

/// Takes the part before the next ':' away.
std::string_view TakePart(std::string_view* text) {
  const size_t end = std::min(text->find(':'), text->size());
  const std::string_view part = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return part;
}

/// Whether a list of features has one with its sign: "xnack-" in "sramecc+:xnack-".
bool HasFeature(std::string_view features, std::string_view wanted) {
  while (!features.empty()) {
    if (TakePart(&features) == wanted) return true;
  }
  return false;
}

/// A processor that a generic target stands for, and since which version of that (LLVM's AMDGPU usage guide, "Generic
/// processors"): code of an earlier version does not run there.
struct Member {
  std::string_view generic;
  std::string_view processor;
  uint32_t since;
};
constexpr Member kMembers[] = {
    {"gfx9-generic", "gfx900", 1},     {"gfx9-generic", "gfx902", 1},     {"gfx9-generic", "gfx904", 1},
    {"gfx9-generic", "gfx906", 1},     {"gfx9-generic", "gfx909", 1},     {"gfx9-generic", "gfx90c", 1},
    {"gfx9-4-generic", "gfx940", 1},   {"gfx9-4-generic", "gfx941", 1},   {"gfx9-4-generic", "gfx942", 1},
    {"gfx9-4-generic", "gfx950", 1},   {"gfx10-1-generic", "gfx1010", 1}, {"gfx10-1-generic", "gfx1011", 1},
    {"gfx10-1-generic", "gfx1012", 1}, {"gfx10-1-generic", "gfx1013", 1}, {"gfx10-3-generic", "gfx1030", 1},
    {"gfx10-3-generic", "gfx1031", 1}, {"gfx10-3-generic", "gfx1032", 1}, {"gfx10-3-generic", "gfx1033", 1},
    {"gfx10-3-generic", "gfx1034", 1}, {"gfx10-3-generic", "gfx1035", 1}, {"gfx10-3-generic", "gfx1036", 1},
    {"gfx11-generic", "gfx1100", 1},   {"gfx11-generic", "gfx1101", 1},   {"gfx11-generic", "gfx1102", 1},
    {"gfx11-generic", "gfx1103", 1},   {"gfx11-generic", "gfx1150", 1},   {"gfx11-generic", "gfx1151", 1},
    {"gfx11-generic", "gfx1152", 1},   {"gfx11-generic", "gfx1153", 1},   {"gfx12-generic", "gfx1200", 1},
    {"gfx12-generic", "gfx1201", 1},
};
constexpr uint32_t kGenericRank = 100;  // behind all features

/// NULL if the target is not generic, or does not stand for the processor.
const Member* FindMember(std::string_view target, std::string_view processor) {
  const auto* const found = std::find_if(std::begin(kMembers), std::end(kMembers), [&](const Member& member) {
    return member.generic == target && member.processor == processor;
  });
  return found == std::end(kMembers) ? nullptr : found;
}

/// Whether what stands between "amdgcn" or "amdgpu" and "-gfx" is an architecture's version, a vendor, a system and an
/// environment, of which the first and the last may be missing.
bool IsTriple(std::string_view text) {
  const size_t version = std::min(text.find('-'), text.size());
  const bool is_version = text.substr(0, version).find_first_not_of("0123456789.abcdef") == std::string_view::npos;
  const std::string_view rest = text.substr(version);
  return is_version && (rest == "-amd-amdhsa" || rest == "-amd-amdhsa-" || rest == "-amd-amdhsa-unknown");
}

}  // namespace

std::string_view AmdProcessorOf(std::string_view triple) {
  constexpr size_t kArchitectureSize = 6;
  const size_t begin = std::min(triple.find("amdgcn"), triple.find("amdgpu"));
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = triple.substr(begin + kArchitectureSize);
  const size_t end = rest.find("-gfx");
  if (end == std::string_view::npos || !IsTriple(rest.substr(0, end))) return {};
  const std::string_view processor = rest.substr(end + 1);
  constexpr size_t kPrefixSize = 3;  // "gfx"
  return processor.find_first_of("0123456789") == kPrefixSize ? processor : std::string_view();
}

Status RankAmdTarget(std::string_view device, std::string_view target, uint32_t generic_version, uint32_t* out_rank) {
  std::string_view wanted = target;
  std::string_view features = device;
  const std::string_view name = TakePart(&wanted);
  const std::string_view processor = TakePart(&features);
  const Member* const member = FindMember(name, processor);
  if (member && generic_version > 0 && generic_version < member->since) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "it is for '%.*s' of version %u, which stands for '%.*s' since version %u",
                HALYARD_SV(name), generic_version, HALYARD_SV(processor), member->since);
  }
  bool fits = name == processor || member;
  uint32_t left = features.empty() ? 0 : 1 + static_cast<uint32_t>(std::count(features.begin(), features.end(), ':'));
  while (fits && !wanted.empty()) {
    fits = HasFeature(features, TakePart(&wanted));
    if (left > 0) --left;
  }
  *out_rank = left + (member ? kGenericRank : 0);
  if (fits) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE, "it is for '%.*s', and the device is '%.*s'", HALYARD_SV(target),
              HALYARD_SV(device));
}

Status PickCodeObject(std::string_view device, const OffloadBundle& bundle, Bytes* out_image) {
  const OffloadBundleEntry* best = nullptr;
  uint32_t best_rank = UINT32_MAX;
  for (const OffloadBundleEntry& entry : bundle.entries) {
    uint32_t rank = 0;
    if (entry.target.empty() || !Succeeds(RankAmdTarget(device, entry.target, 0, &rank)) || rank >= best_rank) continue;
    best = &entry;
    best_rank = rank;
  }
  if (!best) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the offload bundle has no code object for '%.*s'", HALYARD_SV(device));
  }
  *out_image = best->contents;
  return kOk;
}

hal_data_types_t AmdDataTypes(std::string_view processor) {
  constexpr struct {
    std::string_view processors;  // their beginning
    hal_data_types_t types;
  } kSome[] = {
      {"gfx908", HAL_DATA_TYPE_FLOAT32_ATOMIC_ADD | HAL_DATA_TYPE_FLOAT16_ATOMIC_ADD},
      {"gfx90a",
       HAL_DATA_TYPE_FLOAT32_ATOMIC_ADD | HAL_DATA_TYPE_FLOAT16_ATOMIC_ADD | HAL_DATA_TYPE_FLOAT64_ATOMIC_ADD},
      {"gfx94", HAL_DATA_TYPE_FLOAT32_ATOMIC_ADD | HAL_DATA_TYPE_FLOAT16_ATOMIC_ADD | HAL_DATA_TYPE_FLOAT64_ATOMIC_ADD |
                    HAL_DATA_TYPE_BFLOAT16_ATOMIC_ADD},
      {"gfx95", HAL_DATA_TYPE_FLOAT32_ATOMIC_ADD | HAL_DATA_TYPE_FLOAT16_ATOMIC_ADD | HAL_DATA_TYPE_FLOAT64_ATOMIC_ADD |
                    HAL_DATA_TYPE_BFLOAT16_ATOMIC_ADD | HAL_DATA_TYPE_BFLOAT16},
      {"gfx11", HAL_DATA_TYPE_FLOAT32_ATOMIC_ADD},
      {"gfx12",
       HAL_DATA_TYPE_FLOAT32_ATOMIC_ADD | HAL_DATA_TYPE_FLOAT16_ATOMIC_ADD | HAL_DATA_TYPE_BFLOAT16_ATOMIC_ADD}};
  hal_data_types_t types = HAL_DATA_TYPE_FLOAT64 | HAL_DATA_TYPE_INT64_ATOMICS | HAL_DATA_TYPE_FLOAT16;
  for (const auto& some : kSome) {
    if (processor.starts_with(some.processors)) types |= some.types;
  }
  return types;
}

}  // namespace halyard
