// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The objects of halyard.hpp that tools use, made so that a failure ends the tool with words and an exit code.
#ifndef HALYARD_TOOLS_SUPPORT_HANDLES_H_
#define HALYARD_TOOLS_SUPPORT_HANDLES_H_

#include <string_view>

#include "halyard/halyard.hpp"
#include "support/program/check.h"

namespace halyard::tools {

using hal::Buffer;
using hal::BufferView;
using hal::CommandBuffer;
using hal::Device;
using hal::Driver;
using hal::Executable;
using hal::Semaphore;
using hal::TraceWriter;

/// Calls a function of the API whose last parameter returns a new object. `doing` and `code` as for Check().
template <class Handle, class Function, class... Arguments>
Handle Create(ExitCode code, std::string_view doing, Function function, Arguments... arguments) {
  typename Handle::Native* object = nullptr;
  Check(function(arguments..., &object), code, doing);
  return Handle(object);
}

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_HANDLES_H_
