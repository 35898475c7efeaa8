// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/peer/cut_recording.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/validation/checks.h"

namespace halyard {

// --- recording -------------------------------------------------------------------------------------------------------

void CutRecording::Step::Resolve(std::span<const hal_buffer_ref_t> table, hal_strided_copy_params_t* params,
                                 hal_command_t* out) const {
  out->type = type;
  if (type == HAL_COMMAND_TYPE_COPY) {
    out->u.copy = {AtExecution(copy.source, table), AtExecution(copy.target, table)};
    return;
  }
  *params = strided;
  params->source = AtExecution(strided.source, table);
  params->target = AtExecution(strided.target, table);
  out->u.copy_strided = {params};
}

// A driver pairs the ends of groups with their beginnings, so the open ones end here and begin again.
Status CutRecording::Cut(const hal_command_t& copy) {
  Step step;
  step.type = copy.type;
  if (copy.type == HAL_COMMAND_TYPE_COPY) {
    step.copy = copy.u.copy;
  } else {
    step.strided = *copy.u.copy_strided.params;
  }
  const bool strided = copy.type == HAL_COMMAND_TYPE_COPY_STRIDED;
  step.source = Ref<hal_buffer_t>::Retaining((strided ? step.strided.source : step.copy.source).buffer);
  step.target = Ref<hal_buffer_t>::Retaining((strided ? step.strided.target : step.copy.target).buffer);
  if (rest_ || steps_.empty()) {
    hal_command_t end{};
    end.type = HAL_COMMAND_TYPE_END_DEBUG_GROUP;
    for (size_t i = CommandBufferValidation::Of(whole_).OpenGroups(); i > 0; --i) {
      HAL_TRY(VtableOf(Current())->record(Current(), &end));
    }
  }
  HAL_TRY(End());
  steps_.push_back(std::move(step));
  return kOk;
}

Status CutRecording::End() {
  signalled_.clear();
  hal_command_buffer_t* const rest = std::exchange(rest_, nullptr);
  return rest ? FromC(VtableOf(rest)->end(rest)) : kOk;
}

// Without a rest the copy before is the last step, and everything comes after it anyway.
Status CutRecording::Record(const hal_command_t& command) {
  switch (command.type) {
    case HAL_COMMAND_TYPE_BARRIER:
    case HAL_COMMAND_TYPE_BEGIN_DEBUG_GROUP:
    case HAL_COMMAND_TYPE_END_DEBUG_GROUP:
      if (!rest_) return kOk;
      break;
    case HAL_COMMAND_TYPE_SIGNAL_EVENT:
      if (!rest_) return kOk;
      signalled_.push_back(command.u.event.event);
      break;
    case HAL_COMMAND_TYPE_WAIT_EVENTS:
      return rest_ ? WaitForEvents(command.u.wait_events) : kOk;
    default:
      if (!rest_) HAL_TRY(OpenRest());
  }
  return FromC(VtableOf(rest_)->record(rest_, &command));
}

Status CutRecording::WaitForEvents(const hal_command_wait_events_t& wait) {
  HostVector<hal_event_t*> events(wait.events, wait.events + wait.event_count);
  std::erase_if(events, [&](hal_event_t* event) { return std::ranges::find(signalled_, event) == signalled_.end(); });
  if (events.empty()) return kOk;
  hal_command_t command{};
  command.type = HAL_COMMAND_TYPE_WAIT_EVENTS;
  command.u.wait_events = {events.data(), events.size()};
  return FromC(VtableOf(rest_)->record(rest_, &command));
}

Status CutRecording::OpenRest() {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.flags = whole_.flags;
  params.binding_capacity = whole_.binding_capacity;
  params.numbers_size = CommandBufferValidation::Of(whole_).NumbersCapacity();
  hal_command_buffer_t* made = nullptr;
  HAL_TRY(VtableOf(whole_.device)->create_command_buffer(whole_.device, &params, &made));
  HAL_TRY(AdoptChild<hal_command_buffer_vtable_t>(whole_.device, made));
  Step step;
  step.commands = Ref<hal_command_buffer_t>::Adopting(made);
  made->flags = whole_.flags;
  made->binding_capacity = whole_.binding_capacity;
  made->state = kCommandBufferExecutable;
  made->validation = nullptr;
  HAL_TRY(VtableOf(made)->begin(made));
  for (const HostString& label : CommandBufferValidation::Of(whole_).Groups()) {
    hal_command_t begin{};
    begin.type = HAL_COMMAND_TYPE_BEGIN_DEBUG_GROUP;
    begin.u.debug_group = {ToC(label)};
    HAL_TRY(VtableOf(made)->record(made, &begin));
  }
  steps_.push_back(std::move(step));
  rest_ = made;
  return kOk;
}

// --- executions ------------------------------------------------------------------------------------------------------

// The driver is asked without the lock. The oldest one is the first whose execution ends.
Status CutRecording::TakeChain(Chain* out) const {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (chains_.empty()) break;
      *out = std::move(chains_.front());
      chains_.erase(chains_.begin());
    }
    uint64_t value = 0;
    if (!Succeeds(FromC(VtableOf(out->semaphore.get())->query(out->semaphore.get(), &value)))) continue;  // it failed
    if (value == out->last) return kOk;
    PutChain(std::move(*out));
    break;
  }
  const hal_semaphore_params_t params = HAL_INIT(hal_semaphore_params_t);
  hal_semaphore_t* made = nullptr;
  HAL_TRY(VtableOf(whole_.device)->create_semaphore(whole_.device, &params, &made));
  HAL_TRY(AdoptChild<hal_semaphore_vtable_t>(whole_.device, made));
  *out = {Ref<hal_semaphore_t>::Adopting(made), 0};
  return kOk;
}

void CutRecording::PutChain(Chain chain) const {
  const std::lock_guard lock(mutex_);
  chains_.push_back(std::move(chain));
}

CutSubmission::~CutSubmission() {
  if (!chain_.semaphore) return;
  hal_semaphore_t* const semaphore = chain_.semaphore.get();
  const hal_string_view_t text = hal_string_view("the execution could not be submitted whole");
  FromC(VtableOf(semaphore)->fail(semaphore, HAL_STATUS_ABORTED, text)).Ignore();
}

void CutSubmission::SetWaits(const hal_semaphore_list_t& waits) {
  hal_timeline_point_t* list = few_waits_.data();
  if (waits.count > kFewWaits) {
    many_waits_.resize(waits.count + 1);
    list = many_waits_.data();
  }
  std::copy_n(waits.points, waits.count, list);
  list[waits.count] = hal_timeline_point(chain_.semaphore.get(), chain_.last);
  waits_ = hal_semaphore_list(list, waits.count + 1);
}

void CutSubmission::MakeStep(const CutRecording::Step& step, const hal_queue_operation_t& execution,
                             hal_queue_operation_t* out) {
  if (step.commands) {
    out->type = HAL_QUEUE_OPERATION_TYPE_EXECUTE;
    out->u.execute = {step.commands.get(), execution.u.execute.table};
    return;
  }
  const hal_buffer_ref_list_t& table = execution.u.execute.table;
  out->type = HAL_QUEUE_OPERATION_TYPE_COMMAND;
  out->numbers = nullptr;
  out->numbers_size = 0;
  out->u.command = {};
  step.Resolve({table.refs, table.count}, &params_, &out->u.command);
}

// The value after the last that its timeline has stands for "all are submitted", and each step has one more.
Status CutSubmission::Begin(hal_queue_operation_t* operation) {
  CutRecording::Chain chain;
  HAL_TRY(cut_.TakeChain(&chain));
  chain_ = std::move(chain);
  hal_semaphore_t* const semaphore = chain_.semaphore.get();
  ++chain_.last;
  SetWaits(operation->wait_list);
  hal_queue_operation_t execution{};
  std::memcpy(&execution, operation, operation->struct_size);
  const size_t count = cut_.steps_.size() + 1;
  for (size_t i = 0; i < count; ++i) {
    hal_queue_operation_t step{};
    step.struct_size = sizeof(step);
    step.queues = execution.queues;
    if (execution.struct_size == sizeof(execution)) {
      step.numbers = execution.numbers;  // of those that are executions
      step.numbers_size = execution.numbers_size;
    }
    before_ = hal_timeline_point(semaphore, chain_.last);
    step.wait_list = i == 0 ? waits_ : hal_semaphore_list(&before_, 1);
    if (i == 0) {
      step.type = HAL_QUEUE_OPERATION_TYPE_EXECUTE;
      step.u.execute = execution.u.execute;
    } else {
      MakeStep(cut_.steps_[i - 1], execution, &step);
    }
    if (i + 1 == count) {
      step.signal_list = execution.signal_list;
      *operation = step;
      return step.type == HAL_QUEUE_OPERATION_TYPE_COMMAND ? last_copy_.Begin(device_, operation) : kOk;
    }
    after_ = hal_timeline_point(semaphore, ++chain_.last);
    step.signal_list = hal_semaphore_list(&after_, 1);
    HAL_TRY(Submit(&step));
  }
  return kOk;
}

Status CutSubmission::Submit(hal_queue_operation_t* operation) {
  if (operation->type != HAL_QUEUE_OPERATION_TYPE_COMMAND) return FromC(VtableOf(device_)->submit(device_, operation));
  PeerCopySubmission copy;
  HAL_TRY(copy.Begin(device_, operation));
  HAL_TRY(VtableOf(device_)->submit(device_, operation));
  copy.Confirm();
  return kOk;
}

// A device that is lost meanwhile has failed the timeline, and so all steps.
void CutSubmission::Confirm() noexcept {
  last_copy_.Confirm();
  hal_semaphore_t* const semaphore = chain_.semaphore.get();
  FromC(VtableOf(semaphore)->signal(semaphore, waits_.points[waits_.count - 1].value)).Ignore();
  Guard([this]() -> Status {
    cut_.PutChain(chain_);
    return kOk;
  }).Ignore();
  chain_ = {};
}

}  // namespace halyard
