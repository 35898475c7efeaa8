// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands between libFuzzer and a fuzzer: measures what each input costs and ends the run where that is too much.
//
// Memory is what the heap holds at once. Steps are the edges of the control flow that the input takes, what functions
// of the C library move or compare, and allocations. Neither depends on how busy the machine is. The linker puts the
// functions __wrap_… here in the place of those that they are named after (HalyardFuzzing.cmake). Code without
// instrumentation, such as SPIRV-Tools, takes memory and no steps; libFuzzer's -timeout bounds it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
int __real_LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
void* __real___asan_memcpy(void* to, const void* from, size_t size);
void* __real___asan_memmove(void* to, const void* from, size_t size);
void* __real___asan_memset(void* to, int value, size_t size);
int __real_memcmp(const void* a, const void* b, size_t size);
int __real_bcmp(const void* a, const void* b, size_t size);
void* __real_memchr(const void* bytes, int value, size_t size);
size_t __real_strlen(const char* text);
// The sanitizer's, which programs that count lines are linked without.
__attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, size_t),
                                                                    void (*on_free)(const volatile void*));
__attribute__((weak)) size_t __sanitizer_get_allocated_size(const volatile void* memory);
}

namespace {

// A reader may take 64 bytes for each of its file and 16 MiB, and a second a MiB, which is about 1,000 steps a byte.
// Inputs are small: what is free is less wherever the reader can do with less, so that the square of an input shows.
constexpr uint64_t kBytesForEach = 64;
constexpr uint64_t kFreeBytes = uint64_t{HALYARD_FREE_KIB} << 10;
constexpr uint64_t kStepsForEach = 1000;
constexpr uint64_t kFreeSteps = 250'000 + kFreeBytes;  // memory is filled, too
constexpr uint64_t kBytesAStep = 16;
constexpr uint64_t kStepsAnAllocation = 16;

/// One of the two that are measured. Unbounded between inputs.
struct Measure {
  const char* unit;
  uint64_t for_each, free;
  int64_t now = 0, peak = 0, bound = INT64_MAX;
  // Of the input that came closest to its bound.
  double worst = 0;
  int64_t worst_peak = 0;
  size_t worst_size = 0;

  void Begin(size_t size) {
    now = peak = 0;
    bound = static_cast<int64_t>(for_each * size + free);
  }
  void End(size_t size) {
    const double share = static_cast<double>(peak) / static_cast<double>(bound);
    bound = INT64_MAX;
    if (share <= worst) return;
    worst = share;
    worst_peak = peak;
    worst_size = size;
  }
};

size_t g_size = 0;
bool g_is_measuring = false;  // libFuzzer's own threads allocate little, and count if they do
Measure g_memory = {"bytes of memory", kBytesForEach, kFreeBytes};
Measure g_steps = {"steps", kStepsForEach, kFreeSteps};

[[noreturn]] void Fail(Measure* measure) {
  const int64_t bound = measure->bound;
  g_memory.bound = g_steps.bound = INT64_MAX;
  g_is_measuring = false;
  std::fprintf(stderr, "cost: an input of %zu bytes takes more than %lld %s\n", g_size, static_cast<long long>(bound),
               measure->unit);
  std::abort();
}

void Add(Measure* measure, int64_t amount) {
  measure->now += amount;
  if (measure->now <= measure->peak) return;
  measure->peak = measure->now;
  if (measure->peak > measure->bound) Fail(measure);
}

void AddMoved(size_t size) { Add(&g_steps, static_cast<int64_t>(1 + size / kBytesAStep)); }

void OnMalloc(const volatile void*, size_t size) {
  if (!g_is_measuring) return;
  Add(&g_memory, static_cast<int64_t>(size));
  Add(&g_steps, kStepsAnAllocation);
}

void OnFree(const volatile void* memory) {
  if (g_is_measuring && memory) Add(&g_memory, -static_cast<int64_t>(__sanitizer_get_allocated_size(memory)));
}

void PrintWorst() {
  for (const Measure* measure : {&g_memory, &g_steps}) {
    std::fprintf(stderr, "cost: at most %.1f %% of the bound: %lld %s for an input of %zu bytes\n",
                 100 * measure->worst, static_cast<long long>(measure->worst_peak), measure->unit, measure->worst_size);
  }
}

bool InstallHooks() {
  if (!__sanitizer_install_malloc_and_free_hooks) return false;
  if (__sanitizer_install_malloc_and_free_hooks(OnMalloc, OnFree) == 0) std::abort();
  std::atexit(PrintWorst);
  return true;
}

}  // namespace

extern "C" {

int __wrap_LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool can_measure = InstallHooks();
  g_size = size;
  g_memory.Begin(size);
  g_steps.Begin(size);
  g_is_measuring = can_measure;
  const int result = __real_LLVMFuzzerTestOneInput(data, size);
  g_is_measuring = false;
  g_memory.End(size);
  g_steps.End(size);
  return result;
}

void __wrap___sanitizer_cov_trace_pc_guard(uint32_t*) { Add(&g_steps, 1); }
void __wrap___sanitizer_cov_trace_pc_guard_init(uint32_t*, uint32_t*) {}

void* __wrap___asan_memcpy(void* to, const void* from, size_t size) {
  AddMoved(size);
  return __real___asan_memcpy(to, from, size);
}

void* __wrap___asan_memmove(void* to, const void* from, size_t size) {
  AddMoved(size);
  return __real___asan_memmove(to, from, size);
}

void* __wrap___asan_memset(void* to, int value, size_t size) {
  AddMoved(size);
  return __real___asan_memset(to, value, size);
}

int __wrap_memcmp(const void* a, const void* b, size_t size) {
  AddMoved(size);
  return __real_memcmp(a, b, size);
}

int __wrap_bcmp(const void* a, const void* b, size_t size) {
  AddMoved(size);
  return __real_bcmp(a, b, size);
}

void* __wrap_memchr(const void* bytes, int value, size_t size) {
  void* const found = __real_memchr(bytes, value, size);
  AddMoved(found ? static_cast<size_t>(static_cast<char*>(found) - static_cast<const char*>(bytes)) : size);
  return found;
}

size_t __wrap_strlen(const char* text) {
  const size_t size = __real_strlen(text);
  AddMoved(size);
  return size;
}

}  // extern "C"
