// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Also with mingw-w64, whose compiler keeps thread-local variables in such a key too, and the keys of a thread end in
// the order in which they were made. Windows' own (FlsAlloc) would end after the variables that they lead to.
#include "platform/thread_key.h"

#include <pthread.h>

namespace halyard {

bool ThreadKey::Make(void (*at_end)(void* value)) noexcept {
  pthread_key_t key{};
  if (pthread_key_create(&key, at_end) != 0) return false;
  key_ = key;
  return true;
}

bool ThreadKey::Set(const void* value) const noexcept {
  return pthread_setspecific(static_cast<pthread_key_t>(key_), value) == 0;
}

void ThreadKey::Delete() const noexcept { pthread_key_delete(static_cast<pthread_key_t>(key_)); }

}  // namespace halyard
