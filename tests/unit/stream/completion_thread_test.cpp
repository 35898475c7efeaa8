// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/completion_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace halyard::stream {
namespace {

/// Answers requests: `served` follows `asked`.
struct CountingService final : CompletionService {
  std::atomic<uint64_t> asked{0};
  std::atomic<uint64_t> served{0};
  std::atomic<uint64_t> visits{0};
  Rest rest = Rest::kLong;

  Rest Serve() noexcept override {
    ++visits;
    served.store(asked.load());
    return rest;
  }
};

// The handshake: no request is missed at any step of the thread.
TEST(CompletionThreadTest, EveryRequestIsServed) {
  for (const CompletionService::Rest rest : {CompletionService::Rest::kLong, CompletionService::Rest::kFinished}) {
    CountingService service;
    service.rest = rest;
    CompletionThread thread;
    ASSERT_EQ(thread.Start(service), kOk);
    for (uint64_t i = 1; i <= 20'000; ++i) {
      service.asked.store(i);
      thread.Request();
      const auto start = std::chrono::steady_clock::now();
      // Far below the longest doze, so that a missed request shows.
      while (service.served.load() < i) {
        ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10)) << "request " << i;
      }
    }
  }
}

TEST(CompletionThreadTest, ANoticeEndsTheSleepWithoutEnd) {
  CountingService service;
  CompletionThread thread;
  ASSERT_EQ(thread.Start(service), kOk);
  for (int round = 0; round < 3; ++round) {
    // Asleep permanently once no visit comes any more.
    for (uint64_t seen = UINT64_MAX; seen != service.visits;) {
      seen = service.visits;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    service.asked.store(service.served + 1);
    thread.Notice();
    const auto start = std::chrono::steady_clock::now();
    while (service.served < service.asked) {
      ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
      std::this_thread::yield();
    }
  }
}

TEST(CompletionThreadTest, NoThreadIsLeftAfterStop) {
  CountingService service;
  {
    CompletionThread thread;
    ASSERT_EQ(thread.Start(service), kOk);
    thread.Request();
  }
  const uint64_t visits = service.visits;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(service.visits, visits);
}

/// Is at work until it is told to end.
struct BusyService final : CompletionService {
  std::atomic<bool> at_work{false};
  std::atomic<bool> may_end{false};
  std::atomic<uint64_t> ended{0};

  Rest Serve() noexcept override {
    at_work = true;
    while (!may_end) std::this_thread::yield();
    ++ended;
    return Rest::kLong;
  }
};

TEST(CompletionThreadTest, TheEndOfTheProcessWaitsForOneMoreVisit) {
  BusyService service;
  CompletionThread thread;
  ASSERT_EQ(thread.Start(service), kOk);
  while (!service.at_work) std::this_thread::yield();
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    service.may_end = true;
  });
  DrainsAtExit::DrainAll(DeadlineAfter(HAL_TIMEOUT_INFINITE));
  EXPECT_GE(service.ended, 2u) << "a visit that had begun cannot know what was done since";
  release.join();
}

TEST(CompletionThreadTest, TheEndOfTheProcessDoesNotWaitForLong) {
  BusyService service;
  CompletionThread thread;
  ASSERT_EQ(thread.Start(service), kOk);
  while (!service.at_work) std::this_thread::yield();
  DrainsAtExit::DrainAll(DeadlineAfter(20'000'000));
  EXPECT_EQ(service.ended, 0u);
  service.may_end = true;
}

// One that does not come to an end leaves the others their time.
TEST(CompletionThreadTest, TheEndOfTheProcessDrainsAllThreadsAtOnce) {
  BusyService stuck[2];
  CountingService others[3];
  CompletionThread threads[5];
  ASSERT_EQ(threads[0].Start(stuck[0]), kOk);
  for (size_t i = 0; i < 3; ++i) ASSERT_EQ(threads[1 + i].Start(others[i]), kOk);
  ASSERT_EQ(threads[4].Start(stuck[1]), kOk);
  for (const BusyService& service : stuck) {
    while (!service.at_work) std::this_thread::yield();
  }
  for (CountingService& service : others) service.asked = 1;
  DrainsAtExit::DrainAll(DeadlineAfter(2'000'000'000));
  for (const CountingService& service : others) EXPECT_EQ(service.served, 1u);
  for (BusyService& service : stuck) service.may_end = true;
}

TEST(CompletionThreadTest, TheEndOfTheProcessWaitsForNoThreadThatIsNotThere) {
  const CompletionThread never_started;
  CountingService service;
  CompletionThread stopped;
  ASSERT_EQ(stopped.Start(service), kOk);
  stopped.Stop();
  DrainsAtExit::DrainAll(DeadlineAfter(HAL_TIMEOUT_INFINITE));
}

}  // namespace
}  // namespace halyard::stream
