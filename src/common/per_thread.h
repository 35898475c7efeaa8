// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread-local objects that survive the end of main().
#ifndef HALYARD_COMMON_PER_THREAD_H_
#define HALYARD_COMMON_PER_THREAD_H_

#include <pthread.h>

#include <cstdint>
#include <utility>

#include "common/host_memory.h"

namespace halyard {

/// A thread's object of one type, in the list of all threads' objects. Lies in thread-local memory.
struct PerThreadLink {
  void (*destroy)(PerThreadLink* self) = nullptr;  // the object, not the link
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
    if (!t_slot.object) Make();
    return *t_slot.object;
  }
  /// NULL if this thread has none.
  static T* Find() { return t_slot.object; }

 private:
  struct Slot : PerThreadLink {
    T* object = nullptr;
  };
  /// Goes with the library when that is unloaded: threads that end later must not call into it.
  struct Key {
    Key() : made(pthread_key_create(&key, Delete) == 0) {}
    ~Key() {
      if (std::exchange(made, false)) pthread_key_delete(key);
    }
    static void Delete(void*) {
      t_slot.Leave();
      delete std::exchange(t_slot.object, nullptr);
    }
    pthread_key_t key = 0;
    bool made;
  };

  static void Make() {
    t_slot.object = new T();
    // Unless the thread's end is noticed, the list would keep a link that ended with the thread.
    if (!g_key.made || pthread_setspecific(g_key.key, &t_slot) != 0) return;
    t_slot.destroy = [](PerThreadLink* self) { delete std::exchange(static_cast<Slot*>(self)->object, nullptr); };
    t_slot.Join();
  }

  // initial-exec: in a shared library the default model is a call each time. It takes these few bytes from what the
  // loader keeps for libraries that are loaded late.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit inline Slot t_slot{};
  static inline Key g_key;
};

}  // namespace halyard

#endif  // HALYARD_COMMON_PER_THREAD_H_
