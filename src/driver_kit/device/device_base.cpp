// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/device/device_base.h"

#include "driver_kit/device/event.h"
#include "driver_kit/timeline/timepoint_blocks.h"
#include "driver_kit/timeline/waiting_threads.h"
#include "driver_kit/trace/device_trace.h"

namespace halyard {
DeviceBase::DeviceBase(const hal_driver_interface_t& tables)
    : hal_device_t{}, limits_(WidestLimits()), tables_(tables) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_DEVICE, tables.device);
  info_.struct_size = sizeof(info_);
  info_.driver = tables.name;
  info_.queue_count = 1;
  info_.limits = &limits_;
  info = &info_;
  WaitingThreads::Get();
}

DeviceBase::~DeviceBase() = default;

void DeviceBase::TrimHostMemory() {
  arenas_.Trim();
  TimepointPool::TrimIfAny();
  IdleTimepointQueues::TrimIfAny();
  health_.TrimSemaphores();
}

Status DeviceBase::StartTrace(std::string_view path) {
  if (path.empty()) return kOk;
  HAL_TRY(DeviceTrace::Create(path, &trace_));
  const hal_profiling_sink_t sink = trace_->sink();
  constexpr hal_profiling_flags_t kAll =
      HAL_PROFILING_QUEUE_OPERATIONS | HAL_PROFILING_DISPATCHES | HAL_PROFILING_DEBUG_GROUPS;
  return FromC(hal_device_profiling_begin(this, kAll, &sink));
}

Status DeviceBase::CreateSemaphore(const hal_semaphore_params_t* params, hal_semaphore_t** out_semaphore) {
  std::unique_ptr<TrackedSemaphore> semaphore(
      health_.semaphore_memory().Make<TrackedSemaphore>(health_, tables_.semaphore, params->initial_value));
  semaphore->SetWaitMode(wait_mode_);
  HAL_TRY(health_.Track(*semaphore));
  *out_semaphore = semaphore.release();
  return kOk;
}

Status DeviceBase::QueryInterface(hal_string_view_t name, uint32_t version, const void** out_table) {
  HostString known;
  for (size_t i = 0; i < extension_names_.size(); ++i) {
    const hal_device_extension_t& extension = extension_names_[i];
    if (View(extension.name) == View(name) && version <= extension.version) {
      *out_table = extension_tables_[i];
      return kOk;
    }
    known.append(known.empty() ? "'" : ", '").append(View(extension.name)).append("'");
  }
  return Fail(HAL_STATUS_UNIMPLEMENTED, "driver '%.*s' has no extension '%.*s' of version %u; it has %s",
              HALYARD_SV(View(info_.driver)), HALYARD_SV(View(name)), version, known.empty() ? "none" : known.c_str());
}

Status DeviceBase::QueryProperties(hal_device_properties_t* out_properties) {
  *out_properties = properties_;
  out_properties->extensions = {extension_names_.size(), extension_names_.data()};
  return kOk;
}

void DeviceBase::AddExtension(const DeviceExtension& extension) {
  extension_names_.push_back({hal_string_view(extension.name), extension.version, 0});
  extension_tables_.push_back(extension.table);
}

Status DeviceBase::CreateEvent(hal_event_t** out_event) {
  *out_event = new Event(tables().event);
  return kOk;
}

Status DeviceBase::ProfilingBegin(hal_profiling_flags_t flags, const hal_profiling_sink_t* sink) {
  return profiling_.Begin(flags, sink);
}

}  // namespace halyard
