// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exhaustion/failing_malloc.h"

#include <execinfo.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string_view>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);
}

namespace halyard::exhaustion {
namespace {

/// The callers of a call, the innermost first. Those in this file are left out.
struct Stack {
  std::array<void*, 32> frames = {};
  int depth = 0;
};

/// Where a loaded file lies in memory.
struct Range {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  bool Has(const void* address) const {
    const auto number = reinterpret_cast<uintptr_t>(address);
    return number >= begin && number < end;
  }
};

Range g_library;
Range g_loader;
std::array<Range, 2> g_others;  // this program, the simulated vendor library

std::atomic<bool> g_known{false};
std::atomic<uint64_t> g_fail_at{0};
std::atomic<bool> g_fail_on{false};
std::atomic<uint64_t> g_count{0};
std::atomic<uint64_t> g_failed{0};
Stack g_first_failure;

constexpr size_t kSlots = size_t{1} << 16;
struct Slot {
  std::atomic<void*> block{nullptr};
  Stack stack;
};
std::array<Slot, kSlots> g_slots;
std::atomic<int64_t> g_live{0};

thread_local bool t_inside = false;  // of this file, whose own calls are not looked at

/// Holds t_inside.
struct Inside {
  Inside() { t_inside = true; }
  ~Inside() { t_inside = false; }
};

[[gnu::noinline]] Stack Callers() {
  constexpr int kOwn = 3;  // this function, IsLibrarys() and malloc()
  std::array<void*, 32 + kOwn> all;
  const int depth = backtrace(all.data(), static_cast<int>(all.size()));
  Stack stack;
  for (int i = kOwn; i < depth; ++i) stack.frames[static_cast<size_t>(stack.depth++)] = all[static_cast<size_t>(i)];
  return stack;
}

/// Whether the innermost caller that is known is the library.
[[gnu::noinline]] bool IsLibrarys(Stack* stack) {
  if (!g_known.load(std::memory_order_relaxed) || t_inside) return false;
  const Inside inside;
  *stack = Callers();
  for (int i = 0; i < stack->depth; ++i) {
    const void* const frame = stack->frames[static_cast<size_t>(i)];
    if (g_library.Has(frame)) return true;
    for (const Range& other : g_others) {
      if (other.Has(frame)) return false;
    }
  }
  return false;
}

bool IsLoaders(const Stack& stack) { return stack.depth > 0 && g_loader.Has(stack.frames[0]); }

bool Fails(const Stack& stack) {
  const uint64_t at = g_fail_at.load();
  const uint64_t number = g_count.fetch_add(1) + 1;
  if (at == 0 || number < at || (number > at && !g_fail_on)) return false;
  if (g_failed.fetch_add(1) == 0) g_first_failure = stack;
  errno = ENOMEM;
  return true;
}

size_t SlotOf(const void* block) { return (reinterpret_cast<uintptr_t>(block) >> 4) * 0x9E3779B1u % kSlots; }

void* Note(void* block, const Stack& stack) {
  // The loader loses blocks when it fails half-way, which is its own affair.
  if (!block || IsLoaders(stack)) return block;
  for (size_t i = SlotOf(block);; i = (i + 1) % kSlots) {
    void* free = nullptr;
    if (!g_slots[i].block.compare_exchange_strong(free, block)) continue;
    g_slots[i].stack = stack;
    ++g_live;
    return block;
  }
}

void Forget(void* block) {
  if (!block || !g_known.load(std::memory_order_relaxed)) return;
  constexpr size_t kFar = 64;  // slots; far more than collisions shift a block
  for (size_t i = SlotOf(block), tried = 0; tried < kFar; i = (i + 1) % kSlots, ++tried) {
    if (g_slots[i].block.load(std::memory_order_relaxed) != block) continue;
    g_slots[i].block = nullptr;
    --g_live;
    return;
  }
}

void Print(const Stack& stack) { backtrace_symbols_fd(stack.frames.data(), stack.depth, STDERR_FILENO); }

int LearnFile(dl_phdr_info* info, size_t, void*) {
  Range range{UINTPTR_MAX, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    range.begin = std::min(range.begin, static_cast<uintptr_t>(info->dlpi_addr + segment.p_vaddr));
    range.end = std::max(range.end, static_cast<uintptr_t>(info->dlpi_addr + segment.p_vaddr + segment.p_memsz));
  }
  const std::string_view name = info->dlpi_name;
  if (name.empty() && g_others[0].end == 0) g_others[0] = range;
  if (name.find("libhalyard.so") != name.npos) g_library = range;
  if (name.find("/ld-linux") != name.npos) g_loader = range;
  if (name.find("cuda_sim") != name.npos) g_others[1] = range;
  return 0;
}

}  // namespace

void LearnWhoIsWho() {
  std::array<void*, 2> unused;
  backtrace(unused.data(), 2);  // the first call loads a library
  dl_iterate_phdr(LearnFile, nullptr);
  g_known = true;
}

void FailMalloc(uint64_t n, Failing failing) {
  g_failed = 0;
  g_count = 0;
  g_fail_on = failing == Failing::kOn;
  g_fail_at = n;
}

uint64_t StopFailing() {
  g_fail_at = 0;
  return g_count;
}

uint64_t FailedMallocs() { return g_failed; }
void PrintFirstFailure() { Print(g_first_failure); }
bool LoaderFailedFirst() { return IsLoaders(g_first_failure); }
int64_t LiveBlocks() { return g_live; }

void PrintLiveBlocks() {
  for (const Slot& slot : g_slots) {
    if (!slot.block) continue;
    std::fprintf(stderr, "block %p\n", slot.block.load());
    Print(slot.stack);
  }
}

}  // namespace halyard::exhaustion

using halyard::exhaustion::Fails;
using halyard::exhaustion::Forget;
using halyard::exhaustion::IsLibrarys;
using halyard::exhaustion::Note;
using halyard::exhaustion::Stack;

namespace {

// Inlined into each of the functions below, so that all stacks begin with the same number of frames of this file.
template <class Allocate>
[[gnu::always_inline]] inline void* AllocateUnlessItFails(const Allocate& allocate) {
  Stack stack;
  if (!IsLibrarys(&stack)) return allocate();
  return Fails(stack) ? nullptr : Note(allocate(), stack);
}

}  // namespace

#define REPLACED extern "C" __attribute__((visibility("default"), noinline))

REPLACED void* malloc(size_t size) {
  return AllocateUnlessItFails([=]() __attribute__((always_inline)) { return __libc_malloc(size); });
}

REPLACED void* calloc(size_t count, size_t size) {
  return AllocateUnlessItFails([=]() __attribute__((always_inline)) { return __libc_calloc(count, size); });
}

REPLACED void* realloc(void* memory, size_t size) {
  Stack stack;
  const bool librarys = IsLibrarys(&stack);
  if (librarys && Fails(stack)) return nullptr;
  Forget(memory);
  void* const grown = __libc_realloc(memory, size);
  return librarys ? Note(grown, stack) : grown;
}

REPLACED void* memalign(size_t alignment, size_t size) {
  return AllocateUnlessItFails([=]() __attribute__((always_inline)) { return __libc_memalign(alignment, size); });
}

REPLACED void* aligned_alloc(size_t alignment, size_t size) {
  return AllocateUnlessItFails([=]() __attribute__((always_inline)) { return __libc_memalign(alignment, size); });
}

REPLACED int posix_memalign(void** out, size_t alignment, size_t size) {
  *out = AllocateUnlessItFails([=]() __attribute__((always_inline)) { return __libc_memalign(alignment, size); });
  return *out ? 0 : ENOMEM;
}

REPLACED void free(void* memory) {
  Forget(memory);
  __libc_free(memory);
}
