// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// halyard-server: eight threads answer requests on one device. They share the device, the kernels and the weights;
/// each has a timeline of its own, so that no thread waits for another.
///
/// The memory of a request is allocated and freed in the order of the queue: no thread waits for it, and the device
/// reuses it for the next request.
#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include "halyard/halyard.hpp"
#include "inference/model.h"

namespace examples {
namespace {

constexpr unsigned kThreads = 8;
constexpr uint64_t kRequestsPerThread = 25;

/// What all threads share, and none of them changes.
struct Service {
  hal::Device device;
  hal::Executable kernels;
  uint32_t dense = 0;  // the ordinal of the kernel
  hal::Buffer parameters;
  std::vector<float> expected_parameters;

  hal_buffer_ref_t Floats(uint64_t first, uint64_t count) const {
    return parameters.Range(first * sizeof(float), count * sizeof(float));
  }
};

/// Uploads from memory of the application, without a staging buffer of its own: the library brings it in pieces.
void UploadParameters(const Service& service, const std::vector<float>& values) {
  const hal::Semaphore uploaded = hal::Semaphore::Create(service.device);
  service.device.queues().Upload({}, uploaded.At(1), values.data(), service.parameters);
  uploaded.Wait(1);  // `values` must stay until then
}

Service MakeService(const std::string& uri) {
  Service service;
  service.device = hal::Device::Open(uri);
  service.kernels = hal::Executable::Load(service.device, MODEL_KERNELS);
  service.dense = service.kernels.FindExport("dense");
  service.parameters = service.device.allocator().Allocate(MODEL_FLOATS * sizeof(float));
  for (uint32_t i = 0; i < MODEL_FLOATS; ++i) service.expected_parameters.push_back(model_parameter(i));
  UploadParameters(service, service.expected_parameters);
  return service;
}

/// One thread of the server.
class Worker {
 public:
  Worker(const Service& service, unsigned number)
      : service_(service),
        // Spread over the device's queues.
        queue_(service.device.queues(hal_queue_mask_t{1} << number % service.device.info().queue_count)),
        timeline_(hal::Semaphore::Create(service.device)),
        result_(service.device.allocator().Allocate(MODEL_OUTPUTS * sizeof(float), HAL_BUFFER_PARAMS_STAGING_INIT)) {}

  /// Runs the model over one input. Blocks until the result is there.
  std::vector<float> Answer(const std::vector<float>& input) {
    const hal::Buffer x = Allocate(MODEL_INPUTS);
    const hal::Buffer hidden = Allocate(MODEL_HIDDEN);
    const hal::Buffer y = Allocate(MODEL_OUTPUTS);
    Advance();
    queue_.Update(before_, after_, input.data(), x);  // up to 64 KiB travel with the submission
    Layer(x, MODEL_WEIGHTS_1, MODEL_BIAS_1, hidden, MODEL_INPUTS, MODEL_HIDDEN);
    Layer(hidden, MODEL_WEIGHTS_2, MODEL_BIAS_2, y, MODEL_HIDDEN, MODEL_OUTPUTS);
    Advance();
    queue_.Copy(before_, after_, y, result_);
    for (const hal::Buffer* buffer : {&x, &hidden, &y}) {
      Advance();
      queue_.Dealloca(before_, after_, *buffer);
    }
    timeline_.Wait(value_);
    std::vector<float> result(MODEL_OUTPUTS);
    result_.Read(result);
    return result;
  }

 private:
  /// The next operation waits for the one before it.
  void Advance() {
    before_ = timeline_.At(value_);
    after_ = timeline_.At(++value_);
  }

  hal::Buffer Allocate(uint64_t floats) {
    Advance();
    return queue_.Alloca(before_, after_, floats * sizeof(float));
  }
  void Layer(const hal::Buffer& x, uint64_t weights, uint64_t bias, const hal::Buffer& y, uint32_t inputs,
             uint32_t outputs) {
    Advance();
    queue_.Dispatch(before_, after_, service_.kernels, service_.dense,
                    hal::Dispatch(model_workgroups(outputs))
                        .Constant(inputs)
                        .Constant(outputs)
                        .Bind(x)
                        .Bind(service_.Floats(weights, uint64_t{inputs} * outputs))
                        .Bind(service_.Floats(bias, outputs))
                        .Bind(y));
  }

  const Service& service_;
  hal::Queue queue_;
  hal::Semaphore timeline_;  // of this thread alone
  uint64_t value_ = 0;       // up to where it was submitted
  hal_timeline_point_t before_ = {};
  hal_timeline_point_t after_ = {};
  hal::Buffer result_;
};

/// What a client would check: every answer is the one to its own request.
void Serve(const Service& service, unsigned number) {
  Worker worker(service, number);
  std::vector<float> input(MODEL_INPUTS);
  for (uint64_t i = 0; i < kRequestsPerThread; ++i) {
    const uint64_t request = number * kRequestsPerThread + i;
    for (uint32_t k = 0; k < MODEL_INPUTS; ++k) input[k] = model_input(request, k);
    std::vector<float> expected(MODEL_OUTPUTS);
    model_reference(service.expected_parameters.data(), request, expected.data());
    if (worker.Answer(input) != expected) throw std::runtime_error("a request got a wrong answer");
  }
}

void Run(const std::string& uri) {
  const Service service = MakeService(uri);
  std::array<std::future<void>, kThreads> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads[i] = std::async(std::launch::async, [&service, i] { Serve(service, i); });
  }
  for (std::future<void>& thread : threads) thread.wait();
  service.device.Drain();  // also callbacks, which may use what a request has; a wait returns before they have run
  for (std::future<void>& thread : threads) thread.get();  // throws what the thread threw
  constexpr uint64_t kRequests = kThreads * kRequestsPerThread;
  std::printf("%u threads, %" PRIu64 " requests, all answered as expected\n", kThreads, kRequests);
}

}  // namespace
}  // namespace examples

// halyard-server [URI]
int main(int argc, char** argv) {
  try {
    examples::Run(argc > 1 ? argv[1] : "local");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "halyard-server: %s\n", error.what());
    return 1;
  }
}
