// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/application.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "fault_injection/fault_injector.h"
#include "fault_injection/vendor.h"

namespace halyard::fault_injection {
namespace {

namespace vendor = interop::vendor;

// A message like the library's: "what: STATUS: call: error".
void Check(int result) {
  if (result == 0) return;
  const auto known = std::ranges::find(Injections(), result, &Injection::result);
  const bool planned = known != Injections().end();
  const char* const call = vendor::Control().FailedCall();
  throw std::runtime_error(std::string("the application: ") + (planned ? hal_status_name(known->status) : "?") + ": " +
                           (call ? call : "?") + ": " + (planned ? known->vendor_name : std::to_string(result)));
}

/// For errors that no caller can receive.
template <class Call>
void TryTwice(const Call& call) {
  if (call() != 0) static_cast<void>(call());
}

}  // namespace

Application::Application(const cts::Device& device)
    : device_(device), context_(ContextOf(device)), interop_(vendor::GetInterop(device)) {}

Application::~Application() {
  uintptr_t before = 0;
  TryTwice([&] { return Enter(context_, &before); });
  for (Stream stream : filled_) TryTwice([&] { return vendor::SynchronizeStream(stream); });
  for (Stream stream : streams_) {
    TryTwice([&] { return vendor::SynchronizeStream(stream); });
    static_cast<void>(vendor::DestroyStream(stream));
  }
  for (Event event : events_) {
    TryTwice([&] { return vendor::SynchronizeEvent(event); });
    static_cast<void>(vendor::DestroyEvent(event));
  }
  Leave(before);
}

template <class Call>
void Application::InContext(const Call& call) {
  uintptr_t before = 0;
  Check(Enter(context_, &before));
  const int result = call();
  Leave(before);
  Check(result);
}

Stream Application::MakeStream() {
  Stream stream = nullptr;
  InContext([&] { return vendor::CreateStream(&stream); });
  return streams_.emplace_back(stream);
}

Event Application::MakeEvent() {
  Event event = nullptr;
  InContext([&] { return vendor::CreateEvent(&event); });
  return events_.emplace_back(event);
}

void Application::Fill(Stream stream, uint64_t address, uint32_t word, size_t count) {
  filled_.push_back(stream);
  InContext([&] { return fault_injection::Fill(stream, address, word, count); });
}

void Application::Record(Event event, Stream stream) {
  InContext([&] { return vendor::RecordEvent(event, stream); });
}

void Application::Wait(Stream stream, Event event) {
  InContext([&] { return vendor::WaitForEvent(stream, event); });
}

void Application::Synchronize(Stream stream) {
  InContext([&] { return vendor::SynchronizeStream(stream); });
}

}  // namespace halyard::fault_injection
