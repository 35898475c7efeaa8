// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/worker_thread.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "submission/exit_drain.h"

namespace halyard::stream {
namespace {

/// Calls a function.
struct Item final : Runnable {
  explicit Item(std::function<void()> what) : function(std::move(what)) {}
  void Run() noexcept override { function(); }
  std::function<void()> function;
};

TEST(WorkerThreadTest, RunsItemsInOrderOnOneOtherThread) {
  std::vector<int> order;  // the worker's, until `done`
  std::set<std::thread::id> threads;
  std::promise<void> done;
  std::vector<std::unique_ptr<Item>> items;
  items.reserve(1000);
  for (int i = 0; i < 1000; ++i) {
    items.push_back(std::make_unique<Item>([&, i] {
      order.push_back(i);
      threads.insert(std::this_thread::get_id());
      if (i == 999) done.set_value();
    }));
  }
  WorkerThread worker;
  for (const auto& item : items) worker.Enqueue(item.get());
  done.get_future().wait();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
  EXPECT_EQ(threads.size(), 1u);
  EXPECT_EQ(threads.count(std::this_thread::get_id()), 0u);
}

TEST(WorkerThreadTest, EachCallersItemsKeepTheirOrder) {
  constexpr size_t kCallers = 4;
  constexpr int kItems = 2000;
  std::vector<int> next(kCallers);  // the worker's
  std::atomic<int> out_of_order{0};
  std::vector<std::unique_ptr<Item>> items;
  items.reserve(kCallers * kItems);
  for (size_t i = 0; i < kCallers * kItems; ++i) {
    items.push_back(std::make_unique<Item>([&, caller = i / kItems, number = static_cast<int>(i % kItems)] {
      if (next[caller]++ != number) ++out_of_order;
    }));
  }
  {
    WorkerThread worker;
    std::vector<std::thread> callers;
    callers.reserve(kCallers);
    for (size_t caller = 0; caller < kCallers; ++caller) {
      callers.emplace_back([&, caller] {
        for (size_t i = 0; i < kItems; ++i) worker.Enqueue(items[caller * kItems + i].get());
      });
    }
    for (std::thread& caller : callers) caller.join();
  }  // what was given is done
  EXPECT_EQ(out_of_order, 0);
  for (const int count : next) EXPECT_EQ(count, kItems);
}

// As when an operation drops the last reference to the device that owns the thread.
TEST(WorkerThreadTest, AnItemMayDestroyTheWorker) {
  for (int round = 0; round < 200; ++round) {
    auto worker = std::make_unique<WorkerThread>();
    WorkerThread& started = *worker;
    std::promise<void> ended;
    Item last([&] {
      worker.reset();
      ended.set_value();
    });
    started.Enqueue(&last);
    ended.get_future().wait();
    EXPECT_EQ(worker, nullptr);
  }
}

TEST(WorkerThreadTest, NothingIsToBeDone) { const WorkerThread worker; }

TEST(WorkerThreadTest, WhoEndsTheProcessDoesNotWaitForItself) {
  std::promise<void> done;
  Item item([&] {
    DrainsAtExit::DrainAll(DeadlineAfter(HAL_TIMEOUT_INFINITE));
    done.set_value();
  });
  WorkerThread worker;
  worker.Enqueue(&item);
  EXPECT_EQ(done.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

TEST(WorkerThreadTest, TheEndOfTheProcessWaitsForWhatIsGivenAndForNoLongerThanItMay) {
  std::atomic<bool> may_end{false};
  std::atomic<int> ended{0};
  const auto wait = [&] {
    while (!may_end) std::this_thread::yield();
    ++ended;
  };
  Item first(wait);
  Item second(wait);
  WorkerThread worker;
  worker.Enqueue(&first);
  worker.Enqueue(&second);
  DrainsAtExit::DrainAll(DeadlineAfter(20'000'000));
  EXPECT_EQ(ended, 0);
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    may_end = true;
  });
  DrainsAtExit::DrainAll(DeadlineAfter(HAL_TIMEOUT_INFINITE));
  EXPECT_EQ(ended, 2);
  release.join();
}

/// Notes that the end of the process has come to it.
struct NotingDrain final : DrainsAtExit {
  void BeginDrain() noexcept override { drained = true; }
  bool IsDrained() noexcept override { return drained; }
  static inline std::atomic<bool> drained{false};
};

// A second vendor's library registers what shuts it down after the first device is there.
TEST(WorkerThreadTest, TheEndOfTheProcessComesHereBeforeEachVendorShutsDown) {
  const auto end = [] {
    const auto state = DrainsAtExit::Make<NotingDrain>();
    std::atexit([] { _exit(NotingDrain::drained ? 0 : 1); });
    static constinit VendorGate gate;
    DrainsAtExit::ComeBeforeEarlierHandlers(gate);
    std::exit(2);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace halyard::stream
