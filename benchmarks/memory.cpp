// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory: allocation against malloc, transfers against memset and memcpy.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bench/comparison/turns.h"
#include "halyard/cpp/submit.hpp"
#include "objects.h"

namespace halyard::bench {
namespace {

constexpr uint64_t kMegabyte = uint64_t{1} << 20;

void Allocate(benchmark::State& state) {
  constexpr int kBatch = 100;
  const auto length = static_cast<uint64_t>(state.range(0));
  const Device device = OpenDevice("local://sync");
  const auto ours = [&] {
    for (int i = 0; i < kBatch; ++i) MakeBuffer(device, length);
  };
  const auto raw = [&] {
    for (int i = 0; i < kBatch; ++i) {
      void* memory = std::malloc(length);
      benchmark::DoNotOptimize(memory);
      std::free(memory);
    }
  };
  const std::string what = "buffer of " + std::to_string(length / 1024) + " KiB, allocated and freed (raw: malloc)";
  TakeTurns(state, kBatch, ours, raw).Report(what.c_str());
}
BENCHMARK(Allocate)->UseManualTime()->Arg(4096)->Arg(static_cast<int64_t>(kMegabyte));

/// Submits transfers and waits for them.
class Transfers {
 public:
  template <class Submit>
  void Run(Submit&& submit) {
    const hal_timeline_point_t signal = {done_, ++value_};
    Check(submit(hal_semaphore_list(&signal, 1)));
    Wait(done_, value_);
  }
  hal_device_t* device() const { return device_; }

 private:
  const Device device_ = OpenDevice("local://sync");
  const Semaphore done_ = MakeSemaphore(device_);
  uint64_t value_ = 0;
};

void Fill(benchmark::State& state) {
  Transfers transfers;
  const Buffer target = MakeBuffer(transfers.device(), kMegabyte);
  std::vector<char> memory(kMegabyte);
  const char pattern = 42;
  const auto ours = [&] {
    transfers.Run([&](hal_semaphore_list_t signals) {
      return hal_device_queue_fill(transfers.device(), hal::SubmitParams(hal_semaphore_list_empty(), signals),
                                   hal_buffer_ref(target, 0, HAL_WHOLE_SIZE), &pattern, sizeof(pattern));
    });
  };
  const auto raw = [&] {
    std::memset(memory.data(), pattern, memory.size());
    benchmark::ClobberMemory();
  };
  TakeTurns(state, 1, ours, raw).Report("fill of 1 MiB (raw: memset)");
}
BENCHMARK(Fill)->UseManualTime();

void Copy(benchmark::State& state) {
  Transfers transfers;
  const Buffer source = MakeBuffer(transfers.device(), kMegabyte);
  const Buffer target = MakeBuffer(transfers.device(), kMegabyte);
  std::vector<char> raw_source(kMegabyte, 1);
  std::vector<char> raw_target(kMegabyte);
  const auto ours = [&] {
    transfers.Run([&](hal_semaphore_list_t signals) {
      return hal_device_queue_copy(transfers.device(), hal::SubmitParams(hal_semaphore_list_empty(), signals),
                                   hal_buffer_ref(source, 0, HAL_WHOLE_SIZE),
                                   hal_buffer_ref(target, 0, HAL_WHOLE_SIZE));
    });
  };
  const auto raw = [&] {
    std::memcpy(raw_target.data(), raw_source.data(), raw_target.size());
    benchmark::ClobberMemory();
  };
  TakeTurns(state, 1, ours, raw).Report("copy of 1 MiB (raw: memcpy)");
}
BENCHMARK(Copy)->UseManualTime();

}  // namespace
}  // namespace halyard::bench
