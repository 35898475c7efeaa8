// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recordings.
#ifndef HALYARD_STREAM_STREAM_COMMAND_BUFFER_H_
#define HALYARD_STREAM_STREAM_COMMAND_BUFFER_H_

#include <span>

#include "common/host_memory.h"
#include "common/recorded_commands.h"
#include "common/status.h"
#include "halyard/driver_api.h"

namespace halyard::stream {

/// A list of commands, replayed into a stream by each execution. It does not change once it has ended, so any number of
/// submissions can replay it at once.
class StreamCommandBuffer final : public hal_command_buffer_t, public HostObject {
 public:
  explicit StreamCommandBuffer(const hal_command_buffer_vtable_t* vtable) : hal_command_buffer_t{} {
    hal_object_initialize(&object, HAL_OBJECT_KIND_COMMAND_BUFFER, vtable);
  }

  Status Begin() { return kOk; }
  Status Record(const hal_command_t* command) {
    commands_.Append(*command);
    return kOk;
  }
  Status End() { return kOk; }

  std::span<const hal_command_t> commands() const { return commands_.commands(); }

 private:
  RecordedCommands commands_;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_STREAM_COMMAND_BUFFER_H_
