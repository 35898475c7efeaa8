// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/completion_thread.h"

#include <algorithm>

namespace halyard::stream {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;  // nanoseconds
constexpr uint64_t kShortestDoze = kMillisecond;
constexpr uint64_t kLongestDoze = 16 * kMillisecond;
// How often it dozes with nothing in flight before it sleeps for good.
constexpr int kIdleDozes = 10;

}  // namespace

CompletionThread::CompletionThread() : state_(std::make_shared<State>()) {}

CompletionThread::~CompletionThread() { Stop(); }

void CompletionThread::Start(CompletionService& service) {
  thread_ = std::thread([state = state_, &service] { Loop(state, service); });
}

void CompletionThread::Stop() noexcept {
  state_->stop.store(true);
  state_->bell.Set();
  if (!thread_.joinable()) return;
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void CompletionThread::Request() noexcept {
  State& state = *state_;
  state.requests.fetch_add(1);
  if (state.sleep.load() != Sleep::kAwake) state.bell.Set();
}

void CompletionThread::Notice() noexcept {
  State& state = *state_;
  state.notices.fetch_add(1);
  if (state.sleep.load() == Sleep::kAsleep) state.bell.Set();
}

void CompletionThread::Loop(const std::shared_ptr<State>& state, CompletionService& service) noexcept {
  uint64_t doze = kShortestDoze;
  int idle = 0;
  uint64_t last_notices = 0;
  while (true) {
    state->bell.Reset();
    const uint64_t requests = state->requests.load();
    const uint64_t notices = state->notices.load();
    if (state->stop.load()) return;
    const CompletionService::Rest rest = service.Serve();
    // The service may be gone from here on; the state is not.
    if (state->stop.load()) return;
    if (rest == CompletionService::Rest::kNone) continue;
    if (notices != last_notices) {
      doze = kShortestDoze;
      idle = 0;
      last_notices = notices;
    }
    idle = rest == CompletionService::Rest::kLong ? idle + 1 : 0;
    const bool asleep = rest == CompletionService::Rest::kFinished || idle > kIdleDozes;
    state->sleep.store(asleep ? Sleep::kAsleep : Sleep::kDozing);
    const bool wanted = state->requests.load() != requests || (asleep && state->notices.load() != notices);
    if (!wanted) state->bell.Wait(asleep ? Deadline{} : DeadlineAfter(doze));
    state->sleep.store(Sleep::kAwake);
    doze = std::min(doze * 2, kLongestDoze);
  }
}

}  // namespace halyard::stream
