// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread-local objects that survive the end of main().
#ifndef HALYARD_BASE_PER_THREAD_H_
#define HALYARD_BASE_PER_THREAD_H_

#include <pthread.h>

#include <cstdint>
#include <utility>

#include "base/host_memory.h"

namespace halyard {

/// A thread's object of one type, in the list of all threads' objects, which also shows leak checkers that it is in
/// use.
struct PerThreadLink {
  void (*destroy)(PerThreadLink* self) = nullptr;  // frees it and has the thread forget it
  PerThreadLink* previous = nullptr;
  PerThreadLink* next = nullptr;
  uint64_t list = 0;  // which list it is in: fork() begins a new one; 0 for none

  void Join() noexcept;
  void Leave() noexcept;
};

/// Destroys the objects of all threads, none of which may be in the library. They get new ones when they need them.
void FreePerThread() noexcept;

/// One `T` for each thread, made when it is first asked for and freed when the thread ends, or by hal_shutdown().
///
/// A plain thread_local object is destroyed before the destructors of globals and the handlers of atexit() run, and
/// those may well call into the library. Here they find the object of the main thread still there.
///
/// It also takes memory to register its destructor, and the C library ends the process when there is none. A key of the
/// system's threads takes none, unless the process has dozens of keys; then failing is only a leak.
template <class T>
class PerThread {
 public:
  /// May throw std::bad_alloc.
  static T& Get() {
    if (!t_node) Make();
    return t_node->object;
  }
  /// NULL if this thread has none.
  static T* Find() { return t_node ? &t_node->object : nullptr; }

 private:
  struct Node : PerThreadLink {
    Node** owner = &t_node;  // the thread's pointer to it
    T object{};
  };
  /// Goes with the library, or with the process, and takes the object of the thread that ends it along. Threads that
  /// end later do not call into it.
  struct Key {
    Key() : made(pthread_key_create(&key, Delete) == 0) {}
    ~Key() {
      if (!std::exchange(made, false)) return;
      pthread_key_delete(key);
      Delete(nullptr);
    }
    static void Delete(void*) {
      if (!t_node) return;
      t_node->Leave();
      Destroy(t_node);
    }
    pthread_key_t key = 0;
    bool made;
  };

  static void Make() {
    t_node = new Node();
    t_node->destroy = Destroy;
    // Unless the thread's end is noticed, the list would keep a link to its pointer.
    if (!g_key.made || pthread_setspecific(g_key.key, t_node) != 0) return;
    t_node->Join();
  }
  static void Destroy(PerThreadLink* self) {
    auto* const node = static_cast<Node*>(self);
    *node->owner = nullptr;
    delete node;
  }

  // initial-exec: in a shared library the default model is a call each time. It takes these few bytes from what the
  // loader keeps for libraries that are loaded late.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit inline Node* t_node = nullptr;
  static inline Key g_key;
};

}  // namespace halyard

#endif  // HALYARD_BASE_PER_THREAD_H_
