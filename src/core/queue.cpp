// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queue operations: check, build the operation on the stack, hand it to the driver in one call. This path takes no
// lock and no memory of its own.
#include "halyard/queue.h"

#include <atomic>
#include <cinttypes>
#include <cstddef>
#include <cstring>

#include "base/drain_scope.h"
#include "core/collective/channel.h"
#include "core/collective/collective_part.h"
#include "core/file/host_bytes.h"
#include "core/peer/cut_recording.h"
#include "core/peer/peer_copy.h"
#include "core/peer/peer_routes.h"
#include "core/public_call.h"
#include "core/semaphore.h"
#include "core/thread_labels.h"
#include "core/validation/checks.h"
#include "core/validation/command_buffer_validation.h"
#include "core/validation/command_validation.h"

namespace halyard {
namespace {

/// What every queue operation is given.
struct Submission {
  hal_device_t* device;
  const hal_submit_params_t* params;
};

/// The parameters of a caller of another version; none are all zero.
[[gnu::noinline]] Status ReadUnusualParams(const Submission& given, hal_submit_params_t* out) {
  return given.params ? ReadStruct("submit", given.params, out) : kOk;
}

/// A mask of 0 stands for any queue.
Status ResolveSubmitQueues(const Submission& given, hal_queue_mask_t queues, hal_queue_mask_t* out) {
  *out = queues & ExistingQueues(given.device);
  if (*out != 0) return kOk;
  return ResolveQueues(given.device, queues != 0 ? queues : HAL_QUEUE_ANY, out);
}

/// Gives an operation its full size, with nothing in what comes after the union.
void Extend(hal_queue_operation_t* operation) {
  operation->struct_size = sizeof(*operation);
  operation->label = {};
  operation->out_number = nullptr;
  operation->numbers = nullptr;
  operation->numbers_size = 0;
  operation->out_times = nullptr;
}

[[gnu::noinline]] Status AskForTimes(hal_operation_times_t* times, hal_queue_operation_t* out) {
  if (times->struct_size < sizeof(*times)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "submit->out_times->struct_size is %zu; it must be at least %zu",
                times->struct_size, sizeof(*times));
  }
  Extend(out);
  out->out_times = times;
  return kOk;
}

/// Checks what all operations have in common and begins `*out`.
Status BeginOperation(const Submission& given, hal_queue_operation_type_t type, hal_queue_operation_t* out) {
  HAL_TRY(CheckNotNull("device", given.device));
  const hal_submit_params_t* params = given.params;
  hal_submit_params_t read;
  if (!params || params->struct_size != sizeof(read)) [[unlikely]] {
    read = HAL_INIT(hal_submit_params_t);
    HAL_TRY(ReadUnusualParams(given, &read));
    params = &read;
  }
  HAL_TRY(CheckList("submit->wait_list", params->wait_list, 0));
  HAL_TRY(CheckList("submit->signal_list", params->signal_list, 1));
  out->struct_size = offsetof(hal_queue_operation_t, label);  // what comes from there on is set where there is a label
  out->type = type;
  out->reserved = 0;
  out->wait_list = params->wait_list;
  out->signal_list = params->signal_list;
  if (params->out_times) [[unlikely]]
    HAL_TRY(AskForTimes(params->out_times, out));
  return ResolveSubmitQueues(given, params->queues, &out->queues);
}

/// Submits an operation of a thread that has labels.
[[gnu::noinline]] Status SubmitLabelled(ThreadLabels& labels, const Submission& given,
                                        const hal_queue_operation_t& operation) {
  hal_queue_operation_t labelled;
  uint64_t number = 0;
  Extend(&labelled);
  std::memcpy(&labelled, &operation, operation.struct_size);
  labelled.struct_size = sizeof(labelled);
  labelled.label = ToC(labels.path());
  labelled.out_number = &number;
  Status status = kOk;
  {
    const DrainScope scope;
    status = FromC(VtableOf(given.device)->submit(given.device, &labelled));
  }
  // After what the operation brought about, which may have submitted others.
  if (status == kOk) labels.set_last_operation(number);
  return status;
}

// What the operation brings about runs once the driver has returned.
Status Submit(const Submission& given, const hal_queue_operation_t& operation) {
  if (ThreadLabels* const labels = ThreadLabels::Find(); labels && !labels->empty()) [[unlikely]]
    return SubmitLabelled(*labels, given, operation);
  const DrainScope scope;
  return FromC(VtableOf(given.device)->submit(given.device, &operation));
}

CommandContext QueueContext(const Submission& given, const hal_queue_operation_t& operation) {
  return {given.device, operation.queues};
}

/// What several operations do together has no times of its own.
Status CheckUntimed(const hal_queue_operation_t& operation) {
  if (operation.struct_size != sizeof(operation) || !operation.out_times) return kOk;
  return FailWith(HAL_STATUS_UNIMPLEMENTED, "submit->out_times: several operations do this work");
}

/// Submits a copy with one buffer of the device `peer`.
[[gnu::noinline]] Status SubmitPeerCopy(const Submission& given, hal_device_t* peer, hal_queue_operation_t& operation) {
  HAL_TRY(CheckApart(operation.u.command));
  if (DriverCopies(given.device, peer, operation.u.command.type)) return Submit(given, operation);
  HAL_TRY(CheckUntimed(operation));
  const DrainScope scope;
  PeerCopySubmission copy;
  HAL_TRY(copy.Begin(given.device, &operation));
  HAL_TRY(Submit(given, operation));
  copy.Confirm();
  return kOk;
}

/// Submits the command that `make(context, &command)` makes.
/// @tparam kTakesPeer  of copies, which may have one buffer of another device
template <bool kTakesPeer = false, class Make>
hal_status_t SubmitCommand(const Submission& given, const Make& make, const char* function = __builtin_FUNCTION()) {
  const auto submit = [&] {
    hal_queue_operation_t operation;
    HAL_TRY(BeginOperation(given, HAL_QUEUE_OPERATION_TYPE_COMMAND, &operation));
    CommandContext context = QueueContext(given, operation);
    operation.u.command = {};
    context.takes_peer = kTakesPeer;
    HAL_TRY(make(context, &operation.u.command));
    operation.queues = context.queues;
    if constexpr (kTakesPeer) {
      if (context.peer) [[unlikely]]
        return SubmitPeerCopy(given, context.peer, operation);
    }
    return Submit(given, operation);
  };
  return Public(submit, function);
}

// --- barrier, host call ----------------------------------------------------------------------------------------------

Status SubmitBarrier(const Submission& given) {
  hal_queue_operation_t operation;
  HAL_TRY(BeginOperation(given, HAL_QUEUE_OPERATION_TYPE_BARRIER, &operation));
  return Submit(given, operation);
}

Status SubmitHostCall(const Submission& given, hal_host_call_fn_t callback, void* user_data) {
  hal_queue_operation_t operation;
  HAL_TRY(BeginOperation(given, HAL_QUEUE_OPERATION_TYPE_HOST_CALL, &operation));
  if (!callback) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "callback is NULL");
  operation.u.host_call = {callback, user_data};
  return Submit(given, operation);
}

// --- collective ------------------------------------------------------------------------------------------------------

Status SubmitCollective(const Submission& given, hal_channel_t* channel, const hal_collective_params_t* params) {
  hal_queue_operation_t operation;
  HAL_TRY(BeginOperation(given, HAL_QUEUE_OPERATION_TYPE_BARRIER, &operation));
  HAL_TRY(CheckNotNull("channel", channel));
  Channel& own = Channel::Of(channel);
  if (own.device() != given.device) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "channel%s is one of another device%s", LabelWords(channel).c_str(),
                LabelWords(own.device()).c_str());
  }
  std::shared_ptr<ChannelGroup> group;
  RankPlace place{};
  HAL_TRY(own.FindPlace(&group, &place));
  CommandContext context = QueueContext(given, operation);
  CollectiveRequest request;
  HAL_TRY(ReadCollective(context, place, params, &request));
  operation.queues = context.queues;
  const DrainScope scope;
  CollectiveSubmission collective;
  HAL_TRY(collective.Begin(group, given.device, place.rank, request, &operation));
  HAL_TRY(Submit(given, operation));
  collective.Confirm();
  return kOk;
}

// --- alloca, dealloca ------------------------------------------------------------------------------------------------

/// The core fills in its part of the buffer's head after `submit`, when the operation may already be running on another
/// thread. That is no race: only the driver knows the buffer before this call returns, and while it runs the
/// allocation the driver touches only its own fields and the reference count (see hal_queue_alloca_t). The count cannot
/// fall to 0 meanwhile, which would read the fields: the caller's reference is in it.
Status SubmitAlloca(const Submission& given, const hal_buffer_params_t* params, uint64_t length,
                    hal_buffer_t** out_buffer) {
  hal_queue_operation_t operation;
  HAL_TRY(BeginOperation(given, HAL_QUEUE_OPERATION_TYPE_ALLOCA, &operation));
  hal_buffer_t* buffer = nullptr;
  hal_buffer_params_t read = HAL_BUFFER_PARAMS_INIT;
  operation.u.allocate = {&read, length, &buffer};
  HAL_TRY(ReadBufferParams(given.device, params, &read));
  if (read.handles != HAL_PEER_HANDLES_NONE) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                    "params->handles is set: memory that is to leave by a handle comes "
                    "from hal_allocator_allocate()");
  }
  if (length > static_cast<uint64_t>(INT64_MAX)) {  // so that a driver may round it up
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "no memory has %" PRIu64 " bytes", length);
  }
  // What runs meanwhile may give up the caller's reference to the device, which the buffer is to have.
  const auto kept = Ref<hal_device_t>::Retaining(given.device);
  HAL_TRY(Submit(given, operation));
  const hal_object_t* const object = buffer ? &buffer->object : nullptr;
  HAL_TRY(CheckMade(object, HAL_OBJECT_KIND_BUFFER, sizeof(hal_buffer_vtable_t)));
  AdoptBuffer(given.device, read, length, buffer);
  buffer->state = kBufferFromQueue;
  *out_buffer = buffer;
  return kOk;
}

Status CheckDealloca(const Submission& given, hal_buffer_t* buffer) {
  HAL_TRY(CheckNotNull("buffer", buffer));
  if (buffer->device != given.device) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "buffer%s belongs to another device%s", LabelWords(buffer).c_str(),
                LabelWords(buffer->device).c_str());
  }
  if (buffer->allocation != buffer) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "buffer%s is a subspan; give its allocation", LabelWords(buffer).c_str());
  }
  if (std::atomic_ref(buffer->map_count).load(std::memory_order_acquire) == 0) return kOk;
  return Fail(HAL_STATUS_FAILED_PRECONDITION, "buffer%s is mapped; unmap it first", LabelWords(buffer).c_str());
}

/// Of several threads that give a buffer back, one wins.
Status MarkDealloced(hal_buffer_t* buffer) {
  uint32_t state = kBufferFromQueue;
  if (std::atomic_ref(buffer->state).compare_exchange_strong(state, kBufferDealloced)) return kOk;
  if (state == kBufferDealloced) {
    return Fail(HAL_STATUS_FAILED_PRECONDITION, "buffer%s was freed before", LabelWords(buffer).c_str());
  }
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "buffer%s is not from hal_device_queue_alloca", LabelWords(buffer).c_str());
}

Status SubmitDealloca(const Submission& given, hal_buffer_t* buffer) {
  hal_queue_operation_t operation;
  HAL_TRY(BeginOperation(given, HAL_QUEUE_OPERATION_TYPE_DEALLOCA, &operation));
  HAL_TRY(CheckDealloca(given, buffer));
  HAL_TRY(MarkDealloced(buffer));
  operation.u.deallocate = {buffer};
  const Status status = Submit(given, operation);
  if (status != kOk) std::atomic_ref(buffer->state).store(kBufferFromQueue);
  return status;
}

// --- read, write -----------------------------------------------------------------------------------------------------

/// Which way the bytes go between a file and a buffer.
struct IoDirection {
  hal_queue_operation_type_t type;
  hal_file_access_t file_access;
  const char* access_name;
  hal_buffer_usage_t buffer_usage;
  const char* buffer_argument;
};

constexpr IoDirection kRead = {HAL_QUEUE_OPERATION_TYPE_READ, HAL_FILE_ACCESS_READ, "READ",
                               HAL_BUFFER_USAGE_TRANSFER_TARGET, "target"};
constexpr IoDirection kWrite = {HAL_QUEUE_OPERATION_TYPE_WRITE, HAL_FILE_ACCESS_WRITE, "WRITE",
                                HAL_BUFFER_USAGE_TRANSFER_SOURCE, "source"};

Status CheckFile(const IoDirection& direction, const hal_file_t* file, uint64_t offset, uint64_t length) {
  if ((file->access & direction.file_access) == 0) {
    return Fail(HAL_STATUS_PERMISSION_DENIED, "file%s was not opened for %s", LabelWords(file).c_str(),
                direction.access_name);
  }
  if (offset <= file->length && length <= file->length - offset) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "%" PRIu64 " bytes at file_offset %" PRIu64 " of a file%s of %" PRIu64 " bytes",
              length, offset, LabelWords(file).c_str(), file->length);
}

Status SubmitIo(const Submission& given, const IoDirection& direction, hal_file_t* file, uint64_t file_offset,
                const hal_buffer_ref_t& buffer) {
  hal_queue_operation_t operation;
  HAL_TRY(BeginOperation(given, direction.type, &operation));
  HAL_TRY(CheckNotNull("file", file));
  operation.u.io = {file, file_offset, {}};
  CommandContext context = QueueContext(given, operation);
  hal_buffer_ref_t& resolved = operation.u.io.buffer;
  if (Status status = ResolveCommandRef(context, direction.buffer_argument, ArgumentName::kNoIndex,
                                        {direction.buffer_usage}, buffer, &resolved);
      status != kOk) {
    return status;
  }
  HAL_TRY(CheckFile(direction, file, file_offset, resolved.length));
  operation.queues = context.queues;
  return Submit(given, operation);
}

// --- upload, download ------------------------------------------------------------------------------------------------

/// A read or write of a file that is the caller's memory. The operation keeps the file.
Status SubmitHostTransfer(const Submission& given, const IoDirection& direction, void* data,
                          const hal_buffer_ref_t& buffer) {
  hal_queue_operation_t operation;
  HAL_TRY(BeginOperation(given, direction.type, &operation));
  CommandContext context = QueueContext(given, operation);
  hal_buffer_ref_t resolved;
  HAL_TRY(ResolveCommandRef(context, direction.buffer_argument, ArgumentName::kNoIndex, {direction.buffer_usage},
                            buffer, &resolved));
  if (resolved.length > 0) HAL_TRY(CheckNotNull("data", data));
  const Ref<hal_file_t> file = TakeHostBytes(data, resolved.length);
  operation.u.io = {file.get(), 0, resolved};
  operation.queues = context.queues;
  return Submit(given, operation);
}

// --- execute ---------------------------------------------------------------------------------------------------------

Status CheckExecutable(const Submission& given, hal_command_buffer_t* command_buffer) {
  HAL_TRY(CheckNotNull("command_buffer", command_buffer));
  if (command_buffer->device != given.device) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "command_buffer%s belongs to another device%s",
                LabelWords(command_buffer).c_str(), LabelWords(command_buffer->device).c_str());
  }
  const uint32_t state = std::atomic_ref(command_buffer->state).load(std::memory_order_acquire);
  if (state == kCommandBufferExecutable) return kOk;
  return Fail(HAL_STATUS_FAILED_PRECONDITION, "command_buffer%s %s", LabelWords(command_buffer).c_str(),
              state == kCommandBufferSubmitted ? "is one-shot and was executed before" : "was not ended");
}

/// Resolves a table without checks.
void ResolveUncheckedTable(const hal_buffer_ref_list_t& given, RefStorage* storage, hal_buffer_ref_list_t* out) {
  const std::span<hal_buffer_ref_t> table = storage->Take(given.count);
  std::transform(given.refs, given.refs + given.count, table.begin(), ResolveUnchecked);
  *out = hal_buffer_ref_list(table.data(), table.size());
}

Status ResolveTable(const Submission& given, const hal_command_buffer_t& command_buffer,
                    const hal_buffer_ref_list_t& table, RefStorage* storage, hal_queue_operation_t* operation) {
  hal_buffer_ref_list_t* const out = &operation->u.execute.table;
  if (table.count > 0) {
    HAL_TRY(CheckNotNull("table.refs", table.refs));
  }
  if (command_buffer.flags & HAL_COMMAND_BUFFER_UNVALIDATED) {
    ResolveUncheckedTable(table, storage, out);
    return kOk;
  }
  const CommandBufferValidation& validation = CommandBufferValidation::Of(command_buffer);
  return validation.ResolveTable(given.device, table, storage, out, &operation->queues);
}

/// A one-shot command buffer is used up by the submission; of several threads that submit it, one wins.
Status ConsumeOneShot(hal_command_buffer_t* command_buffer) {
  uint32_t state = kCommandBufferExecutable;
  if (std::atomic_ref(command_buffer->state).compare_exchange_strong(state, kCommandBufferSubmitted)) return kOk;
  return Fail(HAL_STATUS_FAILED_PRECONDITION, "command_buffer%s is one-shot and was executed before",
              LabelWords(command_buffer).c_str());
}

/// What an execution gives, beside the table.
struct GivenNumbers {
  const void* data = nullptr;
  size_t size = 0;  // bytes
};

[[gnu::noinline]] Status TakeNumbers(const hal_device_t& device, const hal_command_buffer_t& command_buffer,
                                     const GivenNumbers& given, hal_queue_operation_t* out) {
  const CommandBufferValidation& validation = CommandBufferValidation::Of(command_buffer);
  const bool is_validated = (command_buffer.flags & HAL_COMMAND_BUFFER_UNVALIDATED) == 0;
  if (is_validated && !validation.TakesNumbers()) return kOk;  // the block is for others
  if (is_validated) HAL_TRY(validation.CheckNumbers(*device.info->limits, given.data, given.size));
  if (given.size == 0) return kOk;
  if (out->struct_size != sizeof(*out)) Extend(out);  // else it is timed
  out->numbers = given.data;
  out->numbers_size = given.size;
  return kOk;
}

/// Submits a command buffer that is cut at copies between devices. If that fails the first of its parts may be used up,
/// so a one-shot command buffer is.
[[gnu::noinline]] Status SubmitCut(const Submission& given, const CutRecording& cut, hal_queue_operation_t& operation) {
  hal_command_buffer_t* const commands = operation.u.execute.command_buffer;
  if (commands->flags & HAL_COMMAND_BUFFER_ONE_SHOT) HAL_TRY(ConsumeOneShot(commands));
  const DrainScope scope;
  CutSubmission parts(cut, given.device);
  HAL_TRY(parts.Begin(&operation));
  HAL_TRY(Submit(given, operation));
  parts.Confirm();
  return kOk;
}

/// Submits a command buffer as one operation.
Status SubmitWhole(const Submission& given, const hal_queue_operation_t& operation) {
  hal_command_buffer_t* const commands = operation.u.execute.command_buffer;
  if ((commands->flags & HAL_COMMAND_BUFFER_ONE_SHOT) == 0) return Submit(given, operation);
  HAL_TRY(ConsumeOneShot(commands));
  const Status status = Submit(given, operation);
  if (status != kOk) std::atomic_ref(commands->state).store(kCommandBufferExecutable);
  return status;
}

/// Submits a command buffer that is given numbers, or ought to be, or is cut.
[[gnu::noinline]] Status SubmitUnusual(const Submission& given, const GivenNumbers& numbers,
                                       hal_queue_operation_t& operation) {
  const hal_command_buffer_t& commands = *operation.u.execute.command_buffer;
  HAL_TRY(TakeNumbers(*given.device, commands, numbers, &operation));
  const CutRecording* const cut = CommandBufferValidation::Of(commands).cut();
  if (!cut) return SubmitWhole(given, operation);
  HAL_TRY(CheckUntimed(operation));
  return SubmitCut(given, *cut, operation);
}

/// @param numbers  NULL if the caller gives none
Status SubmitExecute(const Submission& given, hal_command_buffer_t* command_buffer, const hal_buffer_ref_list_t& table,
                     const GivenNumbers* numbers) {
  hal_queue_operation_t operation;
  HAL_TRY(BeginOperation(given, HAL_QUEUE_OPERATION_TYPE_EXECUTE, &operation));
  HAL_TRY(CheckExecutable(given, command_buffer));
  const CommandBufferValidation& validation = CommandBufferValidation::Of(*command_buffer);
  HAL_TRY(NarrowQueues({"command_buffer"}, validation.Queues(), &operation.queues));
  RefStorage storage;
  operation.u.execute = {command_buffer, {}};
  HAL_TRY(ResolveTable(given, *command_buffer, table, &storage, &operation));
  if (numbers || !validation.IsPlain()) [[unlikely]]
    return SubmitUnusual(given, numbers ? *numbers : GivenNumbers(), operation);
  return SubmitWhole(given, operation);
}

Status SubmitExecute(const Submission& given, hal_command_buffer_t* command_buffer,
                     const hal_execute_params_t* params) {
  HAL_TRY(CheckNotNull("device", given.device));
  HAL_TRY(CheckNotNull("command_buffer", command_buffer));
  hal_execute_params_t read = HAL_INIT(hal_execute_params_t);
  HAL_TRY(ReadStruct("params", params, &read));
  const GivenNumbers numbers = {read.numbers, read.numbers_size};
  return SubmitExecute(given, command_buffer, read.table, &numbers);
}

}  // namespace
}  // namespace halyard

using halyard::CommandContext;
using halyard::Public;
using halyard::SubmitCommand;

hal_status_t hal_device_queue_barrier(hal_device_t* device, const hal_submit_params_t* submit) {
  return Public([&] { return halyard::SubmitBarrier({device, submit}); });
}

hal_status_t hal_device_queue_alloca(hal_device_t* device, const hal_submit_params_t* submit,
                                     const hal_buffer_params_t* params, uint64_t length, hal_buffer_t** out_buffer) {
  return halyard::PublicThatGives("out_buffer", out_buffer, [&] {
    return halyard::SubmitAlloca({device, submit}, params, length, out_buffer);
  });
}

hal_status_t hal_device_queue_dealloca(hal_device_t* device, const hal_submit_params_t* submit, hal_buffer_t* buffer) {
  return Public([&] { return halyard::SubmitDealloca({device, submit}, buffer); });
}

hal_status_t hal_device_queue_fill(hal_device_t* device, const hal_submit_params_t* submit, hal_buffer_ref_t target,
                                   const void* pattern, size_t pattern_size) {
  return SubmitCommand({device, submit}, [&](CommandContext& context, hal_command_t* out) {
    return halyard::MakeFill(context, target, pattern, pattern_size, out);
  });
}

hal_status_t hal_device_queue_update(hal_device_t* device, const hal_submit_params_t* submit, const void* data,
                                     hal_buffer_ref_t target) {
  return SubmitCommand({device, submit}, [&](CommandContext& context, hal_command_t* out) {
    return halyard::MakeUpdate(context, data, target, out);
  });
}

hal_status_t hal_device_queue_copy(hal_device_t* device, const hal_submit_params_t* submit, hal_buffer_ref_t source,
                                   hal_buffer_ref_t target) {
  return SubmitCommand<true>({device, submit}, [&](CommandContext& context, hal_command_t* out) {
    return halyard::MakeCopy(context, source, target, out);
  });
}

hal_status_t hal_device_queue_copy_strided(hal_device_t* device, const hal_submit_params_t* submit,
                                           const hal_strided_copy_params_t* params) {
  halyard::StridedCopyStorage storage;
  return SubmitCommand<true>({device, submit}, [&](CommandContext& context, hal_command_t* out) {
    return halyard::MakeCopyStrided(context, params, &storage, out);
  });
}

hal_status_t hal_device_queue_upload(hal_device_t* device, const hal_submit_params_t* submit, const void* data,
                                     hal_buffer_ref_t target) {
  return Public([&] {
    return halyard::SubmitHostTransfer({device, submit}, halyard::kRead, const_cast<void*>(data), target);
  });
}

hal_status_t hal_device_queue_download(hal_device_t* device, const hal_submit_params_t* submit, hal_buffer_ref_t source,
                                       void* data) {
  return Public([&] { return halyard::SubmitHostTransfer({device, submit}, halyard::kWrite, data, source); });
}

hal_status_t hal_device_queue_read(hal_device_t* device, const hal_submit_params_t* submit, hal_file_t* file,
                                   uint64_t file_offset, hal_buffer_ref_t target) {
  return Public([&] { return halyard::SubmitIo({device, submit}, halyard::kRead, file, file_offset, target); });
}

hal_status_t hal_device_queue_write(hal_device_t* device, const hal_submit_params_t* submit, hal_buffer_ref_t source,
                                    hal_file_t* file, uint64_t file_offset) {
  return Public([&] { return halyard::SubmitIo({device, submit}, halyard::kWrite, file, file_offset, source); });
}

hal_status_t hal_device_queue_dispatch(hal_device_t* device, const hal_submit_params_t* submit,
                                       hal_executable_t* executable, uint32_t ordinal,
                                       const hal_dispatch_params_t* params) {
  halyard::DispatchStorage storage;
  return SubmitCommand({device, submit}, [&](CommandContext& context, hal_command_t* out) {
    return halyard::MakeDispatch(context, executable, ordinal, params, &storage, out);
  });
}

hal_status_t hal_device_queue_execute(hal_device_t* device, const hal_submit_params_t* submit,
                                      hal_command_buffer_t* command_buffer, hal_buffer_ref_list_t table) {
  return Public([&] { return halyard::SubmitExecute({device, submit}, command_buffer, table, nullptr); });
}

hal_status_t hal_device_queue_execute_with(hal_device_t* device, const hal_submit_params_t* submit,
                                           hal_command_buffer_t* command_buffer, const hal_execute_params_t* params) {
  return Public([&] { return halyard::SubmitExecute({device, submit}, command_buffer, params); });
}

hal_status_t hal_device_queue_host_call(hal_device_t* device, const hal_submit_params_t* submit,
                                        hal_host_call_fn_t callback, void* user_data) {
  return Public([&] { return halyard::SubmitHostCall({device, submit}, callback, user_data); });
}

hal_status_t hal_device_queue_collective(hal_device_t* device, const hal_submit_params_t* submit,
                                         hal_channel_t* channel, const hal_collective_params_t* params) {
  return Public([&] { return halyard::SubmitCollective({device, submit}, channel, params); });
}
