// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A million empty workgroups, against the same kernel called through a pointer by a bare loop.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "bench/comparison/turns.h"
#include "halyard/cpp/submit.hpp"
#include "halyard/local_kernel.h"
#include "objects.h"

namespace halyard::bench {
namespace {

constexpr uint32_t kWorkgroups = 1'000'000;

hal_local_kernel_fn_t LoadKernel() {
  void* const library = dlopen(MICROBENCH_KERNELS, RTLD_NOW);
  void* const kernel = library ? dlsym(library, "empty") : nullptr;
  if (kernel) return reinterpret_cast<hal_local_kernel_fn_t>(kernel);
  std::fprintf(stderr, "halyard-microbench: %s\n", dlerror());
  std::exit(1);
}

/// The kernel as an executable, with a dispatch of all workgroups.
class Dispatcher {
 public:
  explicit Dispatcher(const char* uri)
      : device_(OpenDevice(uri)), done_(MakeSemaphore(device_)), executable_(LoadEmptyKernel(device_)) {}

  void Run() {
    hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    params.workgroup_count = hal_dim3(kWorkgroups, 1, 1);
    const hal_timeline_point_t signal = {done_, ++value_};
    Check(hal_device_queue_dispatch(device_,
                                    hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1)),
                                    executable_, 0, &params));
    Wait(done_, value_);
  }

 private:
  const Device device_;
  const Semaphore done_;
  const Executable executable_;
  uint64_t value_ = 0;
};

/// What the driver does for a range of workgroups, and no more.
void CallKernel(hal_local_kernel_fn_t kernel, uint32_t begin, uint32_t end) {
  static constexpr hal_local_dispatch_t kDispatch = {
      HAL_LOCAL_KERNEL_ABI_VERSION, 0, {kWorkgroups, 1, 1}, {1, 1, 1}, "", 0, nullptr, nullptr};
  hal_local_workgroup_t workgroup{};
  for (workgroup.id[0] = begin; workgroup.id[0] < end; ++workgroup.id[0]) {
    if (kernel(&kDispatch, &workgroup) != 0) std::abort();
  }
}

void DispatchOnSync(benchmark::State& state) {
  Dispatcher dispatcher("local://sync");
  const hal_local_kernel_fn_t kernel = LoadKernel();
  TakeTurns(
      state, kWorkgroups, [&] { dispatcher.Run(); }, [&] { CallKernel(kernel, 0, kWorkgroups); })
      .Report("10⁶ empty workgroups on local://sync, each (raw: a loop)", {.ratio = 1.2});
}
BENCHMARK(DispatchOnSync)->UseManualTime();

void DispatchOnTask(benchmark::State& state) {
  Dispatcher dispatcher("local://task");
  const hal_local_kernel_fn_t kernel = LoadKernel();
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  const auto raw = [&] {
    std::vector<std::thread> others;
    const auto run = [&](uint32_t i) {
      CallKernel(kernel, kWorkgroups / threads * i, kWorkgroups / threads * (i + 1));
    };
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(run, i);
    run(0);
    for (std::thread& other : others) other.join();
  };
  TakeTurns(
      state, kWorkgroups, [&] { dispatcher.Run(); }, raw)
      .Report("10⁶ empty workgroups on local://task, each (raw: a loop on threads made for it)", {.ratio = 1.2});
}
BENCHMARK(DispatchOnTask)->UseManualTime();

}  // namespace
}  // namespace halyard::bench
