// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread-local objects that survive the end of main().
#ifndef HALYARD_COMMON_PER_THREAD_H_
#define HALYARD_COMMON_PER_THREAD_H_

#include <utility>

#include "common/host_memory.h"

namespace halyard {

/// One `T` for each thread, made when it is first asked for and freed when the thread ends.
///
/// A plain thread_local object is destroyed before the destructors of globals and the handlers of atexit() run, and
/// those may well call into the library. Here they get a new object, which then stays until the process is gone.
template <class T>
class PerThread {
 public:
  /// May throw std::bad_alloc.
  static T& Get() {
    if (!t_object) {
      t_object = new T();
      t_cleaner.Arm();
    }
    return *t_object;
  }
  /// NULL if this thread has none.
  static T* Find() { return t_object; }

 private:
  struct Cleaner {
    void Arm() {}  // using it is what registers the destructor
    ~Cleaner() { delete std::exchange(t_object, nullptr); }
  };

  // initial-exec: in a shared library the default model is a call each time. It takes these few bytes from what the
  // loader keeps for libraries that are loaded late.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit inline T* t_object = nullptr;
  static thread_local inline Cleaner t_cleaner;
};

}  // namespace halyard

#endif  // HALYARD_COMMON_PER_THREAD_H_
