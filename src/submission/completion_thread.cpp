// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/completion_thread.h"

#include "base/wait_policy.h"
#include "platform/native_thread.h"
#include "submission/test_points.h"

namespace halyard {
namespace {

constexpr Pauses::Kind kDozes = {kPausesInFlight.first * kDozeFactor, kPausesInFlight.longest* kDozeFactor,
                                 kPausesInFlight.share};

}  // namespace

CompletionThread::CompletionThread() : state_(DrainsAtExit::Make<State>()) {}

CompletionThread::~CompletionThread() { Stop(); }

Status CompletionThread::Start(CompletionService& service) {
  state_->served.store(0);
  const Status status = thread_.Start("hal-completion", "the device's completion thread", [state = state_, &service] {
    state->RunsOnThisThread();
    Loop(*state, service);
    state->served.store(kNotRunning);
  });
  if (status != kOk) state_->served.store(kNotRunning);
  return status;
}

void CompletionThread::Stop() noexcept {
  state_->stop.store(true);
  state_->bell.Set();
  thread_.End();
}

void CompletionThread::State::Request() noexcept {
  requests.fetch_add(1);
  AtTestPoint();
  if (sleep.load() != Sleep::kAwake) bell.Set();
}

void CompletionThread::State::BeginDrain() noexcept {
  Request();
  last_request.store(requests.load());
}

void CompletionThread::Notice() noexcept {
  State& state = *state_;
  state.notices.fetch_add(1);
  AtTestPoint();
  if (state.sleep.load() == Sleep::kAsleep) state.bell.Set();
}

void CompletionThread::Loop(State& state, CompletionService& service) noexcept {
  SleepPrecisely();  // the first dozes are shorter than what Linux adds otherwise
  Pauses dozes(kDozes);
  Pauses looks(kPausesForCallers);
  int idle = 0;
  uint64_t last_notices = 0;
  while (true) {
    state.bell.Reset();
    AtTestPoint();
    const uint64_t requests = state.requests.load();
    const uint64_t notices = state.notices.load();
    if (state.stop.load()) return;
    AtTestPoint();
    const CompletionService::Rest rest = service.Serve();
    // The service may be gone from here on; the state is not.
    state.served.store(requests);
    if (state.stop.load()) return;
    if (rest == CompletionService::Rest::kNone) {
      looks.Restart();
      continue;
    }
    if (notices != last_notices) {
      dozes.Restart();
      idle = 0;
      last_notices = notices;
    }
    const bool brief = rest == CompletionService::Rest::kBrief;
    idle = rest == CompletionService::Rest::kLong ? idle + 1 : 0;
    const uint64_t pause = brief ? looks.Next() : dozes.Next();
    const bool asleep = rest == CompletionService::Rest::kFinished || idle > kIdleDozes;
    AtTestPoint();
    state.sleep.store(asleep ? Sleep::kAsleep : Sleep::kDozing);
    AtTestPoint();
    const bool wanted =
        state.requests.load() != requests || state.stop.load() || (asleep && state.notices.load() != notices);
    AtTestPoint();
    if (!wanted) {
      const LibraryThread::Rest rest_until;
      state.bell.Wait(asleep ? Deadline{} : DeadlineAfter(pause));
    }
    state.sleep.store(Sleep::kAwake);
    if (!brief) looks.Restart();
  }
}

}  // namespace halyard
