// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/drain_scope.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

namespace halyard {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Runs a function, and measures how deep such runs are nested on this thread.
class Task final : public Runnable {
 public:
  explicit Task(std::function<void()> body) : body_(std::move(body)) {}

  void Run() noexcept override {
    deepest = std::max(deepest, ++depth);
    body_();
    --depth;
  }

  static thread_local int depth;
  static thread_local int deepest;

 private:
  std::function<void()> body_;
};

thread_local int Task::depth = 0;
thread_local int Task::deepest = 0;

class DrainTest : public ::testing::Test {
 protected:
  DrainTest() { Task::deepest = 0; }

  /// A task that notes its name when it runs, and then does `more`.
  Task* Noting(
      int name, std::function<void()> more = [] {}) {
    tasks_.emplace_back([this, name, more = std::move(more)] {
      order_.push_back(name);
      more();
    });
    return &tasks_.back();
  }

  std::deque<Task> tasks_;
  std::vector<int> order_;
};

TEST_F(DrainTest, ListIsFirstInFirstOut) {
  RunnableList list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.Pop(), nullptr);
  for (int i = 0; i < 3; ++i) list.Push(Noting(i));
  list.Pop()->Run();
  list.Push(Noting(3));
  while (Runnable* item = list.Pop()) item->Run();
  EXPECT_THAT(order_, ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(list.empty());
}

TEST_F(DrainTest, WithoutAScopeItRunsAtOnce) {
  DrainScope::Defer(Noting(1));
  EXPECT_THAT(order_, ElementsAre(1));
}

TEST_F(DrainTest, TheOutermostScopeRunsAllInOrder) {
  {
    const DrainScope outer;
    DrainScope::Defer(Noting(1));
    {
      const DrainScope inner;
      DrainScope::Defer(Noting(2));
    }
    DrainScope::Defer(Noting(3));
    EXPECT_THAT(order_, IsEmpty());
  }
  EXPECT_THAT(order_, ElementsAre(1, 2, 3));
}

TEST_F(DrainTest, WhatIsReleasedMeanwhileJoinsTheEnd) {
  {
    const DrainScope scope;
    DrainScope::Defer(Noting(1, [this] { DrainScope::Defer(Noting(3)); }));
    DrainScope::Defer(Noting(2, [this] {
      const DrainScope nested;
      DrainScope::Defer(Noting(4));
    }));
  }
  EXPECT_THAT(order_, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(Task::deepest, 1);
}

TEST_F(DrainTest, AChainOfAnyLengthUsesTheStackOfOne) {
  constexpr int kLength = 1'000'000;
  int runs = 0;
  Task* itself = nullptr;
  Task task([&] {
    if (++runs < kLength) DrainScope::Defer(itself);
  });
  itself = &task;
  DrainScope::Defer(&task);
  EXPECT_EQ(runs, kLength);
  EXPECT_EQ(Task::deepest, 1);
}

TEST_F(DrainTest, CallbacksComeBeforeWork) {
  {
    const DrainScope scope;
    DrainScope::DeferLong(Noting(4));
    DrainScope::Defer(Noting(2, [this] { DrainScope::DeferCallback(Noting(3)); }));
    DrainScope::DeferCallback(Noting(1));
  }
  EXPECT_THAT(order_, ElementsAre(1, 2, 3, 4));
}

TEST_F(DrainTest, LongWorkComesAfterAllOther) {
  {
    const DrainScope scope;
    DrainScope::DeferLong(Noting(3, [this] { DrainScope::Defer(Noting(4)); }));
    DrainScope::DeferLong(Noting(5));
    DrainScope::Defer(Noting(1, [this] { DrainScope::Defer(Noting(2)); }));
  }
  EXPECT_THAT(order_, ElementsAre(1, 2, 3, 4, 5));
}

/// Notes what it gets together.
class Together final : public GatheringOwner {
 public:
  explicit Together(std::vector<int>* counts) : counts_(*counts) {}
  void RunGathered(RunnableList items) noexcept override {
    counts_.push_back(0);
    for (; Runnable* const item = items.Pop(); ++counts_.back()) item->Run();
  }

 private:
  std::vector<int>& counts_;
};

TEST_F(DrainTest, WhatIsGatheredRunsTogether) {
  std::vector<int> counts;
  Together one(&counts);
  Together other(&counts);
  std::array<Gathering, 4> spare;
  {
    const DrainScope scope;
    DrainScope::Defer(Noting(9, [&] { DrainScope::Gather(&one, Noting(2), &spare[2]); }));
    DrainScope::Gather(&one, Noting(1, [&] { DrainScope::Gather(&one, Noting(4), &spare[3]); }), &spare[0]);
    DrainScope::Gather(&other, Noting(3), &spare[1]);
  }
  EXPECT_THAT(order_, ElementsAre(9, 1, 2, 3, 4)) << "what comes while it runs is the next";
  EXPECT_THAT(counts, ElementsAre(2, 1, 1));
}

// Not what another thread gathers, nor a drain around this one: they may take any time.
TEST_F(DrainTest, EveryDrainGathersForItself) {
  std::vector<int> counts;
  Together owner(&counts);
  std::array<Gathering, 3> spare;
  {
    const DrainScope scope;
    DrainScope::Gather(&owner, Noting(3), &spare[0]);
    {
      const SeparateDrain separate(nullptr);
      DrainScope::Gather(&owner, Noting(1), &spare[1]);
    }
    std::thread([&] { DrainScope::Gather(&owner, Noting(2), &spare[2]); }).join();
    EXPECT_THAT(order_, ElementsAre(1, 2));
  }
  EXPECT_THAT(order_, ElementsAre(1, 2, 3));
  EXPECT_THAT(counts, ElementsAre(1, 1, 1));
}

TEST_F(DrainTest, DrainingMeansTheOutermostScope) {
  DrainScope outer;
  DrainScope::Defer(Noting(1));
  {
    DrainScope inner;
    inner.Drain();
    EXPECT_THAT(order_, IsEmpty());
  }
  outer.Drain();
  EXPECT_THAT(order_, ElementsAre(1));
}

/// Keeps what it gets.
struct Keeper final : CallTaker {
  void Enqueue(Runnable* item) noexcept override { list.Push(item); }
  RunnableList list;
};

TEST_F(DrainTest, ATakerGetsCallbacksAndLongWorkAtOnce) {
  Keeper keeper;
  const DrainScope around;
  DrainScope::Defer(Noting(1));
  {
    const SeparateDrain separate(&keeper);
    DrainScope::DeferCallback(Noting(2));
    DrainScope::DeferLong(Noting(3));
    DrainScope::Defer(Noting(4, [this] { DrainScope::DeferCallback(Noting(5)); }));
    EXPECT_THAT(order_, IsEmpty());
  }
  EXPECT_THAT(order_, ElementsAre(4)) << "what was deferred around it is not its affair";
  while (Runnable* const item = keeper.list.Pop()) item->Run();
  EXPECT_THAT(order_, ElementsAre(4, 2, 3, 5));
}

TEST_F(DrainTest, ASeparateDrainWithoutATakerRunsItsOwn) {
  const DrainScope around;
  DrainScope::Defer(Noting(1));
  {
    const SeparateDrain separate(nullptr);
    DrainScope::DeferCallback(Noting(2));
  }
  EXPECT_THAT(order_, ElementsAre(2));
}

TEST_F(DrainTest, EveryThreadHasItsOwn) {
  const DrainScope scope;
  DrainScope::Defer(Noting(1));
  std::vector<int> others;
  std::thread other([&] {
    Task task([&] { others.push_back(2); });
    DrainScope::Defer(&task);
    EXPECT_THAT(others, ElementsAre(2)) << "the other thread has no scope";
  });
  other.join();
  EXPECT_THAT(order_, IsEmpty());
}

}  // namespace
}  // namespace halyard
