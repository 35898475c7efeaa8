// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/application.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "fault_injection/fault_injector.h"
#include "fault_injection/simulator.h"

namespace halyard::fault_injection {
namespace {

// A message like the library's: "what: STATUS: call: error".
void Check(const char* name, cuda::CUresult result) {
  if (result == cuda::CUDA_SUCCESS) return;
  const auto known = std::ranges::find(Injections(), result, &Injection::result);
  const bool planned = known != Injections().end();
  throw std::runtime_error(std::string("the application: ") + (planned ? hal_status_name(known->status) : "?") + ": " +
                           name + ": " + (planned ? known->vendor_name : std::to_string(static_cast<int>(result))));
}

/// For errors that no caller can receive.
template <class Call>
void TryTwice(const Call& call) {
  if (call() != cuda::CUDA_SUCCESS) static_cast<void>(call());
}

}  // namespace

Application::Application(const cts::Device& device) : device_(device) {
  const void* table = nullptr;
  cts::Check(hal_device_query_interface(device, cts::View(HAL_CUDA_INTEROP_INTERFACE), 1, &table), "query interface");
  interop_ = static_cast<const hal_cuda_interop_interface_t*>(table);
  void* context = nullptr;
  int32_t ordinal = 0;
  cts::Check(interop_->context(device, &context, &ordinal), "context");
  context_ = static_cast<cuda::CUcontext>(context);
}

Application::~Application() {
  const Simulator& cuda = Simulator::Get();
  TryTwice([&] { return cuda.cuCtxPushCurrent_v2(context_); });
  for (cuda::CUstream stream : filled_) TryTwice([&] { return cuda.cuStreamSynchronize(stream); });
  for (cuda::CUstream stream : streams_) {
    TryTwice([&] { return cuda.cuStreamSynchronize(stream); });
    static_cast<void>(cuda.cuStreamDestroy_v2(stream));
  }
  for (cuda::CUevent event : events_) {
    TryTwice([&] { return cuda.cuEventSynchronize(event); });
    static_cast<void>(cuda.cuEventDestroy_v2(event));
  }
  static_cast<void>(cuda.cuCtxPopCurrent_v2(nullptr));
}

template <class Call>
void Application::InContext(const char* name, const Call& call) {
  const Simulator& cuda = Simulator::Get();
  Check("cuCtxPushCurrent_v2", cuda.cuCtxPushCurrent_v2(context_));
  const cuda::CUresult result = call(cuda);
  static_cast<void>(cuda.cuCtxPopCurrent_v2(nullptr));
  Check(name, result);
}

cuda::CUstream Application::MakeStream() {
  cuda::CUstream stream = nullptr;
  InContext("cuStreamCreate",
            [&](const Simulator& cuda) { return cuda.cuStreamCreate(&stream, cuda::CU_STREAM_NON_BLOCKING); });
  return streams_.emplace_back(stream);
}

cuda::CUevent Application::MakeEvent() {
  cuda::CUevent event = nullptr;
  InContext("cuEventCreate",
            [&](const Simulator& cuda) { return cuda.cuEventCreate(&event, cuda::CU_EVENT_DISABLE_TIMING); });
  return events_.emplace_back(event);
}

void Application::Fill(cuda::CUstream stream, uint64_t address, uint32_t word, size_t count) {
  filled_.push_back(stream);
  InContext("cuMemsetD32Async",
            [&](const Simulator& cuda) { return cuda.cuMemsetD32Async(address, word, count, stream); });
}

void Application::Record(cuda::CUevent event, cuda::CUstream stream) {
  InContext("cuEventRecord", [&](const Simulator& cuda) { return cuda.cuEventRecord(event, stream); });
}

void Application::Wait(cuda::CUstream stream, cuda::CUevent event) {
  InContext("cuStreamWaitEvent", [&](const Simulator& cuda) { return cuda.cuStreamWaitEvent(stream, event, 0); });
}

void Application::Synchronize(cuda::CUstream stream) {
  InContext("cuStreamSynchronize", [&](const Simulator& cuda) { return cuda.cuStreamSynchronize(stream); });
}

}  // namespace halyard::fault_injection
