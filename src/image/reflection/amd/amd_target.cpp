// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/amd/amd_target.h"

#include <algorithm>

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

Status RankAmdTarget(std::string_view device, std::string_view target, uint32_t* out_rank) {
  std::string_view wanted = target;
  std::string_view features = device;
  bool fits = TakePart(&wanted) == TakePart(&features);
  uint32_t left = features.empty() ? 0 : 1 + static_cast<uint32_t>(std::count(features.begin(), features.end(), ':'));
  while (fits && !wanted.empty()) {
    fits = HasFeature(features, TakePart(&wanted));
    if (left > 0) --left;
  }
  *out_rank = left;
  if (fits) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE, "it is for '%.*s', and the device is '%.*s'", HALYARD_SV(target),
              HALYARD_SV(device));
}

Status PickCodeObject(std::string_view device, Bytes bundle, Bytes* out_image) {
  HostVector<OffloadBundleEntry> entries;
  HAL_TRY(ReadOffloadBundle(bundle, &entries));
  const OffloadBundleEntry* best = nullptr;
  uint32_t best_rank = UINT32_MAX;
  for (const OffloadBundleEntry& entry : entries) {
    const ScopedErrorMessage keeper;
    uint32_t rank = 0;
    if (entry.target.empty() || RankAmdTarget(device, entry.target, &rank) != kOk || rank >= best_rank) continue;
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
