// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptor set layouts and pipeline layouts: plain data that belongs to no device. Drivers make them for reflection;
// the core makes them for the application after checking the arguments against a device.
#ifndef HALYARD_DRIVER_KIT_EXECUTABLE_PIPELINE_LAYOUT_H_
#define HALYARD_DRIVER_KIT_EXECUTABLE_PIPELINE_LAYOUT_H_

#include <span>

#include "base/host_memory.h"
#include "driver_kit/object/object.h"
#include "halyard/driver_api.h"

struct hal_descriptor_set_layout_t {
  hal_object_t object;
};

struct hal_pipeline_layout_t {
  hal_object_t object;
};

namespace halyard {

/// More sets than any API knows. Set numbers beyond it are mistakes, whatever a device says.
inline constexpr uint32_t kMaxDescriptorSets = 256;

/// The bindings of one set, in rising order of their numbers.
class DescriptorSetLayout final : public hal_descriptor_set_layout_t, public HostObject {
 public:
  /// `bindings` must be in rising order of their numbers. Throws std::bad_alloc.
  static Ref<hal_descriptor_set_layout_t> Create(std::span<const hal_descriptor_binding_t> bindings);
  static const DescriptorSetLayout& From(const hal_descriptor_set_layout_t* layout);

  std::span<const hal_descriptor_binding_t> Bindings() const { return bindings_; }

 private:
  explicit DescriptorSetLayout(std::span<const hal_descriptor_binding_t> bindings);

  HostVector<hal_descriptor_binding_t> bindings_;
};

/// The sets of an export, in order, and the bytes of constants that it takes.
class PipelineLayout final : public hal_pipeline_layout_t, public HostObject {
 public:
  /// Retains the sets; NULL stands for an unused one. Throws std::bad_alloc.
  static Ref<hal_pipeline_layout_t> Create(std::span<hal_descriptor_set_layout_t* const> sets, uint32_t constants_size);
  static const PipelineLayout& From(const hal_pipeline_layout_t* layout);

  size_t SetCount() const { return sets_.size(); }
  /// NULL if unused or out of range.
  hal_descriptor_set_layout_t* Set(size_t index) const { return index < sets_.size() ? sets_[index].get() : nullptr; }
  /// The bindings of a set; none if it is unused or out of range.
  std::span<const hal_descriptor_binding_t> SetBindings(size_t index) const;
  /// Bindings over all sets: the length of the flat list that a dispatch gives.
  size_t BindingCount() const { return binding_count_; }
  uint32_t ConstantsSize() const { return constants_size_; }

 private:
  PipelineLayout(std::span<hal_descriptor_set_layout_t* const> sets, uint32_t constants_size);

  HostVector<Ref<hal_descriptor_set_layout_t>> sets_;
  size_t binding_count_ = 0;
  uint32_t constants_size_;
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_EXECUTABLE_PIPELINE_LAYOUT_H_
