// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// malloc() and its relatives, counted. A program's malloc() replaces the C library's for everything that is loaded into
// it, so all allocations of the standard library and of Halyard are counted.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "allocations/counting_allocator.h"

namespace halyard::allocations {

#if defined(HALYARD_SANITIZED) || !defined(__GLIBC__)

bool CountsMalloc() { return false; }
uint64_t Mallocs() { return 0; }

#else

namespace {
std::atomic<uint64_t> g_mallocs{0};
}  // namespace

bool CountsMalloc() { return true; }
uint64_t Mallocs() { return g_mallocs; }

#define COUNTED extern "C" __attribute__((visibility("default")))

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

COUNTED void* malloc(size_t size) {
  g_mallocs.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}

COUNTED void* calloc(size_t count, size_t size) {
  g_mallocs.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}

COUNTED void* realloc(void* memory, size_t size) {
  g_mallocs.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(memory, size);
}

COUNTED void* memalign(size_t alignment, size_t size) {
  g_mallocs.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}

COUNTED void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

COUNTED int posix_memalign(void** out, size_t alignment, size_t size) {
  void* const memory = memalign(alignment, size);
  if (!memory) return ENOMEM;
  *out = memory;
  return 0;
}

#endif

}  // namespace halyard::allocations
