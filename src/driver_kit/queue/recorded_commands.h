// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list of commands that owns all it refers to.
#ifndef HALYARD_DRIVER_KIT_QUEUE_RECORDED_COMMANDS_H_
#define HALYARD_DRIVER_KIT_QUEUE_RECORDED_COMMANDS_H_

#include <cstddef>
#include <iterator>
#include <span>

#include "base/arena.h"
#include "halyard/driver_api.h"

namespace halyard {

/// A view of commands: those of a RecordedCommands, or any that lie one after the other. As cheap to copy as a span.
class CommandList {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = hal_command_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const hal_command_t*;
    using reference = const hal_command_t&;

    Iterator() = default;
    Iterator(const CommandList& list, size_t index) : array_(list.array_), pointers_(list.pointers_), index_(index) {}
    reference operator*() const { return CommandList::At(array_, pointers_, index_); }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++index_;
      return before;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const hal_command_t* array_ = nullptr;
    const hal_command_t* const* const* pointers_ = nullptr;
    size_t index_ = 0;
  };

  CommandList() = default;
  CommandList(const hal_command_t* commands, size_t count) : array_(commands), size_(count) {}

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const hal_command_t& operator[](size_t index) const { return At(array_, pointers_, index); }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size_}; }

 private:
  friend class RecordedCommands;
  using Pointers = const hal_command_t* const*;  // of as many commands as follow
  static constexpr size_t kPointers = 32;

  CommandList(const Pointers* pointers, size_t count) : pointers_(pointers), size_(count) {}
  static const hal_command_t& At(const hal_command_t* array, const Pointers* pointers, size_t index) {
    return pointers ? *pointers[index / kPointers][index % kPointers] : array[index];
  }

  const hal_command_t* array_ = nullptr;  // one of these
  const Pointers* pointers_ = nullptr;
  size_t size_ = 0;
};

/// Deep copies of commands (see command_copy.h), in the order in which they were added. Its arena has all of them, so
/// that nothing is moved while the list grows, and nothing is allocated once the arena's pool is warm.
class RecordedCommands {
 public:
  RecordedCommands() = default;
  /// `pool` outlives this object.
  explicit RecordedCommands(ArenaPool& pool) : arena_(pool) {}
  RecordedCommands(const RecordedCommands&) = delete;
  RecordedCommands& operator=(const RecordedCommands&) = delete;
  ~RecordedCommands() { ReleaseAll(); }

  /// May throw, and is as before then.
  void Append(const hal_command_t& command);
  /// Valid until the next Append() or Clear().
  CommandList commands() const { return {pointers_, size_}; }
  /// The same with the numbers of an execution, which looks at all of them. What that takes is in `arena`. May throw.
  CommandList Fill(std::span<const std::byte> numbers, Arena& arena) const;
  void Clear() noexcept;

 private:
  void MakeRoom();
  void ReleaseAll() noexcept;

  Arena arena_;
  CommandList::Pointers* pointers_ = nullptr;  // each to kPointers of them, all in the arena
  const hal_command_t* last_ = nullptr;
  size_t capacity_ = 0;  // of `pointers_`
  size_t size_ = 0;      // commands
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_RECORDED_COMMANDS_H_
