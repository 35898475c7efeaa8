// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread-local objects that survive the end of main().
#ifndef HALYARD_BASE_PER_THREAD_H_
#define HALYARD_BASE_PER_THREAD_H_

#include <cstddef>
#include <cstdint>

#include "base/host_memory.h"
#include "base/thread_local.h"

namespace halyard {

/// A thread's object of one type. All objects are in a list, which also shows leak checkers that they are in use.
struct PerThreadLink {
  void (*destroy)(PerThreadLink* self) = nullptr;
  const void* type = nullptr;       // differs for each type
  PerThreadLink** first = nullptr;  // the thread's objects, the one that was used last first
  PerThreadLink* below = nullptr;   // the next of these
  PerThreadLink* previous = nullptr;
  PerThreadLink* next = nullptr;
  uint64_t list = 0;               // which list of all threads it is in: fork() begins a new one; 0 for none
  bool outlives_shutdown = false;  // a thread may read it while it leaves the library

  /// Adds it to this thread's objects, which go when the thread ends.
  void Add() noexcept;
  /// Takes it from its thread's objects and frees it. A thread that is not its own has the lock of the list.
  void Destroy() noexcept;

  /// This thread's object of a type, which is the first from now on; NULL if there is none.
  static PerThreadLink* Search(const void* type) noexcept;

  /// Memory for an object, from a reserve if there is none. Throws std::bad_alloc if that is used up.
  static void* Allocate(size_t size);
  static void Free(void* memory) noexcept;

  /// This thread's objects. There are few, so that one pointer serves all types.
  HALYARD_READ_BY_EVERY_CALL static thread_local constinit inline PerThreadLink* t_first = nullptr;

 private:
  void Join() noexcept;  // the caller has the lock of the list
  void Leave() noexcept;
  friend struct PerThreadKey;
};

/// Destroys the objects of all threads, which get new ones when they need them. No thread may be in the library. A
/// thread that leaves it may still read what outlives the shutdown, which goes with the thread.
void FreePerThread() noexcept;

/// One `T` for each thread, made when it is first asked for and freed when the thread ends, or by
/// hal_shutdown() unless T::kOutlivesShutdown is there.
///
/// A plain thread_local object is destroyed before the destructors of globals and the handlers of atexit() run, and
/// those may well call into the library. Here they find the object of the main thread still there.
///
/// It also takes memory to register its destructor, and the C library ends the process when there is none. A key of the
/// system's threads takes none, unless the process has dozens of keys; then failing is only a leak.
template <class T>
class PerThread {
 public:
  /// Throws std::bad_alloc if there is no memory and the reserve is used up.
  static T& Get() {
    Node* const node = FindNode();
    return (node ? node : Make())->object;
  }
  /// NULL if this thread has none.
  static T* Find() {
    Node* const node = FindNode();
    return node ? &node->object : nullptr;
  }

 private:
  struct Node : PerThreadLink {
    static void* operator new(size_t size) { return Allocate(size); }
    static void operator delete(void* memory) noexcept { Free(memory); }
    T object{};
  };

  static Node* FindNode() noexcept {
    PerThreadLink* const first = PerThreadLink::t_first;
    if (!first || first->type == &g_type) return static_cast<Node*>(first);
    return static_cast<Node*>(PerThreadLink::Search(&g_type));
  }
  static Node* Make() {
    auto* const node = new Node();
    node->destroy = [](PerThreadLink* self) { delete static_cast<Node*>(self); };
    node->type = &g_type;
    node->outlives_shutdown = requires { T::kOutlivesShutdown; };
    node->Add();
    return node;
  }

  static inline char g_type = 0;  // its address tells types apart
};

}  // namespace halyard

#endif  // HALYARD_BASE_PER_THREAD_H_
