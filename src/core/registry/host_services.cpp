// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <new>
#include <span>

#include "base/drain_scope.h"
#include "base/host_memory.h"
#include "base/log.h"
#include "core/validation/checks.h"
#include "driver_kit/executable/export_table.h"
#include "driver_kit/executable/pipeline_layout.h"
#include "driver_kit/object/labels.h"
#include "driver_kit/timeline/timeline_semaphore.h"

namespace halyard {
namespace {

hal_status_t SetError(hal_status_t status, hal_string_view_t message) noexcept {
  return ToC(FailWith(status, View(message)));
}

const char* LastError() noexcept { return LeftMessage().data(); }

void* Allocate(size_t size, size_t alignment) noexcept {
  try {
    return HostAllocate(size, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void WriteLog(hal_log_level_t level, hal_string_view_t message) noexcept { Log(level, View(message)); }

hal_status_t CreateSemaphore(hal_device_t* device, const hal_semaphore_params_t* params,
                             hal_semaphore_t** out_semaphore) noexcept {
  return ToC(Guard([&] { return CreateTimelineSemaphore(device, params->initial_value, out_semaphore); }));
}

hal_status_t CreateLayout(size_t parameter_count, const hal_parameter_t* given, uint32_t constants_size,
                          hal_pipeline_layout_t** out_layout) noexcept {
  const std::span<const hal_parameter_t> parameters(given, parameter_count);
  for (size_t i = 0; i < parameter_count; ++i) {
    if (parameters[i].kind != HAL_PARAMETER_KIND_BINDING || parameters[i].set < kMaxDescriptorSets) continue;
    return ToC(Fail(HAL_STATUS_INVALID_ARGUMENT, "parameters[%zu].set is %u; sets are numbered below %u", i,
                    parameters[i].set, kMaxDescriptorSets));
  }
  return ToC(Guard([&] {
    *out_layout = LayoutFromParameters(parameters, constants_size).release();
    return kOk;
  }));
}

/// What a driver defers, made in the driver's own hal_deferred_t.
class DeferredItem final : public Runnable {
 public:
  void Run() noexcept override {
    auto* const item = reinterpret_cast<hal_deferred_t*>(this);
    item->run(item);
  }
};
static_assert(sizeof(DeferredItem) == sizeof(hal_deferred_t::reserved) && offsetof(hal_deferred_t, reserved) == 0);

void Defer(hal_deferred_t* item) noexcept { DrainScope::DeferLong(new (item->reserved) DeferredItem()); }

constexpr hal_host_services_t kHostServices = {
    .struct_size = sizeof(hal_host_services_t),
    .abi_version = HAL_DRIVER_ABI_VERSION,
    .version = HAL_VERSION,
    .set_error = SetError,
    .last_error = LastError,
    .allocate = Allocate,
    .free = HostFree,
    .log = WriteLog,
    .retain = RetainObject,
    .release = ReleaseObject,
    .create_timeline_semaphore = CreateSemaphore,
    .create_pipeline_layout = CreateLayout,
    .defer = Defer,
    .copy_object_label = Labels::Copy,
};

}  // namespace
}  // namespace halyard

const hal_host_services_t* hal_host_services(void) { return &halyard::kHostServices; }
