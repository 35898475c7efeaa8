// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/trace/device_trace.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>

#include "base/file/file_contents.h"
#include "base/log.h"
#include "base/process_wide.h"
#include "driver_kit/object/vtable.h"
#include "driver_kit/trace/trace_json.h"
#include "platform/process.h"

namespace halyard {
namespace {

/// The traces that are there. A device may be destroyed on another thread, a moment after its last user released it,
/// and not at all once the process ends.
class LiveTraces : public HostObject {
 public:
  LiveTraces() {
    static constinit std::atomic<bool> is_registered{false};
    if (!is_registered.exchange(true, std::memory_order_relaxed)) std::atexit(SaveAll);
  }
  void Add(DeviceTrace* trace) {
    const std::lock_guard lock(mutex_);
    traces_.push_back(trace);
  }
  void Remove(DeviceTrace* trace) {
    const std::lock_guard lock(mutex_);
    traces_.erase(std::remove(traces_.begin(), traces_.end(), trace), traces_.end());
  }

 private:
  static void SaveAll() {
    const auto* const traces = ProcessWide<LiveTraces>::Find();
    if (!traces) return;
    const std::lock_guard lock(traces->mutex_);
    for (const DeviceTrace* trace : traces->traces_) trace->SaveOwn();
  }

  mutable std::mutex mutex_;  // protects what follows; files are written under it when the process ends
  HostVector<DeviceTrace*> traces_;
};

}  // namespace

Status DeviceTrace::Create(std::string_view path, std::unique_ptr<DeviceTrace>* out_trace) {
  std::unique_ptr<DeviceTrace> trace(new DeviceTrace(path));
  Status status = FromC(hal_trace_writer_create(&trace->writer_));
  if (status == kOk) status = trace->Write();
  if (status != kOk) return Annotate(status, "trace: ");
  ProcessWide<LiveTraces>::Get().Add(trace.get());
  trace->listed_ = true;
  *out_trace = std::move(trace);
  return kOk;
}

DeviceTrace::~DeviceTrace() {
  if (listed_) {  // else it was refused, and the caller is told
    ProcessWide<LiveTraces>::Get().Remove(this);
    SaveOwn();
  }
  hal_trace_writer_destroy(writer_);
}

// An empty file is one that the application made for the trace.
Status DeviceTrace::CheckReplaceable() const {
  FileReader reader;
  std::array<char, kTraceBeginning.size()> beginning;
  size_t size = 0;
  Status status = reader.Open(path_.c_str(), SpecialFiles::kRefuse);
  if (status.code() == HAL_STATUS_NOT_FOUND) {
    status.Ignore();
    return kOk;
  }
  if (status == kOk) status = reader.Read(std::as_writable_bytes(std::span(beginning)), &size);
  if (status == kOk && size > 0 && std::string_view(beginning.data(), size) != kTraceBeginning) {
    status = Fail(HAL_STATUS_ALREADY_EXISTS,
                  "'%s' is there already, and is no trace of Halyard; remove it or name another file", path_.c_str());
  }
  return status;
}

Status DeviceTrace::Write() const {
  HAL_TRY(Guard([this] { return CheckReplaceable(); }));
  return FromC(hal_trace_writer_write(writer_, {path_.data(), path_.size()}));
}

void DeviceTrace::SaveOwn() const noexcept {
  if (process_ == ProcessId()) Save();
}

void DeviceTrace::Save() const noexcept {
  const LastMessageScope message(kOk);  // what Write() calls is a function of the API
  const Failure failure(Write());
  if (!failure) return;
  try {
    Log(HAL_LOG_LEVEL_ERROR, HostString("trace: ").append(failure.message()));
  } catch (const std::bad_alloc&) {
    Log(HAL_LOG_LEVEL_ERROR, "trace: the file could not be written");
  }
}

}  // namespace halyard
