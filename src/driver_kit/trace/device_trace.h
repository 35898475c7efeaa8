// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameter "trace" of every device: a capture from its opening to its end, as a file.
#ifndef HALYARD_DRIVER_KIT_TRACE_DEVICE_TRACE_H_
#define HALYARD_DRIVER_KIT_TRACE_DEVICE_TRACE_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/host_memory.h"
#include "base/process_id.h"
#include "base/status.h"
#include "halyard/profiling.h"

namespace halyard {

/// Collects what a device reports and writes it when it is destroyed, or when the process ends before that. That may
/// fail only then: the log is told.
class DeviceTrace : public HostObject {
 public:
  /// Writes an empty trace, so that a file that cannot be written is refused now.
  static Status Create(std::string_view path, std::unique_ptr<DeviceTrace>* out_trace);
  ~DeviceTrace();
  DeviceTrace(const DeviceTrace&) = delete;
  DeviceTrace& operator=(const DeviceTrace&) = delete;

  /// Writes what there is so far, unless the device is that of a parent process, whose file it is.
  void SaveOwn() const noexcept;
  hal_profiling_sink_t sink() const { return hal_trace_writer_sink(writer_); }

 private:
  explicit DeviceTrace(std::string_view path) : path_(path), process_(ProcessId()) {}
  void Save() const noexcept;
  Status Write() const { return hal_trace_writer_write(writer_, {path_.data(), path_.size()}); }

  const HostString path_;
  const uint64_t process_;
  hal_trace_writer_t* writer_ = nullptr;
  bool listed_ = false;  // among those that the end of the process saves
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_TRACE_DEVICE_TRACE_H_
