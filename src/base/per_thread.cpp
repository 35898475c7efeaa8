// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/per_thread.h"

#include <mutex>
#include <new>
#include <utility>

#include "base/process_wide.h"
#include "base/reserve.h"
#include "platform/thread_key.h"

namespace halyard {
namespace {

// For a thread's message and for what it defers, which both have to work without memory.
constinit Reserve<384> g_spare_objects;

constinit ForkSafeMutex g_links_mutex;  // protects what follows, all links and the key
constinit PerThreadLink* g_first = nullptr;
// Kept in reach, so that no leak is reported: what the parent's threads had, and what threads have whose end is not
// noticed.
constinit PerThreadLink* g_inherited = nullptr;
constinit PerThreadLink* g_unnoticed = nullptr;
constinit uint64_t g_list = 1;

// A child of fork() has none of the parent's threads, and what was their thread-local memory may be used otherwise.
constinit ProcessWideEntry g_entry([] {},
                                   [] {
                                     g_inherited = g_first;
                                     g_first = nullptr;
                                     ++g_list;
                                   });

}  // namespace

/// Goes with the library, or with the process, and takes the objects of the thread that ends it along. Threads that end
/// later do not call into it. Threads that still run may ask for objects before, meanwhile and afterwards.
struct PerThreadKey {
  PerThreadKey() noexcept : made(key.Make(DeleteAll)) {}
  ~PerThreadKey() {
    if (Delete()) DeleteAll(nullptr);
  }
  bool Delete() noexcept {
    const std::lock_guard lock(g_links_mutex);
    if (made) key.Delete();
    return std::exchange(made, false);
  }
  static void DeleteAll(void*) noexcept {
    while (PerThreadLink* const link = PerThreadLink::t_first) {
      link->Leave();
      link->Destroy();
    }
  }
  ThreadKey key;
  bool made;
};

// mingw-w64 keeps thread-local variables behind a key as well, which it makes when the first one is used. A thread's
// keys end in the order in which they were made: this one has to be earlier, for it uses such a variable.
#if defined(__MINGW32__)
#define HALYARD_MADE_FIRST [[gnu::init_priority(101)]]
#else
#define HALYARD_MADE_FIRST
#endif

namespace {
HALYARD_MADE_FIRST PerThreadKey g_key;
}

// Unless the thread's end is noticed, the list of all threads would keep a link to the thread's pointer.
void PerThreadLink::Add() noexcept {
  first = &t_first;
  below = std::exchange(t_first, this);
  g_entry.Link();
  const std::lock_guard lock(g_links_mutex);
  if (g_key.made && g_key.key.Set(this)) return Join();
  next = std::exchange(g_unnoticed, this);
}

PerThreadLink* PerThreadLink::Search(const void* type) noexcept {
  PerThreadLink** link = &t_first;
  while (*link && (*link)->type != type) link = &(*link)->below;
  PerThreadLink* const found = *link;
  if (!found) return nullptr;
  *link = found->below;
  found->below = std::exchange(t_first, found);
  return found;
}

void PerThreadLink::Destroy() noexcept {
  PerThreadLink** link = first;
  while (*link != this) link = &(*link)->below;
  *link = below;
  destroy(this);
}

void PerThreadLink::Join() noexcept {
  list = g_list;
  previous = nullptr;
  next = g_first;
  if (next) next->previous = this;
  g_first = this;
}

void PerThreadLink::Leave() noexcept {
  const std::lock_guard lock(g_links_mutex);
  if (list != g_list) return;
  list = 0;
  (previous ? previous->next : g_first) = next;
  if (next) next->previous = previous;
}

void* PerThreadLink::Allocate(size_t size) {
  void* memory = ::operator new(size, std::nothrow);
  if (!memory) memory = g_spare_objects.Take(size);
  if (!memory) throw std::bad_alloc();
  return memory;
}

void PerThreadLink::Free(void* memory) noexcept {
  if (!g_spare_objects.Return(memory)) ::operator delete(memory);
}

void FreePerThread() noexcept {
  const std::lock_guard lock(g_links_mutex);
  for (PerThreadLink* link = g_first; link;) {
    PerThreadLink* const next = link->next;
    if (!link->outlives_shutdown || link->first == &PerThreadLink::t_first) {
      (link->previous ? link->previous->next : g_first) = next;
      if (next) next->previous = link->previous;
      link->Destroy();
    }
    link = next;
  }
}

}  // namespace halyard
