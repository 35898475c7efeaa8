// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trace of what the device does, from construction until it is written.
#ifndef HALYARD_TOOLS_RUN_TRACE_H_
#define HALYARD_TOOLS_RUN_TRACE_H_

#include <string>

#include "support/program/handles.h"

namespace halyard::tools {

class Trace {
 public:
  /// Begins a profiling session. Throws Failure (kDevice) if the device offers none.
  explicit Trace(hal_device_t* device);
  /// Ends the session if it has not been written.
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  /// Ends the session and writes it as JSON that Perfetto opens. Throws Failure (kOutput).
  void Write(const std::string& path);

 private:
  hal_device_t* device_;
  TraceWriter writer_;
  bool profiling_ = false;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_TRACE_H_
