// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/host_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>

#include "base/process_wide.h"
#include "base/round_up.h"
#include "platform/memory.h"
#include "platform/thread_end.h"

namespace halyard {
namespace {

void* CAllocate(void*, size_t size, size_t alignment) {
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size);
  return AllocateAligned(RoundUp(size, alignment), alignment);
}

void CFree(void*, void* memory, size_t, size_t alignment) {
  if (alignment <= alignof(std::max_align_t)) return std::free(memory);
  FreeAligned(memory);
}

constexpr hal_host_allocator_t kCAllocator = {sizeof(hal_host_allocator_t), nullptr, CAllocate, CFree};

// The application's, which must not end the thread in the middle of the library's work.
hal_host_allocator_t g_application = kCAllocator;  // written as g_allocator

void* ApplicationAllocate(void*, size_t size, size_t alignment) {
  try {
    return g_application.allocate(g_application.user_data, size, alignment);
  } catch (...) {
    KeepThread();
    return nullptr;
  }
}

void ApplicationFree(void*, void* memory, size_t size, size_t alignment) {
  try {
    g_application.free(g_application.user_data, memory, size, alignment);
  } catch (...) {
    KeepThread();
  }
}

constexpr hal_host_allocator_t kApplicationAllocator = {sizeof(hal_host_allocator_t), nullptr, ApplicationAllocate,
                                                        ApplicationFree};

// Written by SetHostAllocator(), which the caller orders before all other calls, and within the first allocation.
hal_host_allocator_t g_allocator = kCAllocator;
// The allocator behind an interception; written as g_allocator.
hal_host_allocator_t g_plain = kCAllocator;
// Whether anything was allocated yet. Release and acquire: threads that allocate see what the first use has set up.
std::atomic<bool> g_used{false};
constinit ForkSafeMutex g_first_use_mutex;  // held during the first use
using FirstUse = void (*)() noexcept;
constinit FirstUse g_first_use = nullptr;  // protected by it; written while the library is loaded
using Keep = bool (*)(void* memory, size_t size, size_t alignment) noexcept;
constinit Keep g_keep = nullptr;  // written as g_allocator

void FreeUnlessKept(void*, void* memory, size_t size, size_t alignment) {
  if (!g_keep(memory, size, alignment)) PlainFree(memory, size, alignment);
}

[[gnu::cold, gnu::noinline]] void UseFirst() noexcept {
  const std::lock_guard lock(g_first_use_mutex);
  if (g_used.load(std::memory_order_relaxed)) return;
  g_plain = g_allocator;
  if (g_first_use) g_first_use();
  g_used.store(true, std::memory_order_release);
}

}  // namespace

void SetFirstUse(void (*first_use)() noexcept) noexcept {
  const std::lock_guard lock(g_first_use_mutex);
  g_first_use = first_use;
  // Beside the static library, an object of the application may be constructed before this is called.
  if (g_used.load(std::memory_order_relaxed)) first_use();
}

void InterceptFrees(bool (*keep)(void* memory, size_t size, size_t alignment) noexcept) noexcept {
  g_keep = keep;
  g_allocator.free = FreeUnlessKept;
}

bool FreesAreIntercepted() noexcept { return g_allocator.free == FreeUnlessKept; }

void* PlainAllocate(size_t size, size_t alignment) noexcept {
  return g_plain.allocate(g_plain.user_data, std::max<size_t>(size, 1), alignment);
}

void PlainFree(void* memory, size_t size, size_t alignment) noexcept {
  g_plain.free(g_plain.user_data, memory, std::max<size_t>(size, 1), alignment);
}

void* HostAllocate(size_t size, size_t alignment) {
  if (!g_used.load(std::memory_order_acquire)) [[unlikely]]
    UseFirst();
  void* memory = g_allocator.allocate(g_allocator.user_data, std::max<size_t>(size, 1), alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

void HostFree(void* memory, size_t size, size_t alignment) noexcept {
  if (memory) g_allocator.free(g_allocator.user_data, memory, std::max<size_t>(size, 1), alignment);
}

bool HostMemoryIsUsed() noexcept { return g_used.load(std::memory_order_acquire); }

bool SetHostAllocator(const hal_host_allocator_t* allocator) {
  if (g_used.load(std::memory_order_relaxed)) return false;
  g_application = allocator ? *allocator : kCAllocator;
  g_allocator = allocator ? kApplicationAllocator : kCAllocator;
  return true;
}

void ForgetHostMemoryUse() noexcept {
  // Else another allocator may have been set since the last use, and g_plain is the one before.
  if (FreesAreIntercepted()) g_allocator.free = g_plain.free;
  g_used.store(false, std::memory_order_relaxed);
}

}  // namespace halyard
