// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects of the C API that release themselves.
#ifndef HALYARD_TOOLS_SUPPORT_HANDLES_H_
#define HALYARD_TOOLS_SUPPORT_HANDLES_H_

#include <memory>
#include <string_view>

#include "halyard/halyard.h"
#include "support/check.h"

namespace halyard::tools {

template <auto kRelease>
struct Releaser {
  template <class T>
  void operator()(T* object) const {
    kRelease(object);
  }
};

using Driver = std::unique_ptr<hal_driver_t, Releaser<hal_driver_release>>;
using Device = std::unique_ptr<hal_device_t, Releaser<hal_device_release>>;
using Buffer = std::unique_ptr<hal_buffer_t, Releaser<hal_buffer_release>>;
using BufferView = std::unique_ptr<hal_buffer_view_t, Releaser<hal_buffer_view_release>>;
using Semaphore = std::unique_ptr<hal_semaphore_t, Releaser<hal_semaphore_release>>;
using CommandBuffer = std::unique_ptr<hal_command_buffer_t, Releaser<hal_command_buffer_release>>;
using Executable = std::unique_ptr<hal_executable_t, Releaser<hal_executable_release>>;
using TraceWriter = std::unique_ptr<hal_trace_writer_t, Releaser<hal_trace_writer_destroy>>;

/// Calls a function of the API whose last parameter returns a new object. `doing` and `code` as for Check().
template <class Handle, class Function, class... Arguments>
Handle Create(ExitCode code, std::string_view doing, Function function, Arguments... arguments) {
  typename Handle::pointer object = nullptr;
  Check(function(arguments..., &object), code, doing);
  return Handle(object);
}

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_HANDLES_H_
