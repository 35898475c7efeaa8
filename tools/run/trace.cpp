// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace.h"

namespace halyard::tools {

Trace::Trace(hal_device_t* device)
    : device_(device), writer_(Create<TraceWriter>(ExitCode::kInternal, "make a trace", hal_trace_writer_create)) {
  const hal_profiling_sink_t sink = hal_trace_writer_sink(writer_.get());
  Check(hal_device_profiling_begin(
            device_, HAL_PROFILING_QUEUE_OPERATIONS | HAL_PROFILING_DISPATCHES | HAL_PROFILING_DEBUG_GROUPS, &sink),
        ExitCode::kDevice, "trace the device");
  profiling_ = true;
}

Trace::~Trace() {
  if (profiling_) hal_device_profiling_end(device_);
}

void Trace::Write(const std::string& path) {
  profiling_ = false;
  Check(hal_device_profiling_end(device_), ExitCode::kDevice, "end the trace");
  Check(hal_trace_writer_write(writer_.get(), View(path)), ExitCode::kOutput, "write '" + path + "'");
}

}  // namespace halyard::tools
