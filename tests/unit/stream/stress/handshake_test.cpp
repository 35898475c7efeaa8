// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No waiting thread is missed at any step of the completion threads, the submitting threads and the device.
// Threads are delayed at random between the steps of the handshakes. A doze, which normally ends a missed sleep after
// milliseconds, lasts a minute here: so a lost wake-up is a wait of seconds, which fails the test.
#include <chrono>
#include <future>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "submission/completion_thread.h"
#include "unit/stream/memory_device.h"
#include "unit/stream/stress/delays.h"

namespace halyard::stream {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;  // nanoseconds
constexpr uint64_t kMissed = 5 * kSecond;    // of a wait; no delay comes near it
constexpr uint64_t kShortRun = kSecond;      // per case
constexpr uint64_t kLongRun = 30 * kSecond;

/// The first failure of any thread; the others stop when they see it.
class Checker {
 public:
  explicit Checker(uint64_t run_time) : end_(MonotonicNanoseconds() + run_time) {}

  bool goes_on() const { return !failed_ && MonotonicNanoseconds() < end_; }
  bool failed() const { return failed_; }

  /// What a wait came to that began at `start`.
  bool Expect(bool reached, uint64_t start, const std::string& what) {
    const uint64_t taken = MonotonicNanoseconds() - start;
    if (reached && taken < kMissed) return true;
    if (!failed_.exchange(true)) {
      ADD_FAILURE() << what << (reached ? " came after " : " has not come after ") << taken / 1'000'000
                    << " ms: a wake-up was lost; HALYARD_STRESS_SEED=" << StressSeed();
    }
    return false;
  }

 private:
  const uint64_t end_;
  std::atomic<bool> failed_{false};
};

// --- The completion thread alone -------------------------------------------------------------------------------------

/// Serves every request; how it rests in between is random.
struct MoodyService final : CompletionService {
  std::atomic<uint64_t> asked{0};
  std::atomic<uint64_t> served{0};
  std::vector<Rest> moods;

  Rest Serve() noexcept override {
    const uint64_t seen = asked.load();
    HoldUp();
    served.store(seen);
    return moods[ThreadRandom()() % moods.size()];
  }
};

void ServeThreads(size_t count, uint64_t run_time, std::vector<CompletionService::Rest> moods,
                  void (CompletionThread::*ask)()) {
  MoodyService service;
  service.moods = std::move(moods);
  CompletionThread thread;
  EXPECT_EQ(thread.Start(service), kOk);
  Checker checker(run_time);
  const auto ask_again_and_again = [&] {
    while (checker.goes_on()) {
      const uint64_t mine = service.asked.fetch_add(1) + 1;
      (thread.*ask)();
      const uint64_t start = MonotonicNanoseconds();
      while (service.served < mine && MonotonicNanoseconds() - start < kMissed) std::this_thread::yield();
      checker.Expect(service.served >= mine, start, "service");
      HoldUp();
    }
  };
  std::vector<std::thread> askers(count);
  for (std::thread& asker : askers) asker = std::thread(ask_again_and_again);
  for (std::thread& asker : askers) asker.join();
}

// One thread is helped by no other's request, several come in between each other.
void ServeOneAndSeveral(uint64_t run_time, const std::vector<CompletionService::Rest>& moods,
                        void (CompletionThread::*ask)()) {
  for (const size_t count : {1, 3}) {
    SCOPED_TRACE(std::to_string(count) + " threads ask");
    ServeThreads(count, run_time, moods, ask);
  }
}

using Rest = CompletionService::Rest;
const std::vector<Rest> kAllMoods = {Rest::kNone, Rest::kShort, Rest::kLong, Rest::kFinished};

TEST(CompletionThreadStress, EveryRequestIsServed) {
  ServeOneAndSeveral(kShortRun, kAllMoods, &CompletionThread::Request);
}
TEST(CompletionThreadStress, EveryRequestIsServedSlow) {
  ServeOneAndSeveral(kLongRun, kAllMoods, &CompletionThread::Request);
}
// A notice wakes from sleep only, so that there is nothing but sleep.
TEST(CompletionThreadStress, EveryNoticeEndsTheSleep) {
  ServeOneAndSeveral(kShortRun, {Rest::kFinished}, &CompletionThread::Notice);
}
TEST(CompletionThreadStress, EveryNoticeEndsTheSleepSlow) {
  ServeOneAndSeveral(kLongRun, {Rest::kFinished}, &CompletionThread::Notice);
}

// --- Devices ---------------------------------------------------------------------------------------------------------

/// How many threads there are of either kind. The fewer they are, the fewer come by and hide a missed wake-up; the
/// more, the more come in between.
struct Shape {
  const char* name;
  uint32_t queues;
  int alone;  // submit and wait
  int pairs;  // of which one waits for what the other submits
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }
constexpr Shape kShapes[] = {{"Alone", 1, 1, 0}, {"Pair", 2, 0, 1}, {"Crowd", 3, 3, 2}};

/// Threads that submit to one device, and wait in every way there is.
class Crowd {
 public:
  Crowd(const Shape& shape, const char* completion, uint64_t run_time)
      : shape_(shape),
        memory_("queues=" + std::to_string(shape.queues) + "&completion=" + completion),
        checker_(run_time) {
    memory_.world->hold_up = HoldUp;
  }

  void Run() {
    ASSERT_EQ(memory_.status, HAL_STATUS_OK) << hal_last_error_message();
    std::vector<std::thread> threads;
    threads.reserve(static_cast<size_t>(shape_.alone + 2 * shape_.pairs));
    for (int i = 0; i < shape_.alone; ++i) threads.emplace_back([this] { WaitForMyself(); });
    for (int i = 0; i < shape_.pairs; ++i) {
      const Game game = {MakeSemaphore(memory_.device), MakeSemaphore(memory_.device)};
      threads.emplace_back([this, game] { Serve(game); });
      threads.emplace_back([this, game] { Return(game); });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  bool Submit(const Points& waits, const Points& signals, const Ref<hal_buffer_t>& buffer) {
    const hal_queue_mask_t queue = hal_queue_mask_t{1} << ThreadRandom()() % shape_.queues;
    const hal_status_t status = Fill(memory_.device, waits, signals, buffer, 1, queue);
    EXPECT_EQ(status, HAL_STATUS_OK) << hal_last_error_message();
    return status == HAL_STATUS_OK;
  }

  /// Waits in one of the ways; how the timeline ends.
  hal_status_t Await(const Ref<hal_semaphore_t>& semaphore, uint64_t value) {
    const uint64_t start = MonotonicNanoseconds();
    hal_status_t status = HAL_STATUS_DEADLINE_EXCEEDED;
    switch (ThreadRandom()() % 4) {
      case 0:
        status = AwaitCallback(semaphore, value);
        break;
      case 1:
        status = Poll(semaphore, value);
        break;
      default:
        status = hal_semaphore_wait(semaphore.get(), value, kMissed);
    }
    checker_.Expect(status != HAL_STATUS_DEADLINE_EXCEEDED, start, "the end of a submission");
    return status;
  }

  static hal_status_t AwaitCallback(const Ref<hal_semaphore_t>& semaphore, uint64_t value) {
    // The callback's, which comes at the latest with the end of the semaphore.
    auto* const called = new std::promise<hal_status_t>;
    std::future<hal_status_t> call = called->get_future();
    const auto callback = [](void* user_data, hal_status_t status, hal_string_view_t) {
      const std::unique_ptr<std::promise<hal_status_t>> owned(static_cast<std::promise<hal_status_t>*>(user_data));
      owned->set_value(status);
    };
    EXPECT_EQ(hal_semaphore_notify(semaphore.get(), value, callback, called, nullptr), HAL_STATUS_OK);
    const bool came = call.wait_for(std::chrono::nanoseconds(kMissed)) == std::future_status::ready;
    return came ? call.get() : HAL_STATUS_DEADLINE_EXCEEDED;
  }

  static hal_status_t Poll(const Ref<hal_semaphore_t>& semaphore, uint64_t value) {
    const uint64_t end = MonotonicNanoseconds() + kMissed;
    uint64_t now = 0;
    while (MonotonicNanoseconds() < end) {
      const hal_status_t status = hal_semaphore_query(semaphore.get(), &now);
      if (status != HAL_STATUS_OK || now >= value) return status;
      std::this_thread::yield();
    }
    return HAL_STATUS_DEADLINE_EXCEEDED;
  }

  /// Submits to a timeline of its own, one or a chain over several queues, and waits for the last or for one of them.
  void WaitForMyself() {
    const Ref<hal_buffer_t> buffer = MakeBuffer(memory_.device, 64);
    const Ref<hal_semaphore_t> mine = MakeSemaphore(memory_.device);
    const Ref<hal_semaphore_t> gate = MakeSemaphore(memory_.device);
    uint64_t last = 0;
    uint64_t opened = 0;
    while (checker_.goes_on()) {
      const bool deferred = ThreadRandom()() % 4 == 0;
      const uint64_t first = last + 1;
      const uint64_t until = last + 1 + ThreadRandom()() % 3;
      for (; last < until; ++last) {
        const Points waits =
            deferred ? Points{{mine.get(), last}, {gate.get(), opened + 1}} : Points{{mine.get(), last}};
        if (!Submit(waits, {{mine.get(), last + 1}}, buffer)) return;
      }
      HoldUp();
      if (deferred) EXPECT_EQ(hal_semaphore_signal(gate.get(), ++opened), HAL_STATUS_OK);
      if (Await(mine, ThreadRandom()() % 3 == 0 ? first : last) != HAL_STATUS_OK) return;
    }
  }

  /// What two threads have in common: a timeline that queues signal in turn for each of them, and one that the host
  /// signals while submissions that wait for it come.
  struct Game {
    Ref<hal_semaphore_t> ball;
    Ref<hal_semaphore_t> whistle;
  };

  void Serve(const Game& game) {
    const Ref<hal_buffer_t> buffer = MakeBuffer(memory_.device, 64);
    for (uint64_t value = 1;; value += 2) {
      if (!checker_.goes_on()) {
        EXPECT_EQ(hal_semaphore_fail(game.ball.get(), HAL_STATUS_CANCELLED, hal_string_view("the end")), HAL_STATUS_OK);
        return;
      }
      if (!Submit({}, {{game.ball.get(), value}}, buffer)) return;
      HoldUp();
      EXPECT_EQ(hal_semaphore_signal(game.whistle.get(), value), HAL_STATUS_OK);
      HoldUp();
      if (Await(game.ball, value + 1) != HAL_STATUS_OK) return;
    }
  }
  void Return(const Game& game) {
    const Ref<hal_buffer_t> buffer = MakeBuffer(memory_.device, 64);
    for (uint64_t value = 1;; value += 2) {
      if (Await(game.ball, value) != HAL_STATUS_OK) return;
      HoldUp();
      if (!Submit({{game.whistle.get(), value}}, {{game.ball.get(), value + 1}}, buffer)) return;
    }
  }

  const Shape shape_;
  MemoryDevice memory_;
  Checker checker_;
};

class HandshakeStress : public testing::TestWithParam<std::tuple<Shape, const char*>> {
 protected:
  void Run(uint64_t run_time) { Crowd(std::get<0>(GetParam()), std::get<1>(GetParam()), run_time).Run(); }
};

TEST_P(HandshakeStress, NoWaitIsMissed) { Run(kShortRun); }
TEST_P(HandshakeStress, NoWaitIsMissedSlow) { Run(kLongRun); }

INSTANTIATE_TEST_SUITE_P(Threads, HandshakeStress,
                         testing::Combine(testing::ValuesIn(kShapes), testing::Values("fast", "portable")),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" + std::get<1>(test.param);
                         });

}  // namespace
}  // namespace halyard::stream
