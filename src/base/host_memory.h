// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's own host memory: every object and container of the library takes it from the application's allocator.
#ifndef HALYARD_BASE_HOST_MEMORY_H_
#define HALYARD_BASE_HOST_MEMORY_H_

#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "halyard/base.h"

namespace halyard {

/// Throws std::bad_alloc if there is none left.
void* HostAllocate(size_t size, size_t alignment);
void HostFree(void* memory, size_t size, size_t alignment) noexcept;

/// Whether any was allocated, at the first time or since ForgetHostMemoryUse(). Thread-safe.
bool HostMemoryIsUsed() noexcept;
/// See hal_set_host_allocator(). False if memory is in use already.
bool SetHostAllocator(const hal_host_allocator_t* allocator);
/// All memory was freed: another allocator may be set, and the next allocation is a first one again.
void ForgetHostMemoryUse() noexcept;

/// @name For validation
/// @{

/// `first_use` is called before the first allocation, once, while all other threads that allocate wait. Or at once, if
/// the constructor of a static object has allocated already. While the library is loaded.
void SetFirstUse(void (*first_use)() noexcept) noexcept;
/// Has `keep` see each block before it is freed, until ForgetHostMemoryUse(). If it returns true, the block is its own.
/// In the function of SetFirstUse() only.
void InterceptFrees(bool (*keep)(void* memory, size_t size, size_t alignment) noexcept) noexcept;
/// Whether they are, now.
bool FreesAreIntercepted() noexcept;
/// As HostAllocate() and HostFree(), without first use and interception; NULL if there is no memory.
void* PlainAllocate(size_t size, size_t alignment) noexcept;
void PlainFree(void* memory, size_t size, size_t alignment) noexcept;
/// @}

/// The standard library's view of it.
template <class T>
struct HostStdAllocator {
  using value_type = T;
  HostStdAllocator() = default;
  template <class U>
  HostStdAllocator(const HostStdAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)
  T* allocate(size_t n) { return static_cast<T*>(HostAllocate(n * sizeof(T), alignof(T))); }
  void deallocate(T* memory, size_t n) noexcept { HostFree(memory, n * sizeof(T), alignof(T)); }
  template <class U>
  bool operator==(const HostStdAllocator<U>&) const noexcept {
    return true;
  }
};

using HostString = std::basic_string<char, std::char_traits<char>, HostStdAllocator<char>>;
template <class T>
using HostVector = std::vector<T, HostStdAllocator<T>>;
template <class T>
using HostDeque = std::deque<T, HostStdAllocator<T>>;
template <class T>
using HostList = std::list<T, HostStdAllocator<T>>;
template <class K, class V, class Less = std::less<>>
using HostMap = std::map<K, V, Less, HostStdAllocator<std::pair<const K, V>>>;

/// Base of classes made with `new`. Empty, so that it adds nothing to an object's layout.
/// Sized deletion needs the static type to be the dynamic one: classes with virtual destructors are fine, too.
class HostObject {
 public:
  static void* operator new(size_t size) { return HostAllocate(size, alignof(std::max_align_t)); }
  static void operator delete(void* memory, size_t size) noexcept { HostFree(memory, size, alignof(std::max_align_t)); }
  static void* operator new(size_t size, std::align_val_t alignment) {
    return HostAllocate(size, static_cast<size_t>(alignment));
  }
  static void operator delete(void* memory, size_t size, std::align_val_t alignment) noexcept {
    HostFree(memory, size, static_cast<size_t>(alignment));
  }
};

}  // namespace halyard

#endif  // HALYARD_BASE_HOST_MEMORY_H_
