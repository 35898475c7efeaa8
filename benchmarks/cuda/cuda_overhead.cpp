// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Halyard adds to the CUDA driver API: the same work through both, in one process, in turns.
//
//   halyard-cuda-overhead <cts_basic.ptx> [device URI]
//
// Prints a line for each case: the median of each, in microseconds, and the ratio.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "common/object.h"
#include "cuda/cuda_library.h"
#include "halyard/halyard.h"

namespace halyard::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBurst = 1000;
constexpr int kThreads = 16;
constexpr int kQueues = 8;
constexpr int kPerThread = 2000;

double Microseconds(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

void Must(hal_status_t status) {
  if (status == HAL_STATUS_OK) return;
  std::fprintf(stderr, "%s: %s\n", hal_status_name(status), hal_last_error_message());
  std::exit(1);
}
void Must(abi::Result result) {
  if (result == abi::Result::kSuccess) return;
  std::fprintf(stderr, "CUDA error %d\n", static_cast<int>(result));
  std::exit(1);
}

/// The driver API with a kernel that does nothing, some streams, and a counter that they write.
struct Raw {
  const CudaLibrary* cuda = nullptr;
  abi::Context context = nullptr;
  abi::Function noop = nullptr;
  abi::Stream streams[kQueues] = {};
  abi::Event event = nullptr;  // waiting threads sleep
  abi::Event events[kThreads] = {};
  abi::MemPool pool = nullptr;
  uint64_t* counters = nullptr;  // kThreads of them, a cache line apart
  abi::DevicePtr counters_address = 0;
  uint64_t count = 0;

  explicit Raw(const std::string& image) {
    Must(CudaLibrary::Get(&cuda));
    Must(cuda->DevicePrimaryCtxRetain(&context, 0));
    Must(cuda->CtxPushCurrent(context));
    abi::Module module = nullptr;
    Must(cuda->ModuleLoadDataEx(&module, image.c_str(), 0, nullptr, nullptr));
    Must(cuda->ModuleGetFunction(&noop, module, "noop"));
    for (abi::Stream& stream : streams) Must(cuda->StreamCreate(&stream, 1));
    Must(cuda->EventCreate(&event, 3));
    for (abi::Event& each : events) Must(cuda->EventCreate(&each, 2));
    void* memory = nullptr;
    Must(cuda->MemHostAlloc(&memory, 4096, 3));
    counters = static_cast<uint64_t*>(memory);
    std::fill_n(counters, 4096 / sizeof(uint64_t), uint64_t{0});
    Must(cuda->MemHostGetDevicePointer(&counters_address, memory, 0));
    abi::MemPoolProps props{};
    props.alloc_type = abi::MemAllocationType::kPinned;
    props.location = {abi::MemLocationType::kDevice, 0};
    Must(cuda->MemPoolCreate(&pool, &props));
    uint64_t keep = UINT64_MAX;
    Must(cuda->MemPoolSetAttribute(pool, abi::MemPoolAttribute::kReleaseThreshold, &keep));
  }
  void Launch(int stream = 0) const {
    Must(cuda->LaunchKernel(noop, 1, 1, 1, 1, 1, 1, 0, streams[stream], nullptr, nullptr));
  }
  void Write(int stream, int counter, uint64_t value) const {
    Must(cuda->StreamWriteValue64(streams[stream], counters_address + static_cast<uint64_t>(counter) * 64, value, 0));
  }
  void Spin(int counter, uint64_t value) const {
    const std::atomic_ref word(counters[counter * 8]);
    while (word.load(std::memory_order_acquire) < value) {
    }
  }
  void Synchronize(int stream = 0) const { Must(cuda->StreamSynchronize(streams[stream])); }
};

/// The same through Halyard.
struct Hal {
  Ref<hal_device_t> device;
  Ref<hal_executable_t> executable;
  Ref<hal_semaphore_t> timeline;
  uint64_t value = 0;

  Hal(const std::string& uri, const std::string& path) {
    Must(hal_device_create(hal_string_view(uri.c_str()), device.out()));
    hal_export_info_t info = HAL_EXPORT_INFO_INIT;
    info.name = hal_string_view("noop");
    hal_executable_params_t params = HAL_EXECUTABLE_PARAMS_INIT;
    params.format = hal_string_view("ptx");
    params.path = hal_string_view(path.c_str());
    params.exports = &info;
    params.export_count = 1;
    Must(hal_executable_create(device.get(), &params, executable.out()));
    Must(hal_semaphore_create(device.get(), 0, timeline.out()));
  }
  /// Dispatches after the value before, on a queue.
  void Dispatch(int queue = 0) { value = DispatchOn(queue, timeline, value); }
  uint64_t DispatchOn(int queue, const Ref<hal_semaphore_t>& semaphore, uint64_t after) const {
    const hal_timeline_point_t wait = {semaphore.get(), after};
    const hal_timeline_point_t signal = {semaphore.get(), after + 1};
    const hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    Must(hal_device_queue_dispatch(device.get(), hal_queue_mask_t{1} << queue, hal_semaphore_list(&wait, 1),
                                   hal_semaphore_list(&signal, 1), executable.get(), 0, &params));
    return after + 1;
  }
  void Wait() const { Must(hal_semaphore_wait(timeline.get(), value, HAL_TIMEOUT_INFINITE)); }
  /// Without spinning.
  void Sleep() const {
    const hal_timeline_point_t point = {timeline.get(), value};
    Must(hal_semaphore_list_wait(hal_semaphore_list(&point, 1), HAL_WAIT_MODE_ALL, HAL_TIMEOUT_INFINITE));
  }
  Ref<hal_command_buffer_t> Record(int dispatches) const {
    hal_command_buffer_params_t params = HAL_COMMAND_BUFFER_PARAMS_INIT;
    const hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
    Ref<hal_command_buffer_t> commands;
    Must(hal_command_buffer_create(device.get(), &params, commands.out()));
    Must(hal_command_buffer_begin(commands.get()));
    for (int i = 0; i < dispatches; ++i) {
      Must(hal_command_buffer_dispatch(commands.get(), executable.get(), 0, &dispatch));
    }
    Must(hal_command_buffer_end(commands.get()));
    return commands;
  }
  void Execute(const Ref<hal_command_buffer_t>& commands) {
    const hal_timeline_point_t signal = {timeline.get(), ++value};
    Must(hal_device_queue_execute(device.get(), 1, hal_semaphore_list(nullptr, 0), hal_semaphore_list(&signal, 1),
                                  commands.get(), hal_buffer_ref_list(nullptr, 0)));
  }
};

double Median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Runs both in turns; each returns microseconds.
void Compare(const char* name, int rounds, const std::function<double()>& raw, const std::function<double()>& hal) {
  std::vector<double> raws;
  std::vector<double> hals;
  for (int i = 0; i < rounds + rounds / 5; ++i) {
    const double r = raw();
    const double h = hal();
    if (i < rounds / 5) continue;  // warm-up
    raws.push_back(r);
    hals.push_back(h);
  }
  const double r = Median(raws);
  const double h = Median(hals);
  std::printf("%-64s raw %9.2f  halyard %9.2f  ratio %.2f  difference %+.2f\n", name, r, h, h / r, h - r);
  std::fflush(stdout);
}

/// Microseconds for each submission of kThreads threads.
double OnThreads(const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  const Clock::time_point begin = Clock::now();
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(body, t);
  for (std::thread& thread : threads) thread.join();
  return Microseconds(begin) / (kThreads * kPerThread);
}

void CompareLaunches(Raw& raw, Hal& hal) {
  const Ref<hal_command_buffer_t> commands = hal.Record(kBurst);
  Compare(
      "1000 dispatches of one recording, execute to done, per dispatch", 50,
      [&] {
        const Clock::time_point begin = Clock::now();
        for (int i = 0; i < kBurst; ++i) raw.Launch();
        raw.Synchronize();
        return Microseconds(begin) / kBurst;
      },
      [&] {
        const Clock::time_point begin = Clock::now();
        hal.Execute(commands);
        hal.Wait();
        return Microseconds(begin) / kBurst;
      });
  Compare(
      "one dispatch, submit until a spinning host sees it", 1000,
      [&] {
        const Clock::time_point begin = Clock::now();
        raw.Launch();
        Must(raw.cuda->EventRecord(raw.events[0], raw.streams[0]));
        raw.Write(0, 0, ++raw.count);
        raw.Spin(0, raw.count);
        return Microseconds(begin);
      },
      [&] {
        const Clock::time_point begin = Clock::now();
        hal.Dispatch();
        hal.Wait();
        return Microseconds(begin);
      });
  Compare(
      "one dispatch, submit until a sleeping thread wakes", 1000,
      [&] {
        const Clock::time_point begin = Clock::now();
        raw.Launch();
        Must(raw.cuda->EventRecord(raw.event, raw.streams[0]));
        Must(raw.cuda->EventSynchronize(raw.event));
        return Microseconds(begin);
      },
      [&] {
        const Clock::time_point begin = Clock::now();
        hal.Dispatch();
        hal.Sleep();
        return Microseconds(begin);
      });
  Compare(
      "host cost of one dispatch with a wait (same queue) and a signal", 50,
      [&] {
        const Clock::time_point begin = Clock::now();
        for (int i = 0; i < kBurst; ++i) {
          raw.Launch();
          Must(raw.cuda->EventRecord(raw.events[0], raw.streams[0]));
          raw.Write(0, 0, ++raw.count);
        }
        const double cost = Microseconds(begin) / kBurst;
        raw.Synchronize();
        return cost;
      },
      [&] {
        const Clock::time_point begin = Clock::now();
        for (int i = 0; i < kBurst; ++i) hal.Dispatch();
        const double cost = Microseconds(begin) / kBurst;
        hal.Wait();
        return cost;
      });
  Compare(
      "edge between two queues, submit to done", 1000,
      [&] {
        const Clock::time_point begin = Clock::now();
        raw.Launch(0);
        Must(raw.cuda->EventRecord(raw.events[0], raw.streams[0]));
        Must(raw.cuda->StreamWaitEvent(raw.streams[1], raw.events[0], 0));
        raw.Launch(1);
        raw.Write(1, 0, ++raw.count);
        raw.Spin(0, raw.count);
        return Microseconds(begin);
      },
      [&] {
        const Clock::time_point begin = Clock::now();
        hal.Dispatch(0);
        hal.Dispatch(1);
        hal.Wait();
        return Microseconds(begin);
      });
}

void CompareAllocations(Raw& raw, Hal& hal, uint64_t length, const char* name) {
  constexpr int kCount = 100;
  Compare(
      name, 50,
      [&] {
        const Clock::time_point begin = Clock::now();
        for (int i = 0; i < kCount; ++i) {
          abi::DevicePtr address = 0;
          Must(raw.cuda->MemAllocFromPoolAsync(&address, length, raw.pool, raw.streams[0]));
          Must(raw.cuda->MemFreeAsync(address, raw.streams[0]));
        }
        const double cost = Microseconds(begin) / kCount;
        raw.Synchronize();
        return cost;
      },
      [&] {
        const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
        const Clock::time_point begin = Clock::now();
        for (int i = 0; i < kCount; ++i) {
          const hal_timeline_point_t points[3] = {{hal.timeline.get(), hal.value},
                                                  {hal.timeline.get(), hal.value + 1},
                                                  {hal.timeline.get(), hal.value + 2}};
          Ref<hal_buffer_t> buffer;
          Must(hal_device_queue_alloca(hal.device.get(), 1, hal_semaphore_list(&points[0], 1),
                                       hal_semaphore_list(&points[1], 1), &params, length, buffer.out()));
          Must(hal_device_queue_dealloca(hal.device.get(), 1, hal_semaphore_list(&points[1], 1),
                                         hal_semaphore_list(&points[2], 1), buffer.get()));
          hal.value += 2;
        }
        const double cost = Microseconds(begin) / kCount;
        hal.Wait();
        return cost;
      });
}

void CompareThreads(Raw& raw, Hal& hal) {
  Compare(
      "16 threads to 8 queues, per submission (launch, record, write)", 10,
      [&] {
        const uint64_t base = raw.count += kPerThread;
        const double cost = OnThreads([&](int t) {
          Must(raw.cuda->CtxSetCurrent(raw.context));
          for (int i = 0; i < kPerThread; ++i) {
            raw.Launch(t % kQueues);
            Must(raw.cuda->EventRecord(raw.events[t], raw.streams[t % kQueues]));
            raw.Write(t % kQueues, t, base + static_cast<uint64_t>(i));
          }
        });
        for (int i = 0; i < kQueues; ++i) raw.Synchronize(i);
        return cost;
      },
      [&] {
        std::vector<Ref<hal_semaphore_t>> timelines(kThreads);
        for (Ref<hal_semaphore_t>& timeline : timelines) {
          Must(hal_semaphore_create(hal.device.get(), 0, timeline.out()));
        }
        const double cost = OnThreads([&](int t) {
          uint64_t value = 0;
          const auto& timeline = timelines[static_cast<size_t>(t)];
          for (int i = 0; i < kPerThread; ++i) value = hal.DispatchOn(t % kQueues, timeline, value);
        });
        for (const Ref<hal_semaphore_t>& timeline : timelines) {
          Must(hal_semaphore_wait(timeline.get(), kPerThread, HAL_TIMEOUT_INFINITE));
        }
        return cost;
      });
}

}  // namespace
}  // namespace halyard::cuda

int main(int argc, char** argv) {
  using namespace halyard::cuda;
  if (argc < 2) {
    std::fprintf(stderr, "usage: halyard-cuda-overhead <cts_basic.ptx> [device URI]\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string image{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Raw raw(image);
  Hal hal(argc > 2 ? argv[2] : "cuda://0?queues=8", argv[1]);
  std::printf("%s, microseconds, medians\n", hal_device_info(hal.device.get())->name.data);
  CompareLaunches(raw, hal);
  CompareAllocations(raw, hal, 4096, "queue_alloca + dealloca of 4 KiB, host cost");
  CompareAllocations(raw, hal, 64 << 20, "queue_alloca + dealloca of 64 MiB, host cost");
  CompareThreads(raw, hal);
  return 0;
}
