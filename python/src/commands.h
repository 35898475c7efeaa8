// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recordings: commands that are recorded once and executed many times, with other buffers.
#ifndef HALYARD_PYTHON_COMMANDS_H_
#define HALYARD_PYTHON_COMMANDS_H_

#include <memory>
#include <vector>

#include "buffer.h"
#include "live.h"
#include "process.h"
#include "stream.h"

namespace halyard::python {

/// A place of a recording that each execution fills with a buffer.
struct Slot {
  uint32_t index;
  uint64_t offset;
  uint64_t length;

  hal_buffer_ref_t ref() const { return hal_slot_ref(index, offset, length); }
};

/// A number of a recording that each execution gives: a constant of kernels, or a size of their grids.
struct Number {
  uint32_t index;
};

/// Where the block of an execution has a number, as one kind of parameter takes it.
struct NumberCell {
  uint32_t index;
  hal_element_type_t type;
  uint32_t size;    ///< bytes
  uint32_t offset;  ///< bytes, in the block
};

struct CommandsCore : Live<CommandsCore> {
  static constexpr const char* kKind = "commands";

  CommandsCore(std::shared_ptr<DeviceCore> owner, uint32_t slots, uint32_t numbers, bool ordered, bool one_shot);

  /// Where executions put a number for a parameter of that type. Throws if there is no such number.
  uint32_t OffsetOf(const Number& number, hal_element_type_t type, uint32_t size);

  /// A command names this memory, so each execution uses it.
  void Keep(const std::shared_ptr<Memory>& memory);

  std::shared_ptr<DeviceCore> device;
  CommandsRef ref;
  uint32_t slots;
  uint32_t numbers;
  std::vector<NumberCell> cells;
  uint32_t block_size = 0;  ///< bytes that the cells take
  std::vector<std::shared_ptr<Memory>> memories;
};

class Commands {
 public:
  explicit Commands(std::shared_ptr<CommandsCore> core) : core_(std::move(core)) {}
  const std::shared_ptr<CommandsCore>& core() const { return core_; }
  hal_command_buffer_t* get() const { return core_->ref.get(); }

 private:
  std::shared_ptr<CommandsCore> core_;
};

/// Executes a recording; `table` has a buffer for each slot, `numbers` a number for each that was recorded.
void Execute(const Stream& stream, const Commands& commands, const nb::args& table, nb::handle numbers);

void BindCommands(nb::module_& module);

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_COMMANDS_H_
