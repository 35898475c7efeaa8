// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A command that owns all it refers to.
#ifndef HALYARD_DRIVER_KIT_QUEUE_COMMAND_COPY_H_
#define HALYARD_DRIVER_KIT_QUEUE_COMMAND_COPY_H_

#include <cstddef>
#include <span>

#include "base/arena.h"
#include "halyard/driver_api.h"

namespace halyard {

/// A deep copy of a command in `arena`: with data, constants, bindings, shapes and labels. It retains nothing. May
/// throw.
///
/// Constants are aligned to 16, those of up to 8 bytes to 8. A dispatch with two bindings takes 192 bytes and its
/// constants.
const hal_command_t* CopyCommand(Arena& arena, const hal_command_t& command);

/// A copy of a recorded dispatch in `arena`, with its numbers from the block of an execution. It has what it shares
/// with the recording, which must outlive it, and takes no numbers itself. May throw.
const hal_command_t* FillNumbers(Arena& arena, const hal_command_t& recorded, std::span<const std::byte> block);

/// Retains the objects that a copy names.
///
/// `before` is the copy before it in a list all of which is released at once, or NULL. What a dispatch has at the same
/// place as a dispatch before it is retained already: most dispatches in a row share an executable or a buffer, and a
/// reference costs more than all else that recording does with it.
void RetainObjects(const hal_command_t& copy, const hal_command_t* before) noexcept;
/// Releases what RetainObjects() has retained; `before` as then. What is released may call the application.
void ReleaseObjects(const hal_command_t& copy, const hal_command_t* before) noexcept;

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_COMMAND_COPY_H_
