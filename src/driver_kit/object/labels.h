// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the application calls its objects. Labels are rare, so they lie beside the objects: one without costs nothing.
#ifndef HALYARD_DRIVER_KIT_OBJECT_LABELS_H_
#define HALYARD_DRIVER_KIT_OBJECT_LABELS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "halyard/driver_api.h"

namespace halyard {

/// The labels of all objects, by address. Thread-safe.
class Labels {
 public:
  /// Whether an object has ever had a label. A thread that may use a labelled object sees it.
  static bool Any() noexcept { return any_.load(std::memory_order_relaxed); }

  /// Replaces the label of an object that is alive; the empty one takes it away. May throw std::bad_alloc.
  static void Set(const void* object, std::string_view label);
  /// Empty if there is none. Valid until the label changes.
  static hal_string_view_t Of(const void* object) noexcept;

  /// @name Around the end of an object
  /// Messages of its end still have the label, so it goes after the object. By then its address may be that of another
  /// object with a label of its own.
  /// @{

  /// Which label it is; 0 for none.
  static uint64_t NumberOf(const void* object) noexcept;
  /// Takes the label away if it still is that one.
  static void Remove(const void* object, uint64_t number) noexcept;
  /// @}

 private:
  static constinit inline std::atomic<bool> any_{false};
};

/// An object's label for a message, after a noun: " 'weights'". Empty if it has none; cut if it is long. In memory of
/// its own, so that a message never fails for it.
class LabelWords {
 public:
  // cold: only failures have messages
  [[gnu::cold]] explicit LabelWords(const void* object) noexcept;
  const char* c_str() const { return text_.data(); }

 private:
  static constexpr size_t kMostInMessage = 64;  // bytes of the label

  std::array<char, kMostInMessage + 4> text_;  // with a space, two quotes and a zero
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_OBJECT_LABELS_H_
