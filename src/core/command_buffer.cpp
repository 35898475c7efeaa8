// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/command_buffer.h"

#include <atomic>
#include <cinttypes>
#include <cstddef>
#include <memory>

#include "base/text/text_checks.h"
#include "core/peer/cut_recording.h"
#include "core/peer/peer_copy.h"
#include "core/peer/peer_routes.h"
#include "core/public_call.h"
#include "core/validation/checks.h"
#include "core/validation/command_buffer_validation.h"
#include "core/validation/command_validation.h"

namespace halyard {
namespace {

constexpr hal_command_buffer_flags_t kKnownRecordingFlags =
    HAL_COMMAND_BUFFER_ONE_SHOT | HAL_COMMAND_BUFFER_UNVALIDATED | HAL_COMMAND_BUFFER_TRACK_HAZARDS;

const char* StateName(uint32_t state) {
  switch (state) {
    case kCommandBufferInitial:
      return "was not begun";
    case kCommandBufferRecording:
      return "is being recorded";
    case kCommandBufferExecutable:
      return "was ended";
    default:
      return "was executed";
  }
}

// Release and acquire: a thread that sees that a command buffer is executable sees all of it.
uint32_t LoadState(hal_command_buffer_t* command_buffer) {
  return std::atomic_ref(command_buffer->state).load(std::memory_order_acquire);
}
void StoreState(hal_command_buffer_t* command_buffer, uint32_t state) {
  std::atomic_ref(command_buffer->state).store(state, std::memory_order_release);
}

Status CheckState(hal_command_buffer_t* command_buffer, uint32_t expected) {
  HAL_TRY(CheckNotNull("command_buffer", command_buffer));
  const uint32_t state = LoadState(command_buffer);
  if (state == expected) return kOk;
  if (state == kCommandBufferRecording && CommandBufferValidation::Of(*command_buffer).IsPoisoned()) {
    return Fail(HAL_STATUS_FAILED_PRECONDITION,
                "the command buffer%s is unusable, because a command was refused; make another",
                LabelWords(command_buffer).c_str());
  }
  return Fail(HAL_STATUS_FAILED_PRECONDITION, "the command buffer%s %s", LabelWords(command_buffer).c_str(),
              StateName(state));
}

Status ReadParams(const hal_command_buffer_params_t* given, hal_command_buffer_params_t* out) {
  *out = HAL_INIT(hal_command_buffer_params_t);
  HAL_TRY(ReadStruct("params", given, out));
  HAL_TRY(CheckFlags("params->flags", out->flags, kKnownRecordingFlags));
  if (out->binding_capacity > kMaxBindingCapacity) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "params->binding_capacity is %u; at most %u is possible",
                out->binding_capacity, kMaxBindingCapacity);
  }
  return kOk;
}

/// A driver that was built before there were numbers has no limit for them, and takes none.
Status CheckNumbersSize(const hal_device_limits_t& limits, uint64_t size) {
  constexpr size_t kEnd = offsetof(hal_device_limits_t, max_numbers_size) + sizeof(limits.max_numbers_size);
  const uint64_t most = limits.struct_size < kEnd ? 0 : limits.max_numbers_size;
  if (size <= most) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE,
              "params->numbers_size is %" PRIu64 "; max_numbers_size of the device is %" PRIu64, size, most);
}

Status CreateCommandBuffer(hal_device_t* device, const hal_command_buffer_params_t* given,
                           hal_command_buffer_t** out_command_buffer) {
  HAL_TRY(CheckNotNull("device", device));
  hal_command_buffer_params_t params;
  HAL_TRY(ReadParams(given, &params));
  HAL_TRY(CheckNumbersSize(*device->info->limits, params.numbers_size));
  // Before the driver is called, so that nothing can fail once its object exists.
  auto validation = std::make_unique<CommandBufferValidation>();
  validation->SetNumbersCapacity(params.numbers_size);
  hal_command_buffer_t* made = nullptr;
  HAL_TRY(VtableOf(device)->create_command_buffer(device, &params, &made));
  HAL_TRY(AdoptChild<hal_command_buffer_vtable_t>(device, made));
  made->flags = params.flags;
  made->binding_capacity = params.binding_capacity;
  made->state = kCommandBufferInitial;
  made->validation = static_cast<CommandBufferAttachment*>(validation.release());
  *out_command_buffer = made;
  return kOk;
}

Status Begin(hal_command_buffer_t* command_buffer) {
  HAL_TRY(CheckState(command_buffer, kCommandBufferInitial));
  HAL_TRY(VtableOf(command_buffer)->begin(command_buffer));
  StoreState(command_buffer, kCommandBufferRecording);
  return kOk;
}

Status CheckWhole(const CommandBufferValidation& validation) {
  HAL_TRY(validation.FirstFailure());
  if (validation.OpenGroups() > 0) {
    return Fail(HAL_STATUS_FAILED_PRECONDITION, "%zu debug groups are open", validation.OpenGroups());
  }
  return kOk;
}

Status End(hal_command_buffer_t* command_buffer) {
  HAL_TRY(CheckState(command_buffer, kCommandBufferRecording));
  CommandBufferValidation& validation = CommandBufferValidation::Of(*command_buffer);
  HAL_TRY(CheckWhole(validation));
  Status status = validation.cut() ? validation.cut()->End() : kOk;
  if (status == kOk) status = FromC(VtableOf(command_buffer)->end(command_buffer));
  if (status != kOk) {
    return validation.Poison(status);  // the driver is not asked to end it twice
  }
  StoreState(command_buffer, kCommandBufferExecutable);
  return kOk;
}

CommandContext RecordingContext(hal_command_buffer_t* command_buffer, CommandBufferValidation& validation) {
  return {command_buffer->device, validation.Queues(), &validation, command_buffer->binding_capacity,
          (command_buffer->flags & HAL_COMMAND_BUFFER_UNVALIDATED) == 0};
}

/// The device of a buffer of the copy that is not `device`; NULL if there is none.
hal_device_t* FindPeer(const hal_device_t* device, const hal_command_t& copy) {
  const bool strided = copy.type == HAL_COMMAND_TYPE_COPY_STRIDED;
  const hal_buffer_ref_t& source = strided ? copy.u.copy_strided.params->source : copy.u.copy.source;
  const hal_buffer_ref_t& target = strided ? copy.u.copy_strided.params->target : copy.u.copy.target;
  if (source.buffer && source.buffer->device != device) return source.buffer->device;
  return target.buffer && target.buffer->device != device ? target.buffer->device : nullptr;
}

Status RecordCommand(hal_command_buffer_t* command_buffer, const CommandBufferValidation& validation,
                     const hal_command_t& command) {
  if (CutRecording* const cut = validation.cut()) [[unlikely]]
    return cut->Record(command);
  return FromC(VtableOf(command_buffer)->record(command_buffer, &command));
}

/// Records a copy with one buffer of the device `peer`.
[[gnu::noinline]] Status RecordPeerCopy(hal_command_buffer_t* command_buffer, CommandBufferValidation& validation,
                                        hal_device_t* peer, const hal_command_t& copy) {
  HAL_TRY(CheckApart(copy));
  if (DriverCopies(command_buffer->device, peer, copy.type)) return RecordCommand(command_buffer, validation, copy);
  return validation.Cut(*command_buffer).Cut(copy);
}

/// Records the command that `make(context, &command)` makes. A command that is refused, by the core or by the driver,
/// spoils the command buffer.
/// @tparam kTakesPeer  of copies, which may have one buffer of another device
template <bool kTakesPeer, class Make>
Status RecordUnlessRefused(hal_command_buffer_t* command_buffer, CommandBufferValidation& validation,
                           const Make& make) {
  CommandContext context = RecordingContext(command_buffer, validation);
  hal_command_t command = {};
  context.takes_peer = kTakesPeer;
  HAL_TRY(make(context, &command));
  hal_device_t* peer = nullptr;
  if constexpr (kTakesPeer) peer = FindPeer(command_buffer->device, command);
  if (peer) [[unlikely]] {
    HAL_TRY(RecordPeerCopy(command_buffer, validation, peer, command));
  } else {
    HAL_TRY(RecordCommand(command_buffer, validation, command));
  }
  validation.SetQueues(context.queues);
  return kOk;
}

template <bool kTakesPeer = false, class Make>
hal_status_t Record(hal_command_buffer_t* command_buffer, const Make& make,
                    const char* function = __builtin_FUNCTION()) {
  const auto record = [&]() -> Status {
    HAL_TRY(CheckState(command_buffer, kCommandBufferRecording));
    CommandBufferValidation& validation = CommandBufferValidation::Of(*command_buffer);
    // Guarded by itself, so that running out of memory spoils the command buffer, too.
    const Status status = Guard([&] { return RecordUnlessRefused<kTakesPeer>(command_buffer, validation, make); });
    if (status == kOk) [[likely]]
      return kOk;
    return validation.Poison(NameFunction(status, function));
  };
  return Public(record, function);
}

}  // namespace
}  // namespace halyard

using halyard::CommandContext;
using halyard::Public;
using halyard::Record;

hal_status_t hal_command_buffer_create(hal_device_t* device, const hal_command_buffer_params_t* params,
                                       hal_command_buffer_t** out_command_buffer) {
  return halyard::PublicThatGives("out_command_buffer", out_command_buffer,
                                  [&] { return halyard::CreateCommandBuffer(device, params, out_command_buffer); });
}

void hal_command_buffer_retain(hal_command_buffer_t* command_buffer) { halyard::RetainHandle(command_buffer); }
void hal_command_buffer_release(hal_command_buffer_t* command_buffer) { halyard::ReleaseHandle(command_buffer); }

hal_status_t hal_command_buffer_begin(hal_command_buffer_t* command_buffer) {
  return Public([&] { return halyard::Begin(command_buffer); });
}

hal_status_t hal_command_buffer_end(hal_command_buffer_t* command_buffer) {
  return Public([&] { return halyard::End(command_buffer); });
}

hal_status_t hal_command_buffer_barrier(hal_command_buffer_t* command_buffer) {
  return Record(command_buffer, [](CommandContext&, hal_command_t* out) { return halyard::MakeBarrier(out); });
}

hal_status_t hal_command_buffer_fill(hal_command_buffer_t* command_buffer, hal_buffer_ref_t target, const void* pattern,
                                     size_t pattern_size) {
  return Record(command_buffer, [&](CommandContext& context, hal_command_t* out) {
    return halyard::MakeFill(context, target, pattern, pattern_size, out);
  });
}

hal_status_t hal_command_buffer_update(hal_command_buffer_t* command_buffer, const void* data,
                                       hal_buffer_ref_t target) {
  return Record(command_buffer, [&](CommandContext& context, hal_command_t* out) {
    return halyard::MakeUpdate(context, data, target, out);
  });
}

hal_status_t hal_command_buffer_copy(hal_command_buffer_t* command_buffer, hal_buffer_ref_t source,
                                     hal_buffer_ref_t target) {
  return Record<true>(command_buffer, [&](CommandContext& context, hal_command_t* out) {
    return halyard::MakeCopy(context, source, target, out);
  });
}

hal_status_t hal_command_buffer_copy_strided(hal_command_buffer_t* command_buffer,
                                             const hal_strided_copy_params_t* params) {
  halyard::StridedCopyStorage storage;
  return Record<true>(command_buffer, [&](CommandContext& context, hal_command_t* out) {
    return halyard::MakeCopyStrided(context, params, &storage, out);
  });
}

hal_status_t hal_command_buffer_dispatch(hal_command_buffer_t* command_buffer, hal_executable_t* executable,
                                         uint32_t ordinal, const hal_dispatch_params_t* params) {
  halyard::DispatchStorage storage;
  return Record(command_buffer, [&](CommandContext& context, hal_command_t* out) {
    return halyard::MakeDispatch(context, executable, ordinal, params, &storage, out);
  });
}

hal_status_t hal_command_buffer_signal_event(hal_command_buffer_t* command_buffer, hal_event_t* event) {
  return Record(command_buffer, [&](CommandContext& context, hal_command_t* out) {
    return halyard::MakeSignalEvent(context, event, out);
  });
}

hal_status_t hal_command_buffer_wait_events(hal_command_buffer_t* command_buffer, size_t event_count,
                                            hal_event_t* const* events) {
  return Record(command_buffer, [&](CommandContext& context, hal_command_t* out) {
    return halyard::MakeWaitEvents(context, event_count, events, out);
  });
}

hal_status_t hal_command_buffer_begin_debug_group(hal_command_buffer_t* command_buffer, hal_string_view_t label) {
  halyard::HostString readable;  // only if it is another text: vendors' tools take UTF-8 alone
  return Record(command_buffer, [&](CommandContext& context, hal_command_t* out) {
    if (label.data && !halyard::IsReadable(halyard::View(label))) {
      readable = halyard::ReadableText(halyard::View(label), SIZE_MAX);
      label = halyard::ToC(readable);
    }
    return halyard::MakeBeginDebugGroup(context, label, out);
  });
}

hal_status_t hal_command_buffer_end_debug_group(hal_command_buffer_t* command_buffer) {
  return Record(command_buffer,
                [&](CommandContext& context, hal_command_t* out) { return halyard::MakeEndDebugGroup(context, out); });
}
