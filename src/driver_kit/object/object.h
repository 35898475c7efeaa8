// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reference counting over the C object heads.
#ifndef HALYARD_DRIVER_KIT_OBJECT_OBJECT_H_
#define HALYARD_DRIVER_KIT_OBJECT_OBJECT_H_

#include <utility>

#include "halyard/driver_api.h"

namespace halyard {

/// Adds a reference. An allocator's references are its device's. NULL does nothing.
void RetainObject(hal_object_t* object) noexcept;
/// Gives one back; the last one destroys the object, then releases its parent. NULL does nothing.
void ReleaseObject(hal_object_t* object) noexcept;

/// The rest of ReleaseObject(): destroys the object, of which there is no reference left, and releases its parents.
void DestroyObject(hal_object_t* object) noexcept;

template <class T>
void Retain(T* object) noexcept {
  RetainObject(reinterpret_cast<hal_object_t*>(object));
}
template <class T>
void Release(T* object) noexcept {
  ReleaseObject(reinterpret_cast<hal_object_t*>(object));
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
