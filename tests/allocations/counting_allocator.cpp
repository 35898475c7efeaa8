// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "allocations/counting_allocator.h"

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "halyard/halyard.h"

namespace halyard::allocations {
namespace {

std::atomic<uint64_t> g_allocations{0};
std::atomic<int64_t> g_live{0};
std::atomic<int64_t> g_live_bytes{0};
std::atomic<int64_t> g_peak_bytes{0};
std::atomic<uint64_t> g_until_failure{0};  // 0 when none is to fail
std::atomic<bool> g_failed{false};
std::atomic<bool> g_exhausted{false};

bool MustFail() {
  if (g_exhausted) return true;
  uint64_t left = g_until_failure.load();
  while (left > 0 && !g_until_failure.compare_exchange_weak(left, left - 1)) {
  }
  if (left != 1) return false;
  g_failed = true;
  return true;
}

void NotePeak(int64_t bytes) {
  int64_t peak = g_peak_bytes.load();
  while (bytes > peak && !g_peak_bytes.compare_exchange_weak(peak, bytes)) {
  }
}

void* Allocate(void*, size_t size, size_t alignment) {
  if (MustFail()) return nullptr;
  ++g_allocations;
  ++g_live;
  NotePeak(g_live_bytes += static_cast<int64_t>(size));
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void Free(void*, void* memory, size_t size, size_t) {
  --g_live;
  g_live_bytes -= static_cast<int64_t>(size);
  std::free(memory);
}

}  // namespace

void InstallCountingAllocator() {
  hal_host_allocator_t allocator = HAL_INIT(hal_host_allocator_t);
  allocator.allocate = Allocate;
  allocator.free = Free;
  if (hal_set_host_allocator(&allocator) == HAL_STATUS_OK) return;
  std::fprintf(stderr, "cannot count: %s\n", hal_last_error_message());
  std::exit(1);
}

uint64_t LibraryAllocations() { return g_allocations; }
int64_t LiveLibraryAllocations() { return g_live; }
int64_t LiveLibraryBytes() { return g_live_bytes; }
int64_t PeakLibraryBytes() { return g_peak_bytes; }
void ForgetPeak() { g_peak_bytes = g_live_bytes.load(); }

void FailAllocation(uint64_t n) {
  g_failed = false;
  g_exhausted = false;
  g_until_failure = n;
}

void FailAllAllocations() { g_exhausted = true; }

bool HasFailed() { return g_failed; }

}  // namespace halyard::allocations
