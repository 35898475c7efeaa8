// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameter "trace" of every device: writes a profiling session, from the device's opening to its end, to a file.
#ifndef HALYARD_DRIVER_KIT_TRACE_DEVICE_TRACE_H_
#define HALYARD_DRIVER_KIT_TRACE_DEVICE_TRACE_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/profiling.h"
#include "platform/process.h"

namespace halyard {

/// Collects what a device reports. The destructor writes it to the file, or the end of the process if that is earlier.
/// If the write fails then, the object logs an error.
class DeviceTrace : public HostObject {
 public:
  /// Writes an empty trace, so that a file that is not writable is refused now. ALREADY_EXISTS if `path` is a file with
  /// other contents than a trace: the path may come with a URI from outside the program.
  static Status Create(std::string_view path, std::unique_ptr<DeviceTrace>* out_trace);
  ~DeviceTrace();
  DeviceTrace(const DeviceTrace&) = delete;
  DeviceTrace& operator=(const DeviceTrace&) = delete;

  /// Writes the trace so far. In a child of fork() it writes nothing, because the file is the parent's.
  void SaveOwn() const noexcept;
  hal_profiling_sink_t sink() const { return hal_trace_writer_sink(writer_); }

 private:
  explicit DeviceTrace(std::string_view path) : path_(path), process_(ProcessId()) {}
  void Save() const noexcept;
  Status CheckReplaceable() const;
  Status Write() const;

  const HostString path_;
  const uint64_t process_;
  hal_trace_writer_t* writer_ = nullptr;
  bool listed_ = false;  // among those that the end of the process saves
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_TRACE_DEVICE_TRACE_H_
