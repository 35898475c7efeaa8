// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reference counting over the C object heads.
#ifndef HALYARD_DRIVER_KIT_OBJECT_OBJECT_H_
#define HALYARD_DRIVER_KIT_OBJECT_OBJECT_H_

#include <atomic>
#include <type_traits>
#include <utility>

#include "halyard/driver_api.h"

namespace halyard {

/// Adds a reference. An allocator's references are its device's. NULL does nothing.
void RetainObject(hal_object_t* object) noexcept;
/// Gives one back; the last one destroys the object, then releases its parent. NULL does nothing.
void ReleaseObject(hal_object_t* object) noexcept;

/// Called for a device of which there is no reference left, before it is destroyed: whatever the library keeps of the
/// device without a reference ends then.
using DeviceEnding = void (*)(hal_device_t* device) noexcept;
/// Sets the one that is called; it stays. Thread-safe.
void SetDeviceEnding(DeviceEnding ending) noexcept;

/// The rest of ReleaseObject(): destroys the object, of which there is no reference left, and releases its parents.
void DestroyObject(hal_object_t* object) noexcept;

/// For objects that count themselves, which are all but allocators.
inline void AddReference(hal_object_t* object) noexcept {
  std::atomic_ref(object->ref_count).fetch_add(1, std::memory_order_relaxed);
}
/// The same, unless none is left: then its end has begun. The caller sees to it that its memory is still there.
inline bool TryAddReference(hal_object_t* object) noexcept {
  const std::atomic_ref<uint32_t> count(object->ref_count);
  uint32_t references = count.load(std::memory_order_relaxed);
  while (references != 0) {
    if (count.compare_exchange_weak(references, references + 1, std::memory_order_relaxed)) return true;
  }
  return false;
}
/// Whether it was the last one, which must see every other thread's last use of the object.
inline bool DropsLast(hal_object_t* object) noexcept {
  return std::atomic_ref(object->ref_count).fetch_sub(1, std::memory_order_acq_rel) == 1;
}
template <class T>
concept CountsItself = !std::is_convertible_v<T*, hal_allocator_t*> && !std::is_same_v<T, hal_object_t>;

template <class T>
void Retain(T* object) noexcept {
  RetainObject(reinterpret_cast<hal_object_t*>(object));
}
template <CountsItself T>
void Retain(T* object) noexcept {
  if (object) AddReference(reinterpret_cast<hal_object_t*>(object));
}
template <class T>
void Release(T* object) noexcept {
  ReleaseObject(reinterpret_cast<hal_object_t*>(object));
}
template <CountsItself T>
void Release(T* object) noexcept {
  auto* const head = reinterpret_cast<hal_object_t*>(object);
  if (head && DropsLast(head)) DestroyObject(head);
}

/// What the core hangs on a command buffer (hal_command_buffer_t::validation); freed with it.
struct CommandBufferAttachment {
  void (*destroy)(CommandBufferAttachment* self) = nullptr;
};

/// Owns one reference to a HAL object.
template <class T>
class Ref {
 public:
  Ref() = default;
  /// Adds a reference.
  static Ref Retaining(T* object) {
    Retain(object);
    return Ref(object);
  }
  /// Takes over a reference that the caller has.
  static Ref Adopting(T* object) { return Ref(object); }

  Ref(const Ref& other) : object_(other.object_) { Retain(object_); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Release(object_); }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  /// Gives the reference to the caller.
  [[nodiscard]] T* release() { return std::exchange(object_, nullptr); }
  /// For out parameters; releases what was held.
  T** out() {
    *this = Ref();
    return &object_;
  }

 private:
  explicit Ref(T* object) : object_(object) {}
  T* object_ = nullptr;
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_OBJECT_OBJECT_H_
