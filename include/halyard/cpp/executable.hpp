// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Kernels and their dispatches in C++.
#ifndef HALYARD_CPP_EXECUTABLE_HPP_
#define HALYARD_CPP_EXECUTABLE_HPP_

#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "halyard/command_buffer.h"
#include "halyard/cpp/macros_begin.hpp"
#include "halyard/cpp/memory.hpp"
#include "halyard/executable.h"
#include "halyard/executable_cache.h"
#include "halyard/pipeline_layout.h"

HAL_CPP_BEGIN

/// The bindings of one set.
class DescriptorSetLayout
    : public Handle<hal_descriptor_set_layout_t, hal_descriptor_set_layout_retain, hal_descriptor_set_layout_release> {
 public:
  using Handle::Handle;
  static Returned<DescriptorSetLayout> Create(hal_device_t* device,
                                              std::span<const hal_descriptor_binding_t> bindings) {
    return detail::Make<DescriptorSetLayout>(
        [&](auto** out) { return hal_descriptor_set_layout_create(device, bindings.size(), bindings.data(), out); });
  }
  DescriptorSetLayout Share() const { return DescriptorSetLayout(Retained()); }

  std::span<const hal_descriptor_binding_t> bindings() const {
    size_t count = 0;
    const hal_descriptor_binding_t* const first = hal_descriptor_set_layout_bindings(get(), &count);
    return {first, count};
  }
};

/// Sets and constants of an export.
class PipelineLayout : public Handle<hal_pipeline_layout_t, hal_pipeline_layout_retain, hal_pipeline_layout_release> {
 public:
  using Handle::Handle;
  static Returned<PipelineLayout> Create(hal_device_t* device, std::span<hal_descriptor_set_layout_t* const> sets,
                                         uint32_t constants_size) {
    return detail::Make<PipelineLayout>(
        [&](auto** out) { return hal_pipeline_layout_create(device, sets.size(), sets.data(), constants_size, out); });
  }
  PipelineLayout Share() const { return PipelineLayout(Retained()); }

  size_t set_count() const { return hal_pipeline_layout_set_count(get()); }
  size_t binding_count() const { return hal_pipeline_layout_binding_count(get()); }
  uint32_t constants_size() const { return hal_pipeline_layout_constants_size(get()); }
};

/// Loaded kernels.
class Executable : public Handle<hal_executable_t, hal_executable_retain, hal_executable_release> {
 public:
  using Handle::Handle;
  static Returned<Executable> Create(hal_device_t* device, const hal_executable_params_t& params) {
    return detail::Make<Executable>([&](auto** out) { return hal_executable_create(device, &params, out); });
  }
  /// Loads an executable file (.halx).
  static Returned<Executable> Load(hal_device_t* device, std::string_view path) {
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.path = View(path);
    return Create(device, params);
  }
  Executable Share() const { return Executable(Retained()); }

  uint32_t export_count() const { return hal_executable_export_count(get()); }
  /// NULL if out of range.
  const hal_export_info_t* ExportInfo(uint32_t ordinal) const { return hal_executable_export_info(get(), ordinal); }
  Returned<uint32_t> FindExport(std::string_view name) const {
    uint32_t ordinal = 0;
    const hal_status_t code = hal_executable_find_export(get(), View(name), &ordinal);
    return detail::Finish(code, std::move(ordinal));
  }
  Returned<Buffer> FindGlobal(uint32_t ordinal, std::string_view name) const {
    return detail::Make<Buffer>(
        [&](auto** out) { return hal_executable_find_global(get(), ordinal, View(name), out); });
  }
  /// Without a size: for the export's own.
  Returned<hal_export_properties_t> ExportProperties(uint32_t ordinal, hal_dim3_t workgroup_size = {0, 0, 0},
                                                     uint32_t dynamic_local_memory = 0) const {
    hal_export_properties_t properties = HAL_INIT(hal_export_properties_t);
    const hal_status_t code =
        hal_executable_query_export_properties(get(), ordinal, workgroup_size, dynamic_local_memory, &properties);
    return detail::Finish(code, std::move(properties));
  }
};

/// Executables by content.
class ExecutableCache
    : public Handle<hal_executable_cache_t, hal_executable_cache_retain, hal_executable_cache_release> {
 public:
  using Handle::Handle;
  static Returned<ExecutableCache> Create(
      hal_device_t* device, const hal_executable_cache_params_t& params = HAL_INIT(hal_executable_cache_params_t)) {
    return detail::Make<ExecutableCache>([&](auto** out) { return hal_executable_cache_create(device, &params, out); });
  }
  ExecutableCache Share() const { return ExecutableCache(Retained()); }

  Returned<Executable> Prepare(const hal_executable_params_t& params) const {
    return detail::Make<Executable>([&](auto** out) { return hal_executable_cache_prepare(get(), &params, out); });
  }
  Done Trim() const { return detail::Finish(hal_executable_cache_trim(get())); }
};

/// The parameters of a dispatch, put together in the order in which they read:
/// `Dispatch(4).Constant(7u).Bind(input).Bind(output)`.
///
/// It holds copies of constants and ranges; the buffers must outlive the call that takes it. A program that counts
/// allocations fills in a hal_dispatch_params_t, which every function takes as well.
class Dispatch {
 public:
  explicit Dispatch(uint32_t x = 1, uint32_t y = 1, uint32_t z = 1) { params_.workgroup_count = hal_dim3(x, y, z); }

  Dispatch& WorkgroupSize(uint32_t x, uint32_t y = 1, uint32_t z = 1) {
    params_.workgroup_size = hal_dim3(x, y, z);
    return *this;
  }
  /// Takes the number of workgroups from a buffer.
  Dispatch& Indirect(const Ref& counts) {
    params_.flags |= HAL_DISPATCH_INDIRECT;
    params_.indirect = counts;
    return *this;
  }
  /// Bytes.
  Dispatch& LocalMemory(uint32_t bytes) {
    params_.dynamic_local_memory = bytes;
    return *this;
  }
  /// Appends a constant, at the next multiple of its alignment as in a C struct.
  template <Plain T>
  Dispatch& Constant(const T& value) {
    const size_t offset = (constants_.size() + alignof(T) - 1) / alignof(T) * alignof(T);
    constants_.resize(offset + sizeof(T));
    std::memcpy(constants_.data() + offset, &value, sizeof(T));
    return *this;
  }
  /// Appends a constant that each execution takes from byte `offset` of its block of numbers.
  template <Plain T>
  Dispatch& ConstantFrom(uint32_t offset) {
    Constant(T());
    const auto target = static_cast<uint32_t>(constants_.size() - sizeof(T));
    numbers_.push_back({HAL_NUMBER_KIND_CONSTANTS, target, offset, sizeof(T)});
    return *this;
  }
  /// Each execution takes the workgroup count in one dimension, 0 to 2 for x to z, from byte `offset` of its block.
  Dispatch& CountFrom(uint32_t dimension, uint32_t offset) {
    numbers_.push_back({HAL_NUMBER_KIND_WORKGROUP_COUNT, dimension * 4, offset, 4});
    return *this;
  }
  /// Appends a binding.
  Dispatch& Bind(const Ref& ref) {
    bindings_.push_back(ref);
    return *this;
  }
  /// The C struct, which points into this object.
  hal_dispatch_params_t params() const {
    hal_dispatch_params_t params = params_;
    params.constants = constants_.data();
    params.constants_size = static_cast<uint32_t>(constants_.size());
    params.bindings = hal_buffer_ref_list(bindings_.data(), bindings_.size());
    params.numbers = numbers_.data();
    params.number_count = numbers_.size();
    return params;
  }

 private:
  hal_dispatch_params_t params_ = HAL_DISPATCH_PARAMS_INIT;
  std::vector<std::byte> constants_;
  std::vector<hal_buffer_ref_t> bindings_;
  std::vector<hal_number_ref_t> numbers_;
};

HAL_CPP_END

#include "halyard/cpp/macros_end.hpp"

#endif  // HALYARD_CPP_EXECUTABLE_HPP_
