// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/completion_thread.h"

#include <algorithm>

#include "platform/native_thread.h"
#include "submission/test_points.h"

namespace halyard {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;  // nanoseconds
constexpr uint64_t kShortestDoze = kMillisecond * kDozeFactor;
constexpr uint64_t kLongestDoze = 16 * kShortestDoze;
// While a caller waits, a poll comes after a sixteenth of the time that the wait has taken so far, within these bounds.
constexpr uint64_t kFirstLook = kMillisecond / 50;
constexpr uint64_t kLastLook = kMillisecond;
// How often it dozes with nothing in flight before it sleeps until it is woken.
constexpr int kIdleDozes = 10;

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
  uint64_t doze = kShortestDoze;
  uint64_t look = kFirstLook;
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
      look = kFirstLook;
      continue;
    }
    if (notices != last_notices) {
      doze = kShortestDoze;
      idle = 0;
      last_notices = notices;
    }
    const bool brief = rest == CompletionService::Rest::kBrief;
    idle = rest == CompletionService::Rest::kLong ? idle + 1 : 0;
    const bool asleep = rest == CompletionService::Rest::kFinished || idle > kIdleDozes;
    AtTestPoint();
    state.sleep.store(asleep ? Sleep::kAsleep : Sleep::kDozing);
    AtTestPoint();
    const bool wanted =
        state.requests.load() != requests || state.stop.load() || (asleep && state.notices.load() != notices);
    AtTestPoint();
    if (!wanted) {
      const LibraryThread::Rest rest_until;
      state.bell.Wait(asleep ? Deadline{} : DeadlineAfter(brief ? look : doze));
    }
    state.sleep.store(Sleep::kAwake);
    if (brief) {
      look = std::min(look + look / 16, kLastLook);
    } else {
      look = kFirstLook;
      doze = std::min(doze * 2, kLongestDoze);
    }
  }
}

}  // namespace halyard
