// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the application calls its objects. Labels are rare, so they lie beside the objects: one without costs nothing.
#ifndef HALYARD_DRIVER_KIT_OBJECT_LABELS_H_
#define HALYARD_DRIVER_KIT_OBJECT_LABELS_H_

#include <array>
#include <atomic>
#include <string_view>

#include "base/host_memory.h"
#include "halyard/driver_api.h"

namespace halyard {

/// The labels of all objects, by address. Thread-safe.
class Labels {
 public:
  /// Whether an object has ever had a label. A thread that may use a labelled object sees it.
  static bool Any() noexcept { return g_any.load(std::memory_order_relaxed); }

  /// Replaces the label of an object that is alive; the empty one takes it away. May throw std::bad_alloc.
  static void Set(const void* object, std::string_view label);
  /// Empty if there is none. Valid until the label changes.
  static hal_string_view_t Of(const void* object) noexcept;
  /// Copies the label and returns how many bytes that is. One that is longer than that is cut, and ends in "…".
  static size_t Copy(const void* object, char* out, size_t capacity) noexcept;

 private:
  friend class EndingLabel;
  static constinit inline std::atomic<bool> g_any{false};
};

/// The label of an object that is being destroyed, while this exists. It leaves the table before the object's memory
/// does, as the next object there has none. Messages of this thread still have it.
class EndingLabel {
 public:
  explicit EndingLabel(const void* object) noexcept;
  ~EndingLabel();
  EndingLabel(const EndingLabel&) = delete;
  EndingLabel& operator=(const EndingLabel&) = delete;

  /// NULL if no such object is being destroyed by this thread, or if it has no label.
  static const HostString* Of(const void* object) noexcept;

 private:
  const void* const object_;
  HostString text_;
  const EndingLabel* outer_ = nullptr;  // objects end within others
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
