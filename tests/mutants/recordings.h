// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver that keeps a recording back until it ends, and hands it on rearranged. Commands between two barriers may run
// in any order, so they go on backwards: a barrier that was lost then shows, every time.
#ifndef HALYARD_TESTS_MUTANTS_RECORDINGS_H_
#define HALYARD_TESTS_MUTANTS_RECORDINGS_H_

#include <vector>

#include "mutants/spoil.h"

namespace halyard::faults {

using Commands = std::vector<hal_command_t>;

/// Whether commands before and after this one keep their order.
inline bool Separates(const hal_command_t& command) {
  return command.type == HAL_COMMAND_TYPE_BARRIER || command.type == HAL_COMMAND_TYPE_WAIT_EVENTS;
}
inline bool IsBarrier(const hal_command_t& command) { return command.type == HAL_COMMAND_TYPE_BARRIER; }

/// Turns the commands between separators round.
void ReverseSegments(Commands& commands);

/// @name Entries of the command buffer's table
/// @{
hal_status_t HoldCommand(hal_command_buffer_t* command_buffer, const hal_command_t* command);
/// Hands on what was held back, as `arrange` has it.
hal_status_t EndHeldRecording(hal_command_buffer_t* command_buffer, void (*arrange)(Commands&));
void DestroyHeldRecording(hal_object_t* command_buffer);
/// @}

/// Lets `kSpoil` change every recording, then turns its segments round.
template <void (*kSpoil)(Commands&)>
void PlantInRecordings(Tables& tables) {
  tables.command_buffer.record = HoldCommand;
  tables.command_buffer.end = [](hal_command_buffer_t* command_buffer) {
    return EndHeldRecording(command_buffer, [](Commands& commands) {
      kSpoil(commands);
      ReverseSegments(commands);
    });
  };
  tables.command_buffer.destroy = DestroyHeldRecording;
}

}  // namespace halyard::faults

#endif  // HALYARD_TESTS_MUTANTS_RECORDINGS_H_
