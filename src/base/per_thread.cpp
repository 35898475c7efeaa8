// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/per_thread.h"

#include <mutex>

#include "base/process_wide.h"

namespace halyard {
namespace {

constinit ForkSafeMutex g_links_mutex;  // protects what follows and all links
constinit PerThreadLink* g_first = nullptr;
constinit PerThreadLink* g_inherited = nullptr;  // kept in reach, so that no leak is reported
constinit uint64_t g_list = 1;

// A child of fork() has none of the parent's threads, and what was their thread-local memory may be used otherwise.
constinit ProcessWideEntry g_entry([] {},
                                   [] {
                                     g_inherited = g_first;
                                     g_first = nullptr;
                                     ++g_list;
                                   });

}  // namespace

void PerThreadLink::Join() noexcept {
  g_entry.Link();
  const std::lock_guard lock(g_links_mutex);
  if (list == g_list) return;
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

void FreePerThread() noexcept {
  const std::lock_guard lock(g_links_mutex);
  while (PerThreadLink* const link = g_first) {
    g_first = link->next;
    link->destroy(link);
  }
}

}  // namespace halyard
