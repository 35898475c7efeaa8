// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/file/atomic_file.h"
#include "base/status.h"
#include "core/public_call.h"
#include "core/validation/checks.h"
#include "driver_kit/trace/trace_json.h"
#include "halyard/device.h"
#include "halyard/profiling.h"

/// Collects records from any thread. Names and devices are kept once each, as they come with every record.
struct hal_trace_writer_t : halyard::HostObject {
 public:
  void Record(const hal_profiling_record_t& record) noexcept;
  /// A copy of what was collected, so that no thread waits for a file.
  halyard::Trace Snapshot() const;

 private:
  // The address alone does not tell devices apart: it may be used again after a device is gone.
  using DeviceKey = std::pair<const hal_device_t*, halyard::HostString>;

  void Append(const hal_profiling_record_t& record, const halyard::HostString& device_label);
  uint32_t NameIndex(std::string_view name);
  uint32_t DeviceIndex(hal_device_t* device, const halyard::HostString& label);

  mutable std::mutex mutex_;  // protects what follows
  halyard::Trace trace_;
  halyard::HostMap<halyard::HostString, uint32_t> names_;
  halyard::HostMap<DeviceKey, uint32_t> devices_;
};

namespace halyard {
namespace {

HostString DeviceLabel(hal_device_t* device) {
  const hal_device_info_t* const info = hal_device_info(device);
  if (!info) return "unknown device";
  HostString label(View(info->driver));
  label.append("://").append(View(info->id)).append(" (").append(View(info->name)).append(")");
  return label;
}

void OnRecord(void* user_data, const hal_profiling_record_t* record) {
  static_cast<hal_trace_writer_t*>(user_data)->Record(*record);
}

Status CreateWriter(hal_trace_writer_t** out_writer) {
  HAL_TRY(CheckNotNull("out_writer", out_writer));
  *out_writer = nullptr;
  *out_writer = new hal_trace_writer_t;
  return kOk;
}

Status WriteTrace(hal_trace_writer_t* writer, std::string_view path) {
  HAL_TRY(CheckNotNull("writer", writer));
  if (path.empty()) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "path is empty");
  if (path.find('\0') != std::string_view::npos) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "path holds a zero byte");
  const Status status = WriteFileAtomically(path, FormatTrace(writer->Snapshot()));
  return status == kOk ? kOk : status;
}

}  // namespace
}  // namespace halyard

void hal_trace_writer_t::Record(const hal_profiling_record_t& record) noexcept {
  try {
    const halyard::HostString label = halyard::DeviceLabel(record.device);
    const std::lock_guard lock(mutex_);
    Append(record, label);
  } catch (const std::bad_alloc&) {
    const std::lock_guard lock(mutex_);
    ++trace_.dropped;
  }
}

halyard::Trace hal_trace_writer_t::Snapshot() const {
  const std::lock_guard lock(mutex_);
  return trace_;
}

void hal_trace_writer_t::Append(const hal_profiling_record_t& record, const halyard::HostString& device_label) {
  // A driver of an earlier version ends its records before that.
  const bool knows_label = record.struct_size >= offsetof(hal_profiling_record_t, depth) + sizeof(record.depth);
  trace_.records.push_back({record.kind, record.status, DeviceIndex(record.device, device_label),
                            NameIndex(halyard::View(record.name)), record.operation, record.queue, record.command,
                            record.submit_time, record.start_time, record.end_time, record.workgroup_count,
                            NameIndex(knows_label ? halyard::View(record.label) : std::string_view()),
                            knows_label ? record.depth : 0});
}

uint32_t hal_trace_writer_t::NameIndex(std::string_view name) {
  if (const auto known = names_.find(name); known != names_.end()) return known->second;
  trace_.names.emplace_back(name);
  return names_.emplace(name, static_cast<uint32_t>(trace_.names.size() - 1)).first->second;
}

uint32_t hal_trace_writer_t::DeviceIndex(hal_device_t* device, const halyard::HostString& label) {
  const DeviceKey key(device, label);
  if (const auto known = devices_.find(key); known != devices_.end()) return known->second;
  trace_.devices.push_back(label);
  return devices_.emplace(key, static_cast<uint32_t>(trace_.devices.size() - 1)).first->second;
}

hal_status_t hal_trace_writer_create(hal_trace_writer_t** out_writer) {
  return halyard::Public([&] { return halyard::CreateWriter(out_writer); });
}

hal_profiling_sink_t hal_trace_writer_sink(hal_trace_writer_t* writer) {
  hal_profiling_sink_t sink = HAL_INIT(hal_profiling_sink_t);
  if (!writer) return sink;
  sink.user_data = writer;
  sink.record = halyard::OnRecord;
  return sink;
}

hal_status_t hal_trace_writer_write(hal_trace_writer_t* writer, hal_string_view_t path) {
  return halyard::Public([&] { return halyard::WriteTrace(writer, halyard::View(path)); });
}

void hal_trace_writer_destroy(hal_trace_writer_t* writer) { delete writer; }
