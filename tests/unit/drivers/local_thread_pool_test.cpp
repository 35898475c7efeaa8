// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/executor/local_thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <vector>

#include "base/host_event.h"

namespace halyard::local {
namespace {

std::unique_ptr<ThreadPool> MakePool(int threads) {
  std::unique_ptr<ThreadPool> pool;
  EXPECT_EQ(ThreadPool::Create(threads, &pool), kOk) << LastErrorMessage();
  return pool;
}

/// Runs a callable once; can be waited for.
template <class F>
class Task final : public Runnable {
 public:
  explicit Task(F body) : body_(std::move(body)) {}
  void Run() noexcept override {
    body_();
    done_.Set();
  }
  void Wait() { done_.Wait({}); }

 private:
  F body_;
  HostEvent done_;
};

template <class F>
void RunOn(ThreadPool& pool, F body) {
  Task task(std::move(body));
  ASSERT_EQ(pool.Enqueue(&task), kOk);
  task.Wait();
}

/// Runs a loop that counts how often each iteration came.
std::vector<std::atomic<int>> CountIterations(ThreadPool& pool, uint64_t count) {
  std::vector<std::atomic<int>> seen(count);
  auto body = [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) ++seen[i];
  };
  EXPECT_EQ(pool.ParallelFor(count, BodyOf(body)), kOk);
  return seen;
}

class LocalThreadPoolTest : public testing::TestWithParam<int> {
 protected:
  const std::unique_ptr<ThreadPool> pool_ = MakePool(GetParam());
};

TEST_P(LocalThreadPoolTest, RunsEveryItemOnce) {
  std::atomic<int> runs{0};
  const auto body = [&] { ++runs; };
  std::deque<Task<decltype(body)>> tasks;
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(pool_->Enqueue(&tasks.emplace_back(body)), kOk);
  for (auto& task : tasks) task.Wait();
  EXPECT_EQ(runs, 10'000);
}

TEST_P(LocalThreadPoolTest, ALoopCoversItsRangeOnce) {
  for (const uint64_t count : {1, 2, 3, 7, 64, 1000, 12'345}) {
    RunOn(*pool_, [&] {
      for (const std::atomic<int>& times : CountIterations(*pool_, count)) ASSERT_EQ(times, 1) << count;
    });
  }
}

TEST_P(LocalThreadPoolTest, LoopsOfOtherThreadsRunAsWell) {
  for (const std::atomic<int>& times : CountIterations(*pool_, 1000)) ASSERT_EQ(times, 1);
}

TEST_P(LocalThreadPoolTest, LoopsWithinLoopsEnd) {
  std::atomic<uint64_t> iterations{0};
  auto innermost = [&](uint64_t begin, uint64_t end) { iterations += end - begin; };
  auto middle = [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) EXPECT_EQ(pool_->ParallelFor(20, BodyOf(innermost)), kOk);
  };
  auto outer = [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) EXPECT_EQ(pool_->ParallelFor(20, BodyOf(middle)), kOk);
  };
  RunOn(*pool_, [&] { EXPECT_EQ(pool_->ParallelFor(20, BodyOf(outer)), kOk); });
  EXPECT_EQ(iterations, 8000u);
}

// As many loops as threads, all at once: no thread is free to help, and each is finished by its caller.
TEST_P(LocalThreadPoolTest, LoopsOnAllThreadsEnd) {
  std::atomic<uint64_t> iterations{0};
  auto inner = [&](uint64_t begin, uint64_t end) { iterations += end - begin; };
  const auto body = [&] {
    for (int round = 0; round < 100; ++round) EXPECT_EQ(pool_->ParallelFor(100, BodyOf(inner)), kOk);
  };
  std::deque<Task<decltype(body)>> tasks;
  for (int i = 0; i < 2 * GetParam(); ++i) ASSERT_EQ(pool_->Enqueue(&tasks.emplace_back(body)), kOk);
  for (auto& task : tasks) task.Wait();
  EXPECT_EQ(iterations, 2u * static_cast<unsigned>(GetParam()) * 100 * 100);
}

INSTANTIATE_TEST_SUITE_P(Threads, LocalThreadPoolTest, testing::Values(1, 2, 3, 16), testing::PrintToStringParamName());

// While a thread waits for the end of its loop it runs no other item, which might take long: here one that waits for
// that very loop.
TEST(LocalThreadPoolWaitTest, AThreadThatWaitsForItsLoopTakesNoOtherItem) {
  const auto pool = MakePool(2);
  HostEvent loop_ended;
  HostEvent helper_came;
  HostEvent helper_may_go;
  Task blocker([&] { loop_ended.Wait({}); });
  Task looper([&] {
    std::atomic<int> inside{0};
    auto body = [&](uint64_t, uint64_t) {
      if (inside.fetch_add(1) == 0) {
        helper_came.Wait({});  // the second iteration is on the other thread, then
      } else {
        helper_came.Set();
        helper_may_go.Wait({});
      }
    };
    EXPECT_EQ(pool->ParallelFor(2, BodyOf(body)), kOk);
    loop_ended.Set();
  });
  ASSERT_EQ(pool->Enqueue(&looper), kOk);
  helper_came.Wait({});
  ASSERT_EQ(pool->Enqueue(&blocker), kOk);
  helper_may_go.Set();
  blocker.Wait();
  looper.Wait();
}

TEST(LocalThreadPoolWaitTest, EveryThreadOfThePoolCanBeBlockedAtOnce) {
  constexpr int kThreads = 5;
  const auto pool = MakePool(kThreads);
  std::atomic<int> arrived{0};
  HostEvent all_here;
  const auto body = [&] {
    if (++arrived == kThreads) all_here.Set();
    all_here.Wait({});
  };
  std::deque<Task<decltype(body)>> tasks;
  for (int i = 0; i < kThreads; ++i) ASSERT_EQ(pool->Enqueue(&tasks.emplace_back(body)), kOk);
  for (auto& task : tasks) task.Wait();
}

}  // namespace
}  // namespace halyard::local
