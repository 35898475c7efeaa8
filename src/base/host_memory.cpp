// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/host_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace halyard {
namespace {

void* CAllocate(void*, size_t size, size_t alignment) {
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void CFree(void*, void* memory, size_t, size_t) { std::free(memory); }

constexpr hal_host_allocator_t kCAllocator = {sizeof(hal_host_allocator_t), nullptr, CAllocate, CFree};

// Written by SetHostAllocator() only, which the caller orders before all other calls.
hal_host_allocator_t g_allocator = kCAllocator;
// Whether anything was allocated yet; relaxed, as it only guards against misuse.
std::atomic<bool> g_used{false};

}  // namespace

void* HostAllocate(size_t size, size_t alignment) {
  if (!g_used.load(std::memory_order_relaxed)) g_used.store(true, std::memory_order_relaxed);
  void* memory = g_allocator.allocate(g_allocator.user_data, std::max<size_t>(size, 1), alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

void HostFree(void* memory, size_t size, size_t alignment) noexcept {
  if (memory) g_allocator.free(g_allocator.user_data, memory, std::max<size_t>(size, 1), alignment);
}

bool SetHostAllocator(const hal_host_allocator_t* allocator) {
  if (g_used.load(std::memory_order_relaxed)) return false;
  g_allocator = allocator ? *allocator : kCAllocator;
  return true;
}

void ForgetHostMemoryUse() noexcept { g_used.store(false, std::memory_order_relaxed); }

}  // namespace halyard
