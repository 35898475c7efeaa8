// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/queue/recorded_commands.h"

#include <algorithm>

#include "driver_kit/queue/command.h"
#include "driver_kit/queue/command_copy.h"

namespace halyard {

void RecordedCommands::Append(const hal_command_t& command) {
  constexpr size_t kPointers = CommandList::kPointers;
  if (size_ % kPointers == 0) MakeRoom();
  const hal_command_t* const copy = CopyCommand(arena_, command);
  RetainObjects(*copy, last_);
  const_cast<const hal_command_t**>(pointers_[size_ / kPointers])[size_ % kPointers] = copy;
  last_ = copy;
  ++size_;
}

/// For a group of pointers to commands. What a failure leaves in the arena goes with it.
void RecordedCommands::MakeRoom() {
  auto* const group = arena_.Allocate(CommandList::kPointers * sizeof(const hal_command_t*));
  const size_t count = size_ / CommandList::kPointers;
  if (count == capacity_) {
    const size_t capacity = std::max<size_t>(4, capacity_ * 2);
    auto* const pointers = static_cast<CommandList::Pointers*>(arena_.Allocate(capacity * sizeof(*pointers_)));
    std::copy_n(pointers_, count, pointers);
    pointers_ = pointers;
    capacity_ = capacity;
  }
  pointers_[count] = static_cast<const hal_command_t**>(group);
}

// Groups of pointers to commands without numbers are shared.
CommandList RecordedCommands::Fill(std::span<const std::byte> numbers, Arena& arena) const {
  constexpr size_t kPointers = CommandList::kPointers;
  CommandList::Pointers* const groups = arena.Copy(pointers_, (size_ + kPointers - 1) / kPointers);
  const hal_command_t** copied = nullptr;  // the pointers of the group
  for (size_t i = 0; i < size_; ++i) {
    const size_t group = i / kPointers;
    const size_t place = i % kPointers;
    if (place == 0) copied = nullptr;
    const hal_command_t& command = *groups[group][place];
    if (command.type != HAL_COMMAND_TYPE_DISPATCH || !TakesNumbers(command.u.dispatch)) continue;
    if (!copied) groups[group] = copied = arena.Copy(groups[group], std::min(kPointers, size_ - group * kPointers));
    copied[place] = FillNumbers(arena, command, numbers);
  }
  return {groups, size_};
}

void RecordedCommands::ReleaseAll() noexcept {
  const hal_command_t* before = nullptr;
  for (const hal_command_t& command : commands()) {
    ReleaseObjects(command, before);
    before = &command;
  }
}

void RecordedCommands::Clear() noexcept {
  ReleaseAll();
  pointers_ = nullptr;
  last_ = nullptr;
  capacity_ = size_ = 0;
  arena_.Clear();
}

}  // namespace halyard
