// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers of the null driver.
#ifndef HALYARD_DRIVERS_NULL_NULL_COMMAND_BUFFER_H_
#define HALYARD_DRIVERS_NULL_NULL_COMMAND_BUFFER_H_

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/queue/recorded_commands.h"
#include "halyard/driver_api.h"

namespace halyard::null {

/// The core has checked every command and keeps the state (initial, recording, executable).
/// Replace: encode into the vendor's command buffer, in Record() or, with all commands in view, in End().
/// RecordedCommands holds a deep copy until then, and keeps what the commands name alive. A command buffer may be
/// executed by several submissions at once, so it does not change after End().
class NullCommandBuffer final : public hal_command_buffer_t, public HostObject {
 public:
  explicit NullCommandBuffer(const hal_command_buffer_vtable_t* vtable) : hal_command_buffer_t{} {
    hal_object_initialize(&object, HAL_OBJECT_KIND_COMMAND_BUFFER, vtable);
  }

  Status Begin() { return kOk; }
  Status Record(const hal_command_t* command) {
    commands_.Append(*command);
    return kOk;
  }
  Status End() { return kOk; }

 private:
  RecordedCommands commands_;
};

}  // namespace halyard::null

#endif  // HALYARD_DRIVERS_NULL_NULL_COMMAND_BUFFER_H_
