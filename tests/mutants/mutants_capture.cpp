// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Things that a call must take in before it returns, taken too late, too early or from another thread.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "driver_kit/queue/recorded_commands.h"
#include "local/memory/local_buffer.h"
#include "mutants/collected_commands.h"

namespace halyard::mutants {
namespace {

using Operation = hal_queue_operation_t;

bool IsCommand(const Operation& operation, hal_command_type_t type) {
  return operation.type == HAL_QUEUE_OPERATION_TYPE_COMMAND && operation.u.command.type == type;
}

/// Holds a command back until its waits are reached, and has `change` look at it again then.
hal_status_t SubmitLate(hal_device_t* device, const Operation* operation, std::function<void(hal_command_t&)> change) {
  auto kept = std::make_shared<RecordedCommands>();
  kept->Append(operation->u.command);
  const auto run = [=, keep_device = Ref<hal_device_t>::Retaining(device), late = *operation,
                    signals = KeptPoints(operation->signal_list)](hal_status_t status,
                                                                  hal_string_view_t message) mutable {
    if (status != HAL_STATUS_OK) return signals.Fail(status, message);
    late.wait_list = {};
    late.signal_list = signals.list();
    late.u.command = kept->commands()[0];
    change(late.u.command);
    Local().device->submit(device, &late);
  };
  return AfterWaits(device, *operation, run);
}

// The caller's bytes are read when the update runs.
hal_status_t UpdateLate(hal_device_t* device, const Operation* operation) {
  if (!IsCommand(*operation, HAL_COMMAND_TYPE_UPDATE)) return Local().device->submit(device, operation);
  const void* const data = operation->u.command.u.update.data;
  return SubmitLate(device, operation, [=](hal_command_t& command) { command.u.update.data = data; });
}

// All dispatches keep their constants in one place: one that is deferred runs with those of a later one.
hal_status_t ShareConstants(hal_device_t* device, const Operation* operation) {
  static std::mutex mutex;
  static std::map<uint32_t, std::vector<char>> constants_of_size;
  if (!IsCommand(*operation, HAL_COMMAND_TYPE_DISPATCH)) return Local().device->submit(device, operation);
  const hal_dispatch_params_t& params = *operation->u.command.u.dispatch.params;
  {
    const auto* const bytes = static_cast<const char*>(params.constants);
    const std::lock_guard lock(mutex);
    constants_of_size[params.constants_size].assign(bytes, bytes + params.constants_size);
  }
  auto latest = std::make_shared<std::vector<char>>();  // these two live until the command has been captured once more
  auto late = std::make_shared<hal_dispatch_params_t>();
  return SubmitLate(device, operation, [=](hal_command_t& command) {
    *late = *command.u.dispatch.params;
    command.u.dispatch.params = late.get();
    const std::lock_guard lock(mutex);
    *latest = constants_of_size[late->constants_size];
    late->constants = latest->data();
  });
}

// Where this thread's callers keep the bytes of the updates that they record.
thread_local std::vector<const void*> t_sources;

hal_status_t RecordSource(hal_command_buffer_t* command_buffer, const hal_command_t* command) {
  if (command->type == HAL_COMMAND_TYPE_UPDATE) t_sources.push_back(command->u.update.data);
  return CollectCommand(command_buffer, command);
}

void ReadSourcesAgain(Commands& commands) {
  auto source = t_sources.begin();
  for (hal_command_t& command : commands) {
    if (command.type == HAL_COMMAND_TYPE_UPDATE && source != t_sources.end()) command.u.update.data = *source++;
  }
  t_sources.clear();
}

void ReadRecordedUpdatesAtEnd(Tables& tables) {
  PlantInCommandBuffers<ReadSourcesAgain>(tables);
  tables.command_buffer.record = RecordSource;
}

/// A table that keeps its buffers alive.
struct KeptTable {
  explicit KeptTable(hal_buffer_ref_list_t table) : refs(table.refs, table.refs + table.count) {
    for (const hal_buffer_ref_t& ref : refs) kept.push_back(Ref<hal_buffer_t>::Retaining(ref.buffer));
  }
  std::vector<hal_buffer_ref_t> refs;
  std::vector<Ref<hal_buffer_t>> kept;
};

bool HasTable(const Operation& operation) {
  return operation.type == HAL_QUEUE_OPERATION_TYPE_EXECUTE && operation.u.execute.table.count > 0;
}

/// One table for each command buffer.
class SharedTables {
 public:
  using Table = std::shared_ptr<const KeptTable>;

  void Put(hal_command_buffer_t* recording, Table table) {
    const std::lock_guard lock(mutex_);
    tables_[recording] = std::move(table);
  }
  Table Get(hal_command_buffer_t* recording) {
    const std::lock_guard lock(mutex_);
    return tables_[recording];
  }

 private:
  std::mutex mutex_;  // protects tables_
  std::map<hal_command_buffer_t*, Table> tables_;
};
auto& g_tables = *new SharedTables();  // never destroyed, since its buffers may outlive main()

// Each submission overwrites the one table of a command buffer: a deferred submission runs with a later one's table.
hal_status_t ShareOneTable(hal_device_t* device, const Operation* operation) {
  if (!HasTable(*operation)) return Local().device->submit(device, operation);
  const auto recording = Ref<hal_command_buffer_t>::Retaining(operation->u.execute.command_buffer);
  g_tables.Put(recording.get(), std::make_shared<KeptTable>(operation->u.execute.table));
  const auto run = [=, late = *operation, signals = KeptPoints(operation->signal_list)](
                       hal_status_t status, hal_string_view_t message) mutable {
    if (status != HAL_STATUS_OK) return signals.Fail(status, message);
    const SharedTables::Table table = g_tables.Get(recording.get());
    late.wait_list = {};
    late.signal_list = signals.list();
    late.u.execute.table = hal_buffer_ref_list(table->refs.data(), table->refs.size());
    Local().device->submit(recording->device, &late);
  };
  return AfterWaits(device, *operation, run);
}

// The table of the first submission stays. A later one that is as long is not looked at.
hal_status_t KeepFirstTable(hal_device_t* device, const Operation* operation) {
  if (!HasTable(*operation)) return Local().device->submit(device, operation);
  SharedTables::Table table = g_tables.Get(operation->u.execute.command_buffer);
  if (!table) {
    table = std::make_shared<KeptTable>(operation->u.execute.table);
    g_tables.Put(operation->u.execute.command_buffer, table);
    Retain(operation->u.execute.command_buffer);  // permanently, so that no other one gets its address
  }
  Operation mutated = *operation;
  mutated.u.execute.table = hal_buffer_ref_list(table->refs.data(), table->refs.size());
  return Local().device->submit(device, &mutated);
}

// Slots 0 and 1 change places if they are as long as each other.
hal_status_t SwapSlots(hal_device_t* device, const Operation* operation) {
  if (!HasTable(*operation)) return Local().device->submit(device, operation);
  const hal_buffer_ref_list_t& table = operation->u.execute.table;
  std::vector<hal_buffer_ref_t> refs(table.refs, table.refs + table.count);
  if (refs.size() > 1 && refs[0].buffer && refs[1].buffer && refs[0].length == refs[1].length) {
    std::swap(refs[0], refs[1]);
  }
  Operation mutated = *operation;
  mutated.u.execute.table = hal_buffer_ref_list(refs.data(), refs.size());
  return Local().device->submit(device, &mutated);
}

hal_status_t IgnoreSlotOffsets(hal_device_t* device, const Operation* operation) {
  if (!HasTable(*operation)) return Local().device->submit(device, operation);
  const hal_buffer_ref_list_t& table = operation->u.execute.table;
  std::vector<hal_buffer_ref_t> refs(table.refs, table.refs + table.count);
  for (hal_buffer_ref_t& ref : refs) ref.offset = 0;
  Operation mutated = *operation;
  mutated.u.execute.table = hal_buffer_ref_list(refs.data(), refs.size());
  return Local().device->submit(device, &mutated);
}

// A reference into a slot begins where the slot does.
void IgnoreOffsetsIntoSlots(hal_command_t& command) {
  const auto ignore = [](hal_buffer_ref_t& ref) {
    if (!ref.buffer) ref.offset = 0;
  };
  if (command.type == HAL_COMMAND_TYPE_FILL) ignore(command.u.fill.target);
  if (command.type == HAL_COMMAND_TYPE_UPDATE) ignore(command.u.update.target);
  if (command.type == HAL_COMMAND_TYPE_COPY) {
    ignore(command.u.copy.source);
    ignore(command.u.copy.target);
  }
}

// The counts are read by the call that records or submits the dispatch.
void ReadIndirectCountsEarly(Dispatch& dispatch) {
  hal_dispatch_params_t& params = dispatch.params;
  if ((params.flags & HAL_DISPATCH_INDIRECT) == 0 || !params.indirect.buffer) return;
  const char* const data = static_cast<local::LocalBuffer*>(params.indirect.buffer)->data();
  if (!data) return;
  hal_dim3_t count;
  std::memcpy(&count, data + params.indirect.offset, sizeof(count));
  if (std::max({count.x, count.y, count.z}) > 4096) count = {0, 0, 0};  // not written yet
  params.flags &= ~HAL_DISPATCH_INDIRECT;
  params.workgroup_count = count;
}

/// Where imported buffers lie.
class Imports {
 public:
  void Add(hal_buffer_t* buffer, const hal_external_memory_t& memory) {
    const std::lock_guard lock(mutex_);
    imports_[buffer] = memory;
  }
  void Remove(hal_buffer_t* buffer) {
    const std::lock_guard lock(mutex_);
    imports_.erase(buffer);
  }
  bool Find(hal_buffer_t* buffer, hal_external_memory_t* memory) {
    const std::lock_guard lock(mutex_);
    const auto found = imports_.find(buffer);
    if (found != imports_.end()) *memory = found->second;
    return found != imports_.end();
  }

 private:
  std::mutex mutex_;  // protects imports_
  std::map<hal_buffer_t*, hal_external_memory_t> imports_;
};
Imports g_imports;

// Work on imported memory does not retain the buffer: the memory is released before the work has run. (The work
// gets a buffer of its own over the same memory, so that the mutant itself stays harmless.)
hal_status_t FillWithoutKeepingImports(hal_device_t* device, const Operation* operation) {
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  if (!IsCommand(*operation, HAL_COMMAND_TYPE_FILL) ||
      !g_imports.Find(operation->u.command.u.fill.target.buffer, &memory)) {
    return Local().device->submit(device, operation);
  }
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  Ref<hal_buffer_t> alias;
  if (hal_status_t status = hal_allocator_import(device->allocator, &params, &memory, nullptr, nullptr, alias.out());
      status != HAL_STATUS_OK) {
    return status;
  }
  Operation mutated = *operation;
  mutated.u.command.u.fill.target.buffer = alias.get();
  return Local().device->submit(device, &mutated);
}

void KeepNoImports(Tables& tables) {
  tables.allocator.import = [](hal_allocator_t* allocator, const hal_buffer_params_t* params,
                               const hal_external_memory_t* memory, hal_memory_release_fn_t release, void* user_data,
                               hal_buffer_t** out_buffer) {
    const hal_status_t status = Local().allocator->import(allocator, params, memory, release, user_data, out_buffer);
    if (status == HAL_STATUS_OK && release) g_imports.Add(*out_buffer, *memory);
    return status;
  };
  tables.buffer.destroy = [](hal_object_t* buffer) {
    g_imports.Remove(reinterpret_cast<hal_buffer_t*>(buffer));
    Local().buffer->destroy(buffer);
  };
  tables.device.submit = FillWithoutKeepingImports;
}

constexpr Mutant kCaptureMutants[] = {
    {"update-read-late", "an update reads the caller's bytes when it runs", "*TransferTest.*Captures*",
     [](Tables& tables) { tables.device.submit = UpdateLate; }},
    {"recorded-update-read-late", "a recorded update reads the caller's bytes when the recording ends",
     "CommandBufferTest.Captures*", ReadRecordedUpdatesAtEnd},
    {"constants-shared", "a dispatch that is deferred runs with the constants of a later one",
     "*DispatchConstantsTest.*", [](Tables& tables) { tables.device.submit = ShareConstants; }},
    {"table-shared", "a submission that is deferred runs with the binding table of a later one", "BindingTableTest.*",
     [](Tables& tables) { tables.device.submit = ShareOneTable; }},
    {"table-kept", "a command buffer always runs with the binding table of its first submission", "BindingTableTest.*",
     [](Tables& tables) { tables.device.submit = KeepFirstTable; }},
    {"slots-swapped", "slots 0 and 1 of a binding table change places", "BindingTableTest.*:*BindingMixTest.*",
     [](Tables& tables) { tables.device.submit = SwapSlots; }},
    {"slot-offsets-ignored", "ranges in a binding table begin at the start of their buffers",
     "*BindingTableRangeTest.*", [](Tables& tables) { tables.device.submit = IgnoreSlotOffsets; }},
    {"offsets-into-slots-ignored", "transfers begin at the start of the range in a slot", "*BindingTableRangeTest.*",
     PlantInCommands<IgnoreOffsetsIntoSlots>},
    {"indirect-read-early", "indirect counts are read when the dispatch is recorded or submitted",
     "*IndirectSourceTest.*:*IndirectHostTest.*", PlantInDispatches<ReadIndirectCountsEarly>},
    {"imports-not-kept", "imported memory is released while submitted work needs it", "ImportTest.*", KeepNoImports},
};

}  // namespace

std::span<const Mutant> CaptureMutants() { return kCaptureMutants; }

}  // namespace halyard::mutants
