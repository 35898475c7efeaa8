// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list of commands that owns all it refers to.
#ifndef HALYARD_DRIVER_KIT_QUEUE_RECORDED_COMMANDS_H_
#define HALYARD_DRIVER_KIT_QUEUE_RECORDED_COMMANDS_H_

#include <span>

#include "base/arena.h"
#include "base/host_memory.h"
#include "driver_kit/queue/retained_objects.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Deep copies of commands: data, constants, bindings, shapes and labels lie in its arena, and the objects that they
/// name are retained. Used for command buffers and for single commands on a queue. Keeps its memory when cleared.
class RecordedCommands {
 public:
  void Append(const hal_command_t& command);
  std::span<const hal_command_t> commands() const { return commands_; }
  void Clear() noexcept;

 private:
  void Own(hal_buffer_ref_t ref) { retained_.Add(ref.buffer); }
  void OwnDispatch(hal_command_dispatch_t& dispatch);
  const hal_shape_t* CopyShapes(const hal_shape_t* shapes, size_t count);
  void OwnWaitEvents(hal_command_wait_events_t& wait);

  HostVector<hal_command_t> commands_;
  Arena arena_;
  RetainedObjects retained_;
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_RECORDED_COMMANDS_H_
