// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of destroyed objects, for the next ones.
#ifndef HALYARD_BASE_OBJECT_MEMORY_H_
#define HALYARD_BASE_OBJECT_MEMORY_H_

#include <cstddef>
#include <mutex>
#include <new>
#include <utility>

#include "base/host_memory.h"
#include "base/small_mutex.h"

namespace halyard {

#if defined(__has_feature)
#define HALYARD_HAS_FEATURE(name) __has_feature(name)
#else
#define HALYARD_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HALYARD_HAS_FEATURE(address_sanitizer)
/// Whether freed memory is kept for reuse. Not under the address sanitizer, which is to see every use after the end.
inline constexpr bool kKeepsFreedMemory = false;
#else
inline constexpr bool kKeepsFreedMemory = true;
#endif
#undef HALYARD_HAS_FEATURE

/// Keeps the memory of a limited number of destroyed objects, all of one type. It is the memory that `new` of a
/// HostObject gives, so that either may free what the other has made. Thread-safe.
class ObjectMemory {
 public:
  /// Full from the beginning where frees are intercepted: validation is to have the memory of each destroyed object.
  ObjectMemory() noexcept : count_(FreesAreIntercepted() ? kMaxFree : 0) {}
  ObjectMemory(const ObjectMemory&) = delete;
  ObjectMemory& operator=(const ObjectMemory&) = delete;
  ~ObjectMemory() { Trim(); }

  /// A new object. May throw.
  template <class T, class... Args>
  T* Make(Args&&... args) {
    static_assert(alignof(T) <= alignof(std::max_align_t) && sizeof(T) >= sizeof(Free));
    void* const memory = Take(sizeof(T));
    try {
      return ::new (memory) T(std::forward<Args>(args)...);
    } catch (...) {
      Give(memory, sizeof(T));
      throw;
    }
  }

  /// Destroys an object and keeps its memory.
  template <class T>
  void Destroy(T* object) noexcept {
    object->~T();
    Give(object, sizeof(T));
  }

  /// Frees what is kept.
  void Trim() noexcept;

 private:
  struct Free {
    Free* next;
    size_t size;  // bytes; the same for all
  };
  static constexpr size_t kMaxFree = 256;

  void* Take(size_t size) {
    if (Free* const found = Pop()) return found;
    return HostAllocate(size, alignof(std::max_align_t));
  }

  Free* Pop() noexcept {
    const std::lock_guard lock(mutex_);
    Free* const found = free_;
    if (found) {
      free_ = found->next;
      --count_;
    }
    return found;
  }

  void Give(void* memory, size_t size) noexcept {
    if (!Push(memory, size)) HostFree(memory, size, alignof(std::max_align_t));
  }

  bool Push(void* memory, size_t size) noexcept {
    if (!kKeepsFreedMemory) return false;
    const std::lock_guard lock(mutex_);
    if (count_ == kMaxFree) return false;
    free_ = ::new (memory) Free{free_, size};
    ++count_;
    return true;
  }

  SmallMutex mutex_;  // protects what follows; a leaf
  size_t count_;
  Free* free_ = nullptr;
};

}  // namespace halyard

#endif  // HALYARD_BASE_OBJECT_MEMORY_H_
