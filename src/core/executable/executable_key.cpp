// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/executable/executable_key.h"

#include <xxhash.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <type_traits>

#include "driver_kit/executable/pipeline_layout.h"
#include "function/signature.h"

namespace halyard {
namespace {

/// Collects values into one hash. Everything of variable length goes in after its length, so that no two different
/// sequences look the same.
class Hasher {
 public:
  Hasher() { XXH3_128bits_reset(&state_); }

  template <class T>
  void Add(const T& value) {
    // Padding would make equal values differ.
    static_assert(std::has_unique_object_representations_v<T>);
    XXH3_128bits_update(&state_, &value, sizeof(value));
  }
  template <class T>
  void AddAll(std::span<const T> values) {
    static_assert(std::has_unique_object_representations_v<T>);
    Add(uint64_t{values.size()});
    if (!values.empty()) XXH3_128bits_update(&state_, values.data(), values.size_bytes());
  }
  void AddText(std::string_view text) { AddAll(std::span<const char>(text)); }

  ExecutableKey Finish() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_);
    return {hash.high64, hash.low64};
  }

 private:
  XXH3_state_t state_;
};

void AddLayout(Hasher& hasher, const hal_pipeline_layout_t* given) {
  hasher.Add(given != nullptr);
  if (!given) return;
  const PipelineLayout& layout = PipelineLayout::From(given);
  hasher.Add(uint64_t{layout.SetCount()});
  for (size_t i = 0; i < layout.SetCount(); ++i) hasher.AddAll(layout.SetBindings(i));
  hasher.Add(layout.ConstantsSize());
}

void AddValueType(Hasher& hasher, const hal_value_type_t& type) {
  hasher.Add(type.kind);
  hasher.Add(type.element_type);
  hasher.Add(type.rank);
  hasher.Add(type.role);
  hasher.Add(type.access);
  hasher.Add(type.ownership);
  hasher.Add(type.offset);
  if (!HasSizes(type.kind)) return;
  hasher.AddAll(std::span<const int64_t>(type.sizes, type.rank));
  hasher.Add(type.strides != nullptr);
  if (type.strides) hasher.AddAll(std::span<const int64_t>(type.strides, type.rank));
}

void AddSignature(Hasher& hasher, const hal_function_signature_t* given) {
  hasher.Add(given != nullptr);
  if (!given) return;
  hasher.Add(given->convention);
  hasher.Add(given->argument_count);
  for (const hal_value_type_t& type : ArgumentsOf(*given)) AddValueType(hasher, type);
  hasher.Add(given->result_count);
  for (const hal_value_type_t& type : ResultsOf(*given)) AddValueType(hasher, type);
}

void AddImport(Hasher& hasher, const hal_function_import_t& import) {
  hasher.AddText(View(import.name));
  hasher.Add(import.function);
}

void AddNames(Hasher& hasher, const hal_export_info_t& info) {
  hasher.Add(info.parameter_infos != nullptr);
  if (!info.parameter_infos) return;
  for (const hal_parameter_info_t& one : std::span(info.parameter_infos, info.parameter_count)) {
    hasher.AddText(View(one.name));
    hasher.Add(one.element_type);
    hasher.Add(one.flags);
  }
}

void AddExport(Hasher& hasher, const hal_export_info_t& info) {
  hasher.AddText(View(info.name));
  hasher.AddText(View(info.symbol));
  hasher.Add(info.workgroup_size);
  hasher.Add(info.local_memory_size);
  hasher.Add(info.constants_size);
  hasher.AddAll(std::span<const hal_parameter_t>(info.parameters, info.parameter_count));
  AddNames(hasher, info);
  hasher.Add(info.flags);
  hasher.Add(info.cluster_size);
  hasher.Add(info.dynamic_local_memory_size);
  hasher.Add(info.subgroup_size);
  hasher.Add(info.register_count);
  hasher.Add(info.fixed_sides);
  hasher.Add(info.min_subgroup_size);
  hasher.Add(info.max_subgroup_size);
  hasher.Add(info.max_workgroup_volume);
  hasher.AddAll(std::span<const hal_tensor_map_t>(info.tensor_maps, info.tensor_map_count));
  AddLayout(hasher, info.layout);
  AddSignature(hasher, info.signature);
}

void AddSpecializations(Hasher& hasher, std::span<const hal_specialization_t> given) {
  HostVector<hal_specialization_t> sorted(given.begin(), given.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const hal_specialization_t& a, const hal_specialization_t& b) { return a.id < b.id; });
  hasher.AddAll(std::span<const hal_specialization_t>(sorted));
}

}  // namespace

ExecutableKey MakeExecutableKey(const ExecutableParams& params) {
  const hal_executable_params_t& given = params.Get();
  Hasher hasher;
  hasher.AddText(View(given.format));
  hasher.AddAll(std::span(static_cast<const std::byte*>(given.data), given.data_size));
  hasher.Add(uint64_t{given.export_count});
  for (const hal_export_info_t& info : params.Exports()) AddExport(hasher, info);
  AddSpecializations(hasher, params.Specializations());
  hasher.Add(uint64_t{given.import_count});
  for (size_t i = 0; i < given.import_count; ++i) AddImport(hasher, given.imports[i]);
  hasher.Add(given.unvalidated);
  return hasher.Finish();
}

}  // namespace halyard
