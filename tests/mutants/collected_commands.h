// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver that collects commands until recording ends, and then records them rearranged. Commands between two barriers
// may run in any order, so they are reversed: a lost barrier then shows every time.
#ifndef HALYARD_TESTS_MUTANTS_COLLECTED_COMMANDS_H_
#define HALYARD_TESTS_MUTANTS_COLLECTED_COMMANDS_H_

#include <vector>

#include "mutants/mutations.h"

namespace halyard::mutants {

using Commands = std::vector<hal_command_t>;

/// Hazards that a mutant overlooks.
enum class Hazards { kNone, kReadAfterWrite, kWriteAfterRead, kWriteAfterWrite, kPartialOverlaps, kCounts, kSlots };

/// Whether commands before and after this one keep their order. Groups keep what is in them.
inline bool Separates(const hal_command_t& command) {
  return command.type == HAL_COMMAND_TYPE_BARRIER || command.type == HAL_COMMAND_TYPE_WAIT_EVENTS ||
         command.type == HAL_COMMAND_TYPE_BEGIN_DEBUG_GROUP || command.type == HAL_COMMAND_TYPE_END_DEBUG_GROUP;
}
inline bool IsBarrier(const hal_command_t& command) { return command.type == HAL_COMMAND_TYPE_BARRIER; }

/// Reverses the commands between separators.
void ReverseSegments(Commands& commands);
/// Reverses commands as far as their hazards allow, less those that are lost. Slots may be any memory.
void ReverseTracked(Commands& commands, Hazards lost);

/// @name Entries of the command buffer's table
/// @{
hal_status_t CollectCommand(hal_command_buffer_t* command_buffer, const hal_command_t* command);
/// Records the collected commands, as `mutate` leaves them and then reordered: those of a recording that tracks hazards
/// by ReverseTracked(), others by ReverseSegments().
hal_status_t EndCollected(hal_command_buffer_t* command_buffer, void (*mutate)(Commands&), Hazards lost);
void DestroyCollected(hal_object_t* command_buffer);
/// @}

/// Lets `kMutate` change every command buffer, then reorders its commands as far as `kLost` and what is right allow.
template <void (*kMutate)(Commands&), Hazards kLost = Hazards::kNone>
void PlantInCommandBuffers(Tables& tables) {
  tables.command_buffer.record = CollectCommand;
  tables.command_buffer.end = [](hal_command_buffer_t* command_buffer) {
    return EndCollected(command_buffer, kMutate, kLost);
  };
  tables.command_buffer.destroy = DestroyCollected;
}

}  // namespace halyard::mutants

#endif  // HALYARD_TESTS_MUTANTS_COLLECTED_COMMANDS_H_
