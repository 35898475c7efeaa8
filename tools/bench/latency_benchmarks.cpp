// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long it takes to submit work, and to learn of its end.
#include <atomic>
#include <thread>

#include "benchmarks.h"
#include "halyard/cpp/submit.hpp"
#include "support/program/timeline.h"

namespace halyard::tools {
namespace {

void SubmitBarrier(const BenchDevice& device, Timeline* timeline) {
  timeline->Submit("submit a barrier", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
    return hal_device_queue_barrier(device.get(), hal::SubmitParams(waits, signals));
  });
}

// One operation that does nothing, from its submission until the host sees its end.
void SubmitAndWait(const BenchDevice& device, benchmark::State& state) {
  Timeline timeline(device.get());
  for (auto _ : state) {
    SubmitBarrier(device, &timeline);
    timeline.Wait("wait");
  }
}

// The same for a chain of operations, of which only the last is waited for.
void SubmitChain(const BenchDevice& device, benchmark::State& state) {
  Timeline timeline(device.get());
  for (auto _ : state) {
    for (int i = 0; i < kBatch; ++i) SubmitBarrier(device, &timeline);
    timeline.Wait("wait");
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
}

// Operations that wait for a signal of the host that comes after all are submitted.
void SubmitBeforeSignal(const BenchDevice& device, benchmark::State& state) {
  const Semaphore gate = device.MakeSemaphore();
  const Semaphore done = device.MakeSemaphore();
  uint64_t round = 0;
  uint64_t finished = 0;
  for (auto _ : state) {
    const hal_timeline_point_t opened = hal_timeline_point(gate.get(), ++round);
    hal_timeline_point_t before = opened;
    for (int i = 0; i < kBatch; ++i) {
      const hal_timeline_point_t after = hal_timeline_point(done.get(), ++finished);
      Check(hal_device_queue_barrier(device.get(),
                                     hal::SubmitParams(hal_semaphore_list(&before, 1), hal_semaphore_list(&after, 1))),
            ExitCode::kRun, "submit a barrier");
      before = after;
    }
    Check(hal_semaphore_signal(gate.get(), round), ExitCode::kRun, "signal");
    Check(hal_semaphore_wait(done.get(), finished, HAL_TIMEOUT_INFINITE), ExitCode::kRun, "wait");
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
}

// A thread that answers every signal of `ping` with one of `pong`.
class Partner {
 public:
  Partner(hal_semaphore_t* ping, hal_semaphore_t* pong) : ping_(ping), pong_(pong), thread_([this] { Answer(); }) {}
  ~Partner() {
    // The failure ends the wait that the thread is in.
    hal_semaphore_fail(ping_, HAL_STATUS_CANCELLED, hal_string_view("the benchmark is over"));
    thread_.join();
  }

 private:
  void Answer() {
    for (uint64_t round = 1; hal_semaphore_wait(ping_, round, HAL_TIMEOUT_INFINITE) == HAL_STATUS_OK; ++round) {
      if (hal_semaphore_signal(pong_, round) != HAL_STATUS_OK) return;
    }
  }

  hal_semaphore_t* ping_;
  hal_semaphore_t* pong_;
  std::thread thread_;
};

// A signal of the host that wakes a waiting thread: two of them to a round trip.
void HostWake(const BenchDevice& device, benchmark::State& state) {
  const Semaphore ping = device.MakeSemaphore();
  const Semaphore pong = device.MakeSemaphore();
  const Partner partner(ping.get(), pong.get());
  uint64_t round = 0;
  for (auto _ : state) {
    ++round;
    Check(hal_semaphore_signal(ping.get(), round), ExitCode::kRun, "signal");
    Check(hal_semaphore_wait(pong.get(), round, HAL_TIMEOUT_INFINITE), ExitCode::kRun, "wait");
  }
  state.SetItemsProcessed(state.iterations() * 2);
}

// Memory in the order of the queue: allocated and freed.
void AllocaDealloca(const BenchDevice& device, benchmark::State& state) {
  const auto length = static_cast<uint64_t>(state.range(0));
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  Timeline timeline(device.get());
  for (auto _ : state) {
    Buffer buffer;
    timeline.Submit("allocate", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
      hal_buffer_t* made = nullptr;
      const hal_status_t status =
          hal_device_queue_alloca(device.get(), hal::SubmitParams(waits, signals), &params, length, &made);
      buffer.reset(made);
      return status;
    });
    timeline.Submit("free", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
      return hal_device_queue_dealloca(device.get(), hal::SubmitParams(waits, signals), buffer.get());
    });
    timeline.Wait("wait");
  }
}

}  // namespace

void RegisterLatencyBenchmarks(const BenchDevice& device) {
  Register("barrier/submit_and_wait", [&](benchmark::State& state) { SubmitAndWait(device, state); });
  Register("barrier/chain_of_64", [&](benchmark::State& state) { SubmitChain(device, state); });
  Register("barrier/64_before_signal", [&](benchmark::State& state) { SubmitBeforeSignal(device, state); });
  Register("host_wake", [&](benchmark::State& state) { HostWake(device, state); });
  Register("alloca_dealloca", [&](benchmark::State& state) { AllocaDealloca(device, state); })->Arg(65536);
}

}  // namespace halyard::tools
