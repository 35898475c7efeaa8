// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/application.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "fault_injection/simulator.h"
#include "fault_injection/sweep.h"

namespace halyard::sweep {
namespace {

using cuda::abi::Result;

// In the words of the library: "what: STATUS: call: error".
void Check(const char* name, Result result) {
  if (result == Result::kSuccess) return;
  const auto known = std::ranges::find(Injections(), result, &Injection::result);
  const bool planned = known != Injections().end();
  throw std::runtime_error(std::string("the application: ") + (planned ? hal_status_name(known->status) : "?") + ": " +
                           name + ": " + (planned ? known->vendor_name : std::to_string(static_cast<int>(result))));
}

/// For what nobody can be told of.
template <class Call>
void TryTwice(const Call& call) {
  if (call() != Result::kSuccess) static_cast<void>(call());
}

}  // namespace

Application::Application(const cts::Device& device) : device_(device) {
  const void* table = nullptr;
  cts::Check(hal_device_query_interface(device, cts::View(HAL_CUDA_INTEROP_INTERFACE), 1, &table), "query interface");
  interop_ = static_cast<const hal_cuda_interop_interface_t*>(table);
  void* context = nullptr;
  int32_t ordinal = 0;
  cts::Check(interop_->context(device, &context, &ordinal), "context");
  context_ = static_cast<cuda::abi::Context>(context);
}

Application::~Application() {
  const Simulator& cuda = Simulator::Get();
  TryTwice([&] { return cuda.CtxPushCurrent(context_); });
  for (cuda::abi::Stream stream : filled_) TryTwice([&] { return cuda.StreamSynchronize(stream); });
  for (cuda::abi::Stream stream : streams_) {
    TryTwice([&] { return cuda.StreamSynchronize(stream); });
    static_cast<void>(cuda.StreamDestroy(stream));
  }
  for (cuda::abi::Event event : events_) {
    TryTwice([&] { return cuda.EventSynchronize(event); });
    static_cast<void>(cuda.EventDestroy(event));
  }
  static_cast<void>(cuda.CtxPopCurrent(nullptr));
}

template <class Call>
void Application::InContext(const char* name, const Call& call) {
  const Simulator& cuda = Simulator::Get();
  Check("cuCtxPushCurrent_v2", cuda.CtxPushCurrent(context_));
  const Result result = call(cuda);
  static_cast<void>(cuda.CtxPopCurrent(nullptr));
  Check(name, result);
}

cuda::abi::Stream Application::MakeStream() {
  cuda::abi::Stream stream = nullptr;
  InContext("cuStreamCreate", [&](const Simulator& cuda) {
    return cuda.StreamCreate(&stream, static_cast<unsigned>(cuda::abi::StreamFlags::kNonBlocking));
  });
  return streams_.emplace_back(stream);
}

cuda::abi::Event Application::MakeEvent() {
  cuda::abi::Event event = nullptr;
  InContext("cuEventCreate", [&](const Simulator& cuda) {
    return cuda.EventCreate(&event, static_cast<unsigned>(cuda::abi::EventFlags::kDisableTiming));
  });
  return events_.emplace_back(event);
}

void Application::Fill(cuda::abi::Stream stream, uint64_t address, uint32_t word, size_t count) {
  filled_.push_back(stream);
  InContext("cuMemsetD32Async",
            [&](const Simulator& cuda) { return cuda.MemsetD32Async(address, word, count, stream); });
}

void Application::Record(cuda::abi::Event event, cuda::abi::Stream stream) {
  InContext("cuEventRecord", [&](const Simulator& cuda) { return cuda.EventRecord(event, stream); });
}

void Application::Wait(cuda::abi::Stream stream, cuda::abi::Event event) {
  InContext("cuStreamWaitEvent", [&](const Simulator& cuda) { return cuda.StreamWaitEvent(stream, event, 0); });
}

void Application::Synchronize(cuda::abi::Stream stream) {
  InContext("cuStreamSynchronize", [&](const Simulator& cuda) { return cuda.StreamSynchronize(stream); });
}

}  // namespace halyard::sweep
