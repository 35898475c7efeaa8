// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the arguments of a public call to a command that a driver may trust. The same checks serve the recording of
// command buffers and operations on a queue. Nothing here allocates or locks on the way to a valid queue operation
// (dispatches with more bindings than RefStorage holds on the stack aside).
#ifndef HALYARD_CORE_VALIDATION_COMMAND_VALIDATION_H_
#define HALYARD_CORE_VALIDATION_COMMAND_VALIDATION_H_

#include "base/status.h"
#include "core/validation/buffer_ref.h"
#include "core/validation/command_buffer_validation.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Where a command comes from and what it is checked against.
struct CommandContext {
  hal_device_t* device;     ///< all that the command names must belong to it
  hal_queue_mask_t queues;  ///< queues that may run the command; cut to those that all it names was made for
  CommandBufferValidation* commands = nullptr;  ///< of the command buffer; NULL for an operation on a queue
  uint32_t slot_count = 0;                      ///< slots of the command buffer's binding tables
  /// If false, references are still resolved (subspans, HAL_WHOLE_SIZE, lengths of copies), but nothing is checked.
  bool validated = true;
  /// Of a copy: one of its buffers may belong to another device. Its queues are then no concern of `queues`.
  bool takes_peer = false;
  hal_device_t* peer = nullptr;  ///< the other device, once there is one
};

/// Room for what the command of a dispatch points to.
struct DispatchStorage {
  hal_dispatch_params_t params;  ///< written before it is read
  RefStorage bindings;
};

/// Room for what the command of a strided copy points to.
struct StridedCopyStorage {
  hal_strided_copy_params_t params;  ///< written before it is read
};

/// @name One for each public call
/// Each checks the arguments and fills `*out`. What `*out` points to is the caller's own data or `storage`.
/// @{
Status MakeBarrier(hal_command_t* out);
Status MakeFill(CommandContext& context, const hal_buffer_ref_t& target, const void* pattern, size_t pattern_size,
                hal_command_t* out);
Status MakeUpdate(CommandContext& context, const void* data, const hal_buffer_ref_t& target, hal_command_t* out);
Status MakeCopy(CommandContext& context, const hal_buffer_ref_t& source, const hal_buffer_ref_t& target,
                hal_command_t* out);
/// Defined in strided_copy_validation.cpp.
Status MakeCopyStrided(CommandContext& context, const hal_strided_copy_params_t* params, StridedCopyStorage* storage,
                       hal_command_t* out);
/// Defined in dispatch_validation.cpp.
/// @{
Status MakeDispatch(CommandContext& context, hal_executable_t* executable, uint32_t ordinal,
                    const hal_dispatch_params_t* params, DispatchStorage* storage, hal_command_t* out);
/// Checks a workgroup count that a block of numbers has given to a recorded dispatch.
Status CheckGivenCount(const hal_device_limits_t& limits, const hal_export_info_t& info, const hal_dim3_t& count);
/// @}

/// Only recorded.
Status MakeSignalEvent(const CommandContext& context, hal_event_t* event, hal_command_t* out);
Status MakeWaitEvents(const CommandContext& context, size_t event_count, hal_event_t* const* events,
                      hal_command_t* out);
Status MakeBeginDebugGroup(const CommandContext& context, hal_string_view_t label, hal_command_t* out);
Status MakeEndDebugGroup(const CommandContext& context, hal_command_t* out);
/// @}

/// The rest of ResolveCommandRef(). `use` is a copy so that a caller's own can stay in registers.
Status ResolveUnusualRef(CommandContext& context, const char* argument, size_t index, BufferUse use,
                         const hal_buffer_ref_t& given, hal_buffer_ref_t* out);

/// Checks and resolves one reference of a command. A reference to a slot stays one, and becomes a requirement of the
/// command buffer.
inline Status ResolveCommandRef(CommandContext& context, const char* argument, size_t index, const BufferUse& use,
                                const hal_buffer_ref_t& given, hal_buffer_ref_t* out) {
  if (!context.validated) {
    *out = ResolveUnchecked(given);
    return kOk;
  }
  if (TryResolve(context.device, use, given, out)) {
    // A command buffer keeps a list of the queue allocations that it uses.
    const bool listed = context.commands && std::atomic_ref(out->buffer->state).load(std::memory_order_relaxed) != 0;
    const hal_queue_mask_t queues = context.queues & given.buffer->queues;
    if (!listed && queues != 0) [[likely]] {
      context.queues = queues;
      return kOk;
    }
  }
  return ResolveUnusualRef(context, argument, index, use, given, out);
}

}  // namespace halyard

#endif  // HALYARD_CORE_VALIDATION_COMMAND_VALIDATION_H_
