// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metal's objects as C++ and Objective-C++ both see them: opaque pointers with an owner.
#ifndef HALYARD_METAL_NATIVE_METAL_TYPES_H_
#define HALYARD_METAL_NATIVE_METAL_TYPES_H_

#include <cstdint>
#include <utility>

#ifdef __OBJC__
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>
#endif

namespace halyard::metal {

/// @name Handles
/// A function that takes one has the same name for the linker in both languages. Id() makes the object of one.
/// @{
#ifdef __OBJC__
template <class Native>
struct ProtocolOf;
#define HALYARD_METAL_HANDLE(name, ...)         \
  using Native##name = struct name##_t*;        \
  template <>                                   \
  struct __VA_ARGS__ ProtocolOf<Native##name> { \
    using Type = id<MTL##name>;                 \
  };
#else
#define HALYARD_METAL_HANDLE(name, ...) using Native##name = struct name##_t*;
#endif
HALYARD_METAL_HANDLE(ArgumentEncoder)
HALYARD_METAL_HANDLE(BinaryArchive)
HALYARD_METAL_HANDLE(Buffer)
HALYARD_METAL_HANDLE(CommandBuffer)
HALYARD_METAL_HANDLE(CommandQueue)
HALYARD_METAL_HANDLE(ComputePipelineState)
HALYARD_METAL_HANDLE(CounterSampleBuffer)
HALYARD_METAL_HANDLE(Device)
HALYARD_METAL_HANDLE(Fence)
HALYARD_METAL_HANDLE(Library)
HALYARD_METAL_HANDLE(ResidencySet, API_AVAILABLE(macos(15.0), ios(18.0)))
HALYARD_METAL_HANDLE(SharedEvent)
#undef HALYARD_METAL_HANDLE
/// @}

#ifdef __OBJC__
template <class Native>
typename ProtocolOf<Native>::Type Id(Native handle) {
  return (typename ProtocolOf<Native>::Type)(void*)handle;
}
template <class Native>
Native ToNative(typename ProtocolOf<Native>::Type object) {
  return reinterpret_cast<Native>((void*)object);
}
#endif

/// One reference more, or less. NULL does nothing.
void RetainNative(void* object) noexcept;
void ReleaseNative(void* object) noexcept;

/// Retains a Metal object on construction and releases it on destruction.
template <class Native>
class Owned {
 public:
  Owned() = default;
  /// Takes over a reference that the caller has: what a method named new… returned.
  static Owned Adopting(Native object) {
    Owned owned;
    owned.object_ = object;
    return owned;
  }
  static Owned Retaining(Native object) {
    RetainNative(object);
    return Adopting(object);
  }
  Owned(const Owned& other) : object_(other.object_) { RetainNative(object_); }
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() { ReleaseNative(object_); }

  Native get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  /// Gives the reference to the caller.
  [[nodiscard]] Native release() { return std::exchange(object_, nullptr); }

 private:
  Native object_ = nullptr;
};

using OwnedBuffer = Owned<NativeBuffer>;

/// Frees what Metal's methods leave to a pool, at the end of the scope. Every thread that calls Metal is in one.
class AutoreleaseScope {
 public:
  AutoreleaseScope();
  ~AutoreleaseScope();
  AutoreleaseScope(const AutoreleaseScope&) = delete;
  AutoreleaseScope& operator=(const AutoreleaseScope&) = delete;

 private:
  void* pool_;
};

/// What memory a buffer has: Metal's storage modes.
enum class MemoryKind {
  kPrivate,  ///< the device's own
  kShared,   ///< memory of the host that the device works on
  kManaged,  ///< a copy on each side, of devices with memory of their own
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_NATIVE_METAL_TYPES_H_
