// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/executable/pipeline_layout.h"

#include "driver_kit/object/live_objects.h"
#include "driver_kit/object/vtable.h"

namespace halyard {
namespace {

constexpr hal_object_vtable_t kSetLayoutTable = {sizeof(hal_object_vtable_t),
                                                 DestroyEntry<DescriptorSetLayout, hal_descriptor_set_layout_t>};
constexpr hal_object_vtable_t kPipelineLayoutTable = {sizeof(hal_object_vtable_t),
                                                      DestroyEntry<PipelineLayout, hal_pipeline_layout_t>};

}  // namespace

DescriptorSetLayout::DescriptorSetLayout(std::span<const hal_descriptor_binding_t> bindings)
    : hal_descriptor_set_layout_t{}, bindings_(bindings.begin(), bindings.end()) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_DESCRIPTOR_SET_LAYOUT, &kSetLayoutTable);
  LiveObjects::Made(HAL_OBJECT_KIND_DESCRIPTOR_SET_LAYOUT);
}

Ref<hal_descriptor_set_layout_t> DescriptorSetLayout::Create(std::span<const hal_descriptor_binding_t> bindings) {
  return Ref<hal_descriptor_set_layout_t>::Adopting(new DescriptorSetLayout(bindings));
}

const DescriptorSetLayout& DescriptorSetLayout::From(const hal_descriptor_set_layout_t* layout) {
  return *static_cast<const DescriptorSetLayout*>(layout);
}

PipelineLayout::PipelineLayout(std::span<hal_descriptor_set_layout_t* const> sets, uint32_t constants_size)
    : hal_pipeline_layout_t{}, constants_size_(constants_size) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_PIPELINE_LAYOUT, &kPipelineLayoutTable);
  sets_.reserve(sets.size());
  for (hal_descriptor_set_layout_t* set : sets) {
    sets_.push_back(Ref<hal_descriptor_set_layout_t>::Retaining(set));
    if (set) binding_count_ += DescriptorSetLayout::From(set).Bindings().size();
  }
  LiveObjects::Made(HAL_OBJECT_KIND_PIPELINE_LAYOUT);  // last: what throws makes none
}

Ref<hal_pipeline_layout_t> PipelineLayout::Create(std::span<hal_descriptor_set_layout_t* const> sets,
                                                  uint32_t constants_size) {
  return Ref<hal_pipeline_layout_t>::Adopting(new PipelineLayout(sets, constants_size));
}

const PipelineLayout& PipelineLayout::From(const hal_pipeline_layout_t* layout) {
  return *static_cast<const PipelineLayout*>(layout);
}

std::span<const hal_descriptor_binding_t> PipelineLayout::SetBindings(size_t index) const {
  const hal_descriptor_set_layout_t* set = Set(index);
  return set ? DescriptorSetLayout::From(set).Bindings() : std::span<const hal_descriptor_binding_t>();
}

}  // namespace halyard
