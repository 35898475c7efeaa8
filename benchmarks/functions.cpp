// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions with MLIR's calling conventions: plain calls, and a matrix product on a queue, against calls through a
// pointer to the same code.
#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/comparison/turns.h"
#include "halyard/cpp/submit.hpp"
#include "halyard/memref.h"
#include "objects.h"

namespace halyard::bench {
namespace {

void* FindSymbol(const char* path, const char* name) {
  void* const library = dlopen(path, RTLD_NOW);
  void* const symbol = library ? dlsym(library, name) : nullptr;
  if (symbol) return symbol;
  std::fprintf(stderr, "halyard-microbench: %s\n", dlerror());
  std::exit(1);
}

hal_value_type_t MatrixType(const int64_t* sizes) {
  hal_value_type_t type = {};
  type.kind = HAL_VALUE_KIND_RANKED;
  type.element_type = HAL_ELEMENT_TYPE_F32;
  type.rank = 2;
  type.sizes = sizes;
  return type;
}

Executable LoadFunction(hal_device_t* device, const char* path, const char* name,
                        const hal_function_signature_t& signature) {
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.name = hal_string_view(name);
  info.signature = &signature;
  return LoadExport(device, path, info);
}

/// func @touch(%m: memref<?x?xf32>) -> f32, which does next to nothing.
class Touch {
 public:
  explicit Touch(hal_calling_convention_t convention) : device_(OpenDevice("local://sync")) {
    constexpr int64_t kSizes[] = {HAL_DYNAMIC, HAL_DYNAMIC};
    const hal_value_type_t argument = MatrixType(kSizes);
    hal_value_type_t result = {};
    result.element_type = HAL_ELEMENT_TYPE_F32;
    hal_function_signature_t signature = HAL_INIT(hal_function_signature_t);
    signature.convention = convention;
    signature.argument_count = signature.result_count = 1;
    signature.arguments = &argument;
    signature.results = &result;
    executable_ = LoadFunction(device_, MICROBENCH_KERNELS, "touch", signature);
    Check(hal_executable_function(executable_, 0, &function_));
    const int64_t sizes[] = {4, 4};
    const hal_shape_t shape = {HAL_ELEMENT_TYPE_F32, 2, sizes, nullptr};
    Check(hal_memref_initialize(&shape, values_, sizeof(values_), &memref_));
  }

  hal_memref_t& memref() { return memref_; }
  void Call() {
    const hal_value_t argument = hal_value_memref(&memref_);
    hal_value_t result;
    Check(hal_function_call(function_, 1, &argument, 1, &result));
    benchmark::DoNotOptimize(result.as.f32);
  }

 private:
  const Device device_;
  Executable executable_;
  const hal_function_t* function_ = nullptr;
  alignas(64) float values_[16] = {1};  // as allocators give it
  hal_memref_t memref_;
};

constexpr int kCalls = 10'000;

template <class Work>
void Repeatedly(Work&& work) {
  for (int i = 0; i < kCalls; ++i) work();
}

void CallWrapper(benchmark::State& state) {
  Touch touch(HAL_CALLING_CONVENTION_WRAPPER);
  const auto direct = reinterpret_cast<float (*)(void*)>(FindSymbol(MICROBENCH_KERNELS, "_mlir_ciface_touch"));
  const auto raw = [&] { benchmark::DoNotOptimize(direct(&touch.memref().allocated)); };
  TakeTurns(
      state, kCalls, [&] { Repeatedly([&] { touch.Call(); }); }, [&] { Repeatedly(raw); })
      .Report("plain call of a rank-2 function through its wrapper (raw: a pointer)", {.above = 60});
}
BENCHMARK(CallWrapper)->UseManualTime();

void CallExpanded(benchmark::State& state) {
  using Function = float (*)(void*, void*, int64_t, int64_t, int64_t, int64_t, int64_t);
  Touch touch(HAL_CALLING_CONVENTION_EXPANDED);
  const auto direct = reinterpret_cast<Function>(FindSymbol(MICROBENCH_KERNELS, "touch"));
  const auto raw = [&] {
    hal_memref_t& m = touch.memref();
    const int64_t* const d = m.dimensions;
    benchmark::DoNotOptimize(direct(m.allocated, m.aligned, m.offset, d[0], d[1], d[2], d[3]));
  };
  TakeTurns(
      state, kCalls, [&] { Repeatedly([&] { touch.Call(); }); }, [&] { Repeatedly(raw); })
      .Report("the same through the expanded form", {.above = 200});
}
BENCHMARK(CallExpanded)->UseManualTime();

#ifdef MICROBENCH_MATMUL
/// C += A * B of 512 x 512, with memory that both sides use.
class Matmul {
 public:
  Matmul() : device_(OpenDevice("local://sync")), done_(MakeSemaphore(device_)) {
    constexpr int64_t kSizes[] = {512, 512};
    const std::vector<hal_value_type_t> arguments(3, MatrixType(kSizes));
    hal_function_signature_t signature = HAL_INIT(hal_function_signature_t);
    signature.argument_count = 3;
    signature.arguments = arguments.data();
    executable_ = LoadFunction(device_, MICROBENCH_MATMUL, "matmul", signature);
    const hal_shape_t shape = {HAL_ELEMENT_TYPE_F32, 2, kSizes, nullptr};
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
    params.usage |= HAL_BUFFER_USAGE_STORAGE;
    for (int i = 0; i < 3; ++i) {
      Check(hal_allocator_allocate(hal_device_allocator(device_), &params, kBytes, buffers_[i].out()));
      Check(hal_memref_map_buffer(buffers_[i], HAL_MAP_ACCESS_WRITE, 0, &shape, &memrefs_[i]));
      std::fill_n(static_cast<float*>(memrefs_[i].aligned), kBytes / sizeof(float), i < 2 ? 0.5f : 0.0f);
    }
  }
  ~Matmul() {
    for (const Buffer& buffer : buffers_) hal_buffer_unmap(buffer);
  }

  void* Descriptor(int argument) { return &memrefs_[argument].allocated; }
  void Dispatch() {
    hal_buffer_ref_t bindings[3];
    for (int i = 0; i < 3; ++i) bindings[i] = hal_buffer_ref(buffers_[i], 0, HAL_WHOLE_SIZE);
    hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    params.bindings = hal_buffer_ref_list(bindings, 3);
    const hal_timeline_point_t signal = {done_, ++value_};
    Check(hal_device_queue_dispatch(device_,
                                    hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1)),
                                    executable_, 0, &params));
    Wait(done_, value_);
  }

 private:
  static constexpr uint64_t kBytes = 512 * 512 * sizeof(float);

  const Device device_;
  const Semaphore done_;
  Executable executable_;
  Buffer buffers_[3];
  hal_memref_t memrefs_[3];
  uint64_t value_ = 0;
};

/// Nanoseconds of processor time that this thread spends on `work`: a product takes long enough for other programs to
/// come between, and local://sync does all of it on this thread.
template <class Work>
double ThreadTime(Work&& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

void MatmulOnSync(benchmark::State& state) {
  using Function = void (*)(void*, void*, void*);
  Matmul matmul;
  const auto direct = reinterpret_cast<Function>(FindSymbol(MICROBENCH_MATMUL, "_mlir_ciface_matmul"));
  Turns turns(state, 1);
  for (auto unused : state) {
    const double ours = ThreadTime([&] { matmul.Dispatch(); });
    turns.Add(ours, ThreadTime([&] { direct(matmul.Descriptor(0), matmul.Descriptor(1), matmul.Descriptor(2)); }));
  }
  turns.Report("512³ matrix product on local://sync, compiled by MLIR (raw: a pointer), processor time",
               {.ratio = 1.01});
}
BENCHMARK(MatmulOnSync)->UseManualTime()->Iterations(20);
#endif

}  // namespace
}  // namespace halyard::bench
