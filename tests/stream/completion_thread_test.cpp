// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/completion_thread.h"

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

// The handshake: a request is never slept over, whatever the thread was just about to do.
TEST(CompletionThreadTest, EveryRequestIsServed) {
  for (const CompletionService::Rest rest : {CompletionService::Rest::kLong, CompletionService::Rest::kFinished}) {
    CountingService service;
    service.rest = rest;
    CompletionThread thread;
    thread.Start(service);
    for (uint64_t i = 1; i <= 20'000; ++i) {
      service.asked.store(i);
      thread.Request();
      const auto start = std::chrono::steady_clock::now();
      // Far below what a doze lasts in the end: who was slept over would be seen.
      while (service.served.load() < i) {
        ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10)) << "request " << i;
      }
    }
  }
}

TEST(CompletionThreadTest, ANoticeEndsTheSleepWithoutEnd) {
  CountingService service;
  CompletionThread thread;
  thread.Start(service);
  for (int round = 0; round < 3; ++round) {
    // Asleep for good once no visit comes any more.
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

TEST(CompletionThreadTest, NobodyIsThereAfterStop) {
  CountingService service;
  {
    CompletionThread thread;
    thread.Start(service);
    thread.Request();
  }
  const uint64_t visits = service.visits;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(service.visits, visits);
}

}  // namespace
}  // namespace halyard::stream
