// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/executable/pipeline_layout.h"

#include <algorithm>

#include "core/public_call.h"
#include "core/validation/checks.h"
#include "driver_kit/device/limit_checks.h"
#include "halyard/pipeline_layout.h"

namespace halyard {
namespace {

Status CheckBinding(std::span<const hal_descriptor_binding_t> bindings, size_t index) {
  const hal_descriptor_binding_t& binding = bindings[index];
  if (static_cast<uint32_t>(binding.access) > HAL_BINDING_ACCESS_WRITE) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "bindings[%zu].access is %u, which is unknown", index,
                static_cast<unsigned>(binding.access));
  }
  if (index == 0 || bindings[index - 1].binding < binding.binding) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "bindings[%zu].binding is %u after %u; numbers must rise", index,
              binding.binding, bindings[index - 1].binding);
}

Status CreateSetLayout(hal_device_t* device, size_t binding_count, const hal_descriptor_binding_t* given,
                       hal_descriptor_set_layout_t** out_layout) {
  HAL_TRY(CheckNotNull("device", device));
  const uint32_t most = device->info->limits->max_bindings;
  HAL_TRY(CheckLimit("binding_count", binding_count, most));
  if (binding_count > 0) HAL_TRY(CheckNotNull("bindings", given));
  const std::span<const hal_descriptor_binding_t> bindings(given, binding_count);
  for (size_t i = 0; i < binding_count; ++i) HAL_TRY(CheckBinding(bindings, i));
  *out_layout = DescriptorSetLayout::Create(bindings).release();
  return kOk;
}

Status CheckPipelineLimits(const hal_device_limits_t& limits, const PipelineLayout& layout) {
  HAL_TRY(CheckLimit("constants_size", layout.ConstantsSize(), limits.max_constants_size));
  return CheckLimit("the number of bindings", layout.BindingCount(), limits.max_bindings);
}

Status CreatePipelineLayout(hal_device_t* device, size_t set_count, hal_descriptor_set_layout_t* const* sets,
                            uint32_t constants_size, hal_pipeline_layout_t** out_layout) {
  HAL_TRY(CheckNotNull("device", device));
  const hal_device_limits_t& limits = *device->info->limits;
  const uint32_t most_sets = std::min(limits.max_descriptor_sets, kMaxDescriptorSets);
  HAL_TRY(CheckLimit("set_count", set_count, most_sets));
  if (set_count > 0) HAL_TRY(CheckNotNull("sets", sets));
  Ref<hal_pipeline_layout_t> layout = PipelineLayout::Create({sets, set_count}, constants_size);
  HAL_TRY(CheckPipelineLimits(limits, PipelineLayout::From(layout.get())));
  *out_layout = layout.release();
  return kOk;
}

}  // namespace
}  // namespace halyard

using halyard::DescriptorSetLayout;
using halyard::PipelineLayout;
using halyard::PublicThatGives;

hal_status_t hal_descriptor_set_layout_create(hal_device_t* device, size_t binding_count,
                                              const hal_descriptor_binding_t* bindings,
                                              hal_descriptor_set_layout_t** out_layout) {
  return PublicThatGives("out_layout", out_layout,
                         [&] { return halyard::CreateSetLayout(device, binding_count, bindings, out_layout); });
}

void hal_descriptor_set_layout_retain(hal_descriptor_set_layout_t* layout) { halyard::RetainHandle(layout); }
void hal_descriptor_set_layout_release(hal_descriptor_set_layout_t* layout) { halyard::ReleaseHandle(layout); }

const hal_descriptor_binding_t* hal_descriptor_set_layout_bindings(hal_descriptor_set_layout_t* layout,
                                                                   size_t* out_count) {
  const auto bindings = halyard::IsUsable("layout", layout) ? DescriptorSetLayout::From(layout).Bindings()
                                                            : std::span<const hal_descriptor_binding_t>();
  if (out_count) *out_count = bindings.size();
  return bindings.empty() ? nullptr : bindings.data();
}

hal_status_t hal_pipeline_layout_create(hal_device_t* device, size_t set_count,
                                        hal_descriptor_set_layout_t* const* sets, uint32_t constants_size,
                                        hal_pipeline_layout_t** out_layout) {
  return PublicThatGives("out_layout", out_layout, [&] {
    return halyard::CreatePipelineLayout(device, set_count, sets, constants_size, out_layout);
  });
}

void hal_pipeline_layout_retain(hal_pipeline_layout_t* layout) { halyard::RetainHandle(layout); }
void hal_pipeline_layout_release(hal_pipeline_layout_t* layout) { halyard::ReleaseHandle(layout); }

size_t hal_pipeline_layout_set_count(hal_pipeline_layout_t* layout) {
  return halyard::IsUsable("layout", layout) ? PipelineLayout::From(layout).SetCount() : 0;
}

hal_descriptor_set_layout_t* hal_pipeline_layout_set(hal_pipeline_layout_t* layout, size_t index) {
  return halyard::IsUsable("layout", layout) ? PipelineLayout::From(layout).Set(index) : nullptr;
}

size_t hal_pipeline_layout_binding_count(hal_pipeline_layout_t* layout) {
  return halyard::IsUsable("layout", layout) ? PipelineLayout::From(layout).BindingCount() : 0;
}

uint32_t hal_pipeline_layout_constants_size(hal_pipeline_layout_t* layout) {
  return halyard::IsUsable("layout", layout) ? PipelineLayout::From(layout).ConstantsSize() : 0;
}
