// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carrying out commands.
#ifndef HALYARD_DRIVERS_LOCAL_RECORDING_LOCAL_COMMANDS_H_
#define HALYARD_DRIVERS_LOCAL_RECORDING_LOCAL_COMMANDS_H_

#include <array>
#include <span>

#include "base/status.h"
#include "driver_kit/device/binding_table.h"
#include "driver_kit/memory/host_storage.h"
#include "driver_kit/queue/recorded_commands.h"
#include "driver_kit/trace/profiling_session.h"
#include "halyard/driver_api.h"
#include "halyard/local_kernel.h"
#include "local/executor/local_executor.h"
#include "local/memory/local_buffer.h"

namespace halyard::local {

/// Bounds of the local device that the code below relies on.
inline constexpr uint32_t kMaxBindings = 64;
inline constexpr uint32_t kMaxLocalMemory = 256u << 10;  // bytes
inline constexpr uint32_t kMaxConstantsSize = 4096;      // bytes

/// A bounded range of memory.
struct MemoryRange {
  char* data;
  uint64_t length;
};

/// What ParallelFor may run at once: commands [begin, end) of a command buffer, with no ordering among them.
struct CommandSegment {
  uint32_t begin;
  uint32_t end;
};

/// Where and for whom commands run.
struct CommandContext {
  Executor& executor;
  ProfilingSession& profiling;
  BindingTable table;  // empty if there is none
  const hal_device_t& device;
  const OperationRecord* record = nullptr;  // for records of dispatches; NULL if there are to be none
};

/// Keeps the memory that a command works on where it is until the command is done, whatever becomes of its buffer.
class Pins {
 public:
  Pins() = default;
  Pins(const Pins&) = delete;
  Pins& operator=(const Pins&) = delete;
  ~Pins() {
    for (size_t i = 0; i < count_; ++i) storages_[i]->Unpin();
  }

  /// Where the bytes of a buffer lie while this lives. FAILED_PRECONDITION if the buffer has no memory.
  Status Add(const BufferRange& range, MemoryRange* out) {
    char* const data = Add(static_cast<LocalBuffer*>(range.buffer)->storage());
    if (!data && range.length > 0) return FailOutsideLife();
    *out = {data ? data + range.offset : nullptr, range.length};
    return kOk;
  }

 private:
  // The first byte of a storage; NULL if it has no memory.
  char* Add(HostStorage& storage) {
    if (!storage.transient()) return storage.data();
    char* const data = storage.Pin();
    if (data) storages_[count_++] = &storage;
    return data;
  }

  std::array<HostStorage*, kMaxBindings> storages_;  // the first count_
  size_t count_ = 0;
};

/// Where a reference points while `pins` lives. FAILED_PRECONDITION if the buffer has no memory.
Status Resolve(const CommandContext& context, const hal_buffer_ref_t& ref, Pins& pins, MemoryRange* out);

/// Runs one command on this thread, a dispatch on the whole executor. `index` is for profiling.
Status RunCommand(const CommandContext& context, const hal_command_t& command, uint32_t index);

/// Runs commands one after the other.
Status RunOneByOne(const CommandContext& context, CommandList commands);

/// Runs a command buffer: its segments one after the other, the commands of each at the same time.
Status RunCommands(const CommandContext& context, CommandList commands, std::span<const CommandSegment> segments);

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_RECORDING_LOCAL_COMMANDS_H_
