// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/routes.h"

#include <cstdint>

#include "halyard/cpp/submit.hpp"

namespace halyard::cts {
namespace {

/// Moves references into a binding table. A part of each offset goes to the table, the rest stays with the slot, so
/// that both are used.
class Table {
 public:
  explicit Table(const Device& device) : step_(device.BindingOffset(16)) {}

  hal_buffer_ref_t Put(const hal_buffer_ref_t& ref) {
    const uint64_t in_table = ref.offset / 2 / step_ * step_;
    refs_.push_back(hal_buffer_ref(ref.buffer, in_table, HAL_WHOLE_SIZE));
    // The length of all that is left must be the table's to say.
    return hal_slot_ref(static_cast<uint32_t>(refs_.size() - 1), ref.offset - in_table, ref.length);
  }
  const std::vector<Ref>& refs() const { return refs_; }

 private:
  const uint64_t step_;  // bytes; bindings can begin at multiples of it
  std::vector<Ref> refs_;
};

}  // namespace

std::string NameOf(Route route) {
  switch (route) {
    case Route::kQueue:
      return "Queue";
    case Route::kCommand:
      return "Command";
    case Route::kTable:
      return "Table";
  }
  return "Unknown";
}

void PrintTo(Route route, std::ostream* out) { *out << NameOf(route); }

hal_status_t Submitter::Execute(const Points& waits, const Points& signals, const std::vector<hal_buffer_ref_t>& refs,
                                const Record& record) const {
  Table table(device_);
  std::vector<hal_buffer_ref_t> used = refs;
  if (route_ == Route::kTable) {
    for (hal_buffer_ref_t& ref : used) ref = table.Put(ref);
  }
  const auto capacity = static_cast<uint32_t>(table.refs().size());
  const CommandBuffer commands = device_.CreateCommandBuffer(HAL_COMMAND_BUFFER_ONE_SHOT, capacity);
  Check(commands.Begin(), "hal_command_buffer_begin");
  if (const hal_status_t status = record(commands, used); status != HAL_STATUS_OK) return status;
  Check(commands.End(), "hal_command_buffer_end");
  return device_.QueueExecute(waits, signals, commands, table.refs());
}

hal_status_t Submitter::SubmitFill(const Points& waits, const Points& signals, const Ref& target, const void* pattern,
                                   size_t pattern_size) const {
  if (route_ == Route::kQueue) {
    return hal_device_queue_fill(device_, hal::SubmitParams(waits, signals), target, pattern, pattern_size);
  }
  return Execute(waits, signals, {target}, [&](const CommandBuffer& commands, const auto& refs) {
    return hal_command_buffer_fill(commands, refs[0], pattern, pattern_size);
  });
}

hal_status_t Submitter::SubmitUpdate(const Points& waits, const Points& signals, const void* data,
                                     const Ref& target) const {
  if (route_ == Route::kQueue) return device_.QueueUpdate(waits, signals, data, target);
  return Execute(waits, signals, {target},
                 [&](const CommandBuffer& commands, const auto& refs) { return commands.Update(data, refs[0]); });
}

hal_status_t Submitter::SubmitCopy(const Points& waits, const Points& signals, const Ref& source,
                                   const Ref& target) const {
  if (route_ == Route::kQueue) return device_.QueueCopy(waits, signals, source, target);
  return Execute(waits, signals, {source, target},
                 [&](const CommandBuffer& commands, const auto& refs) { return commands.Copy(refs[0], refs[1]); });
}

hal_status_t Submitter::SubmitCopyStrided(const Points& waits, const Points& signals,
                                          const hal_strided_copy_params_t& params) const {
  if (route_ == Route::kQueue)
    return hal_device_queue_copy_strided(device_, hal::SubmitParams(waits, signals), &params);
  return Execute(waits, signals, {params.source, params.target}, [&](const CommandBuffer& commands, const auto& refs) {
    hal_strided_copy_params_t used = params;
    used.source = refs[0];
    used.target = refs[1];
    return hal_command_buffer_copy_strided(commands, &used);
  });
}

hal_status_t Submitter::SubmitDispatch(const Points& waits, const Points& signals, const Executable& executable,
                                       std::string_view name, const cts::Dispatch& dispatch) const {
  if (route_ == Route::kQueue) return device_.QueueDispatch(waits, signals, executable, name, dispatch);
  hal_dispatch_params_t params = *dispatch.params();
  const bool indirect = (params.flags & HAL_DISPATCH_INDIRECT) != 0;
  std::vector<hal_buffer_ref_t> refs(params.bindings.refs, params.bindings.refs + params.bindings.count);
  if (indirect) refs.push_back(params.indirect);
  return Execute(waits, signals, refs, [&](const CommandBuffer& commands, const auto& used) {
    if (indirect) params.indirect = used.back();
    params.bindings = hal_buffer_ref_list(used.data(), params.bindings.count);
    return hal_command_buffer_dispatch(commands, executable, executable.Export(name), &params);
  });
}

hal_status_t Submitter::Finish(const std::function<hal_status_t(const Points&, const Points&)>& submit) const {
  const Semaphore done = device_.CreateSemaphore();
  const hal_status_t status = submit(kNoWaits, {{done, 1}});
  return status == HAL_STATUS_OK ? done.Wait(1) : status;
}

hal_status_t Submitter::FillWith(const Ref& target, const void* pattern, size_t pattern_size) const {
  return Finish([&](const Points& waits, const Points& signals) {
    return SubmitFill(waits, signals, target, pattern, pattern_size);
  });
}

hal_status_t Submitter::Update(const void* data, const Ref& target) const {
  return Finish([&](const Points& waits, const Points& signals) { return SubmitUpdate(waits, signals, data, target); });
}

hal_status_t Submitter::Copy(const Ref& source, const Ref& target) const {
  return Finish([&](const Points& waits, const Points& signals) { return SubmitCopy(waits, signals, source, target); });
}

hal_status_t Submitter::CopyStrided(const hal_strided_copy_params_t& params) const {
  return Finish([&](const Points& waits, const Points& signals) { return SubmitCopyStrided(waits, signals, params); });
}

hal_status_t Submitter::Dispatch(const Executable& executable, std::string_view name,
                                 const cts::Dispatch& dispatch) const {
  return Finish([&](const Points& waits, const Points& signals) {
    return SubmitDispatch(waits, signals, executable, name, dispatch);
  });
}

}  // namespace halyard::cts
