// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-metal-overhead: what a dispatch costs the host through Halyard and through Metal alone, on the same device in
// the same process.
//
//   halyard-metal-overhead [device URI [dispatches]]
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>
#include <halyard/halyard.h>
#include <halyard/metal_interop.h>
#include <halyard/cpp/submit.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

namespace {

constexpr int kRounds = 7;
constexpr char kSource[] = "#include <metal_stdlib>\nkernel void nothing() {}\n";

void Check(hal_status_t status, const char* what) {
  if (status == HAL_STATUS_OK) return;
  std::fprintf(stderr, "halyard-metal-overhead: %s: %s\n", what, hal_last_error_message());
  std::exit(1);
}

void CheckMade(const void* object, const char* what) {
  if (object) return;
  std::fprintf(stderr, "halyard-metal-overhead: Metal made no %s\n", what);
  std::exit(1);
}

/// Microseconds that one of `count` dispatches takes: the median of some rounds, after one that warms up.
double Measure(int count, const std::function<void()>& work) {
  std::vector<double> rounds;
  work();
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    rounds.push_back(time.count() / count);
  }
  std::sort(rounds.begin(), rounds.end());
  return rounds[kRounds / 2];
}

/// Metal alone.
class BareMetal {
 public:
  explicit BareMetal(id<MTLDevice> device) {
    @autoreleasepool {
      queue_ = [device newCommandQueue];
      id<MTLLibrary> library = [[device newLibraryWithSource:[NSString stringWithUTF8String:kSource]
                                                     options:nil
                                                       error:nullptr] autorelease];
      CheckMade(library, "library");
      id<MTLFunction> function = [[library newFunctionWithName:@"nothing"] autorelease];
      CheckMade(function, "function");
      pipeline_ = [device newComputePipelineStateWithFunction:function error:nullptr];
      CheckMade(pipeline_, "pipeline");
    }
  }
  ~BareMetal() {
    [pipeline_ release];
    [queue_ release];
  }

  /// Each in a command buffer of its own.
  void Submissions(int count) const {
    @autoreleasepool {
      id<MTLCommandBuffer> last = nil;
      for (int i = 0; i < count; ++i) last = Commit(1);
      [last waitUntilCompleted];
    }
  }
  /// All in one.
  void Recording(int count) const {
    @autoreleasepool {
      [Commit(count) waitUntilCompleted];
    }
  }

 private:
  id<MTLCommandBuffer> Commit(int count) const {
    id<MTLCommandBuffer> commands = [queue_ commandBufferWithUnretainedReferences];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoderWithDispatchType:MTLDispatchTypeConcurrent];
    [encoder setComputePipelineState:pipeline_];
    for (int i = 0; i < count; ++i) {
      [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
    }
    [encoder endEncoding];
    [commands commit];
    return commands;
  }

  id<MTLCommandQueue> queue_ = nil;
  id<MTLComputePipelineState> pipeline_ = nil;
};

/// The same through Halyard.
class Halyard {
 public:
  Halyard(hal_device_t* device, int count) : device_(device) {
    hal_export_info_t info = HAL_EXPORT_INFO_INIT;
    info.name = hal_string_view("nothing");
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.format = hal_string_view("msl");
    params.data = kSource;
    params.data_size = std::strlen(kSource);
    params.exports = &info;
    params.export_count = 1;
    Check(hal_executable_create(device, &params, &executable_), "load the kernel");
    Check(hal_semaphore_create(device, nullptr, &timeline_), "create a semaphore");
    hal_command_buffer_params_t recording = HAL_INIT(hal_command_buffer_params_t);
    Check(hal_command_buffer_create(device, &recording, &commands_), "create a command buffer");
    Check(hal_command_buffer_begin(commands_), "begin to record");
    for (int i = 0; i < count; ++i) Check(hal_command_buffer_dispatch(commands_, executable_, 0, &dispatch_), "record");
    Check(hal_command_buffer_end(commands_), "end the recording");
  }
  ~Halyard() {
    hal_command_buffer_release(commands_);
    hal_semaphore_release(timeline_);
    hal_executable_release(executable_);
  }

  /// One after the other, as on a queue of Metal: values of one timeline may not come out of order.
  void Submissions(int count) {
    for (int i = 0; i < count; ++i) {
      const hal_timeline_point_t before = hal_timeline_point(timeline_, value_);
      const hal_timeline_point_t done = hal_timeline_point(timeline_, ++value_);
      Check(hal_device_queue_dispatch(device_,
                                      hal::SubmitParams(hal_semaphore_list(&before, 1), hal_semaphore_list(&done, 1)),
                                      executable_, 0, &dispatch_),
            "dispatch");
    }
    Check(hal_semaphore_wait(timeline_, value_, HAL_TIMEOUT_INFINITE), "wait");
  }
  void Recording() {
    const hal_timeline_point_t done = hal_timeline_point(timeline_, ++value_);
    Check(hal_device_queue_execute(device_, hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&done, 1)),
                                   commands_, hal_buffer_ref_list(nullptr, 0)),
          "execute");
    Check(hal_semaphore_wait(timeline_, value_, HAL_TIMEOUT_INFINITE), "wait");
  }

 private:
  hal_device_t* const device_;
  hal_executable_t* executable_ = nullptr;
  hal_semaphore_t* timeline_ = nullptr;
  hal_command_buffer_t* commands_ = nullptr;
  hal_dispatch_params_t dispatch_ = HAL_DISPATCH_PARAMS_INIT;
  uint64_t value_ = 0;
};

void Print(const char* what, double bare, double halyard) {
  std::printf("%s: Metal %.2f us, Halyard %.2f us, %.2f times\n", what, bare, halyard, halyard / bare);
}

void Compare(hal_device_t* device, int count) {
  const hal_metal_interop_interface_t* interop = nullptr;
  void* native = nullptr;
  Check(hal_device_query_interface(device, hal_string_view(HAL_METAL_INTEROP_INTERFACE), 1,
                                   reinterpret_cast<const void**>(&interop)),
        "ask for the extension");
  Check(interop->device(device, &native), "ask for the MTLDevice");
  const BareMetal metal((id<MTLDevice>)native);
  Halyard halyard(device, count);
  Print("a submission of one dispatch", Measure(count, [&] { metal.Submissions(count); }),
        Measure(count, [&] { halyard.Submissions(count); }));
  Print("a dispatch of a recording", Measure(count, [&] { metal.Recording(count); }),
        Measure(count, [&] { halyard.Recording(); }));
}

}  // namespace

int main(int argc, char** argv) {
  hal_device_t* device = nullptr;
  Check(hal_device_create(hal_string_view(argc > 1 ? argv[1] : "metal://0"), &device), "open the device");
  Compare(device, argc > 2 ? std::max(std::atoi(argv[2]), 1) : 1000);
  hal_device_release(device);
  return 0;
}
