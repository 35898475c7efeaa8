// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-compare-builds: whether one build of the library is slower than another. Both are loaded into this process
// and take turns, so that whatever else the machine does hits both alike. The builds must agree on the structs of the
// API that are used here.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "halyard/halyard.h"

namespace {

constexpr uint64_t kFloats = 16384;
constexpr uint32_t kFills = 256;

enum Kernel : uint32_t { kEmpty, kUneven, kSaxpy };

/// What the comparison calls, of one build.
struct Functions {
  explicit Functions(const char* library) : handle(dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
    if (!handle) Stop(dlerror());
    Find("hal_last_error_message", &last_error_message);
    Find("hal_device_create", &device_create);
    Find("hal_device_allocator", &device_allocator);
    Find("hal_allocator_allocate", &allocate);
    Find("hal_semaphore_create", &semaphore_create);
    Find("hal_semaphore_wait", &semaphore_wait);
    Find("hal_executable_create", &executable_create);
    Find("hal_device_queue_dispatch", &dispatch);
    Find("hal_device_queue_fill", &fill);
    Find("hal_device_queue_host_call", &host_call);
  }

  [[noreturn]] static void Stop(const char* words) {
    std::fprintf(stderr, "halyard-compare-builds: %s\n", words);
    std::exit(1);
  }
  void Check(hal_status_t status) const {
    if (status != HAL_STATUS_OK) Stop(last_error_message());
  }

  void* handle;
  decltype(&hal_last_error_message) last_error_message{};
  decltype(&hal_device_create) device_create{};
  decltype(&hal_device_allocator) device_allocator{};
  decltype(&hal_allocator_allocate) allocate{};
  decltype(&hal_semaphore_create) semaphore_create{};
  decltype(&hal_semaphore_wait) semaphore_wait{};
  decltype(&hal_executable_create) executable_create{};
  decltype(&hal_device_queue_dispatch) dispatch{};
  decltype(&hal_device_queue_fill) fill{};
  decltype(&hal_device_queue_host_call) host_call{};

 private:
  template <class Function>
  void Find(const char* name, Function* out) const {
    *out = reinterpret_cast<Function>(dlsym(handle, name));
    if (!*out) Stop(dlerror());
  }
};

/// One build with a device and what its work needs. Stays until the process ends.
class Build {
 public:
  Build(const char* library, const char* device) : hal_(library) {
    hal_.Check(hal_.device_create(hal_string_view(device), &device_));
    hal_.Check(hal_.semaphore_create(device_, nullptr, &done_));
    hal_buffer_params_t buffer = HAL_BUFFER_PARAMS_INIT;
    buffer.usage = HAL_BUFFER_USAGE_ALL;
    for (hal_buffer_t*& made : buffers_) {
      hal_.Check(hal_.allocate(hal_.device_allocator(device_), &buffer, kFloats * sizeof(float), &made));
    }
    const hal_parameter_t bindings[] = {hal_parameter_binding(0, HAL_BINDING_ACCESS_READ),
                                        hal_parameter_binding(1, HAL_BINDING_ACCESS_READ_WRITE)};
    hal_export_info_t exports[] = {HAL_EXPORT_INFO_INIT, HAL_EXPORT_INFO_INIT, HAL_EXPORT_INFO_INIT};
    exports[kEmpty].name = hal_string_view("empty");
    exports[kUneven].name = hal_string_view("uneven");
    exports[kSaxpy].name = hal_string_view("saxpy");
    exports[kSaxpy].parameters = bindings;
    exports[kSaxpy].parameter_count = 2;
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.format = hal_string_view(HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT);
    params.path = hal_string_view(COMPARE_BUILDS_KERNELS);
    params.exports = exports;
    params.export_count = 3;
    hal_.Check(hal_.executable_create(device_, &params, &executable_));
  }

  void Wait() const { hal_.Check(hal_.semaphore_wait(done_, last_, HAL_TIMEOUT_INFINITE)); }

  /// Each waits for the operation before.
  void HostCall() {
    const auto nothing = [](void*, hal_status_t) { return HAL_STATUS_OK; };
    Submit([&](const hal_submit_params_t* submit) { return hal_.host_call(device_, submit, nothing, nullptr); });
  }

  void Dispatch(Kernel kernel, uint32_t workgroups) {
    const hal_buffer_ref_t bindings[] = {hal_buffer_ref(buffers_[0], 0, HAL_WHOLE_SIZE),
                                         hal_buffer_ref(buffers_[1], 0, HAL_WHOLE_SIZE)};
    hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    params.workgroup_count = hal_dim3(workgroups, 1, 1);
    if (kernel == kSaxpy) params.bindings = hal_buffer_ref_list(bindings, 2);
    Submit([&](const hal_submit_params_t* submit) {
      return hal_.dispatch(device_, submit, executable_, kernel, &params);
    });
  }

  /// 64 bytes.
  void Fill(uint32_t index) {
    const uint32_t pattern = index;
    Submit([&](const hal_submit_params_t* submit) {
      return hal_.fill(device_, submit, hal_buffer_ref(buffers_[0], uint64_t{index} * 64, 64), &pattern,
                       sizeof(pattern));
    });
  }

 private:
  template <class Operation>
  void Submit(const Operation& operation) {
    hal_timeline_point_t before = {done_, last_};
    hal_timeline_point_t after = {done_, ++last_};
    const hal_submit_params_t submit = hal_submit_params(hal_semaphore_list(&before, 1), hal_semaphore_list(&after, 1));
    hal_.Check(operation(&submit));
  }

  const Functions hal_;
  hal_device_t* device_ = nullptr;
  hal_semaphore_t* done_ = nullptr;
  uint64_t last_ = 0;
  hal_buffer_t* buffers_[2] = {};
  hal_executable_t* executable_ = nullptr;
};

/// `work` is done `times` times a turn, each of which is `units` of what the line counts.
struct Line {
  const char* what;
  int times;
  double units;
  void (*work)(Build& build);
};

template <Kernel kernel, uint32_t workgroups>
void RunGrid(Build& build) {
  build.Dispatch(kernel, workgroups);
  build.Wait();
}

const Line kLines[] = {
    {"host call and back", 1000, 1,
     [](Build& build) {
       build.HostCall();
       build.Wait();
     }},
    {"host call and back after 200 us of rest, which count", 50, 1,
     [](Build& build) {
       std::this_thread::sleep_for(std::chrono::microseconds(200));
       build.HostCall();
       build.Wait();
     }},
    {"host call in a chain of 1000", 1, 1000,
     [](Build& build) {
       for (int i = 0; i < 1000; ++i) build.HostCall();
       build.Wait();
     }},
    {"empty workgroup of 10^6", 1, 1e6, RunGrid<kEmpty, 1000000>},
    {"dispatch of 8 empty workgroups", 500, 1, RunGrid<kEmpty, 8>},
    {"uneven workgroup of 2000", 1, 2000, RunGrid<kUneven, 2000>},
    {"dispatch of 64 uneven workgroups", 20, 1, RunGrid<kUneven, 64>},
    {"saxpy of 16384, 64 workgroups", 200, 1, RunGrid<kSaxpy, 64>},
    {"fill of 64 bytes in a chain of 256", 10, kFills,
     [](Build& build) {
       for (uint32_t i = 0; i < kFills; ++i) build.Fill(i);
       build.Wait();
     }},
};

/// Nanoseconds for a unit.
double Time(const Line& line, Build& build) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < line.times; ++i) line.work(build);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() /
         (line.times * line.units);
}

/// Where `part` of the numbers are below.
double Quantile(std::vector<double> numbers, double part) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[static_cast<size_t>(part * static_cast<double>(numbers.size() - 1))];
}

void Compare(const Line& line, Build& first, Build& second, int rounds) {
  std::vector<double> times[2];
  std::vector<double> ratios;
  for (int round = -1; round < rounds; ++round) {
    const bool swapped = round % 2 != 0;
    const double one = Time(line, swapped ? second : first);
    const double other = Time(line, swapped ? first : second);
    if (round < 0) continue;  // warms up
    times[0].push_back(swapped ? other : one);
    times[1].push_back(swapped ? one : other);
    ratios.push_back(times[1].back() / times[0].back());
  }
  std::printf("| %s | %.1f ns | %.1f ns | %.2f (%.2f ... %.2f) |\n", line.what, Quantile(times[0], 0.5),
              Quantile(times[1], 0.5), Quantile(ratios, 0.5), Quantile(ratios, 0.25), Quantile(ratios, 0.75));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "Usage: %s FIRST_LIBHALYARD SECOND_LIBHALYARD DEVICE [ROUNDS]\n", argv[0]);
    return 1;
  }
  // Never destroyed: a build may be one whose threads do not like the end of the process.
  Build& first = *new Build(argv[1], argv[3]);
  Build& second = *new Build(argv[2], argv[3]);
  std::printf("| what | first | second | ratio (quartiles) |\n|---|---|---|---|\n");
  for (const Line& line : kLines) Compare(line, first, second, argc > 4 ? std::atoi(argv[4]) : 15);
  std::_Exit(0);
}
