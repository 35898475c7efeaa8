// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/vendor_gate.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

namespace halyard {
namespace {

constexpr uint64_t kShort = 20'000'000;  // nanoseconds

/// A thread of the library.
class OneThread {
 public:
  explicit OneThread(std::function<void()> body)
      : thread_([body = std::move(body)] {
          const VendorGate::Thread here;
          body();
        }) {}
  ~OneThread() { thread_.join(); }

 private:
  std::thread thread_;
};

void Await(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

class VendorGateTest : public ::testing::Test {
 protected:
  void SetUp() override { gate_.Adopt(); }
  void Close() { gate_.Close(DeadlineAfter(HAL_TIMEOUT_INFINITE)); }
  bool IsOpen() {
    const VendorGate::Scope scope(gate_);
    return scope.open();
  }

  VendorGate gate_;
  std::atomic<bool> inside_{false};
  std::atomic<bool> may_leave_{false};
};

TEST_F(VendorGateTest, ClosesForThreadsOfTheLibraryAlone) {
  EXPECT_TRUE(gate_.TakeHandler());
  EXPECT_FALSE(gate_.TakeHandler()) << "the second time";
  {
    OneThread thread([&] { EXPECT_TRUE(IsOpen()); });
  }
  Close();
  {
    OneThread thread([&] { EXPECT_FALSE(IsOpen()); });
  }
  EXPECT_TRUE(IsOpen()) << "a thread of the application";
}

TEST_F(VendorGateTest, ClosingWaitsForTheThreadsInsideUntilTheDeadline) {
  std::atomic<bool> left{false};
  OneThread thread([&] {
    {
      const VendorGate::Scope scope(gate_);
      inside_ = true;
      Await(may_leave_);
      EXPECT_TRUE(IsOpen()) << "for one that is inside";
      left = true;
    }
    EXPECT_FALSE(IsOpen());
  });
  Await(inside_);
  gate_.Close(DeadlineAfter(kShort));
  EXPECT_FALSE(left);
  may_leave_ = true;
  Close();
  EXPECT_TRUE(left);
}

TEST_F(VendorGateTest, ClosingDoesNotWaitForThreadsThatPause) {
  OneThread thread([&] {
    const VendorGate::Scope scope(gate_);
    const VendorGate::Scope inner(gate_);
    {
      const VendorGate::Pause pause;
      EXPECT_TRUE(IsOpen()) << "what the application calls is inside again";
      inside_ = true;
      Await(may_leave_);
      EXPECT_FALSE(IsOpen());
    }
    EXPECT_FALSE(scope.open());
    EXPECT_FALSE(inner.open());
    EXPECT_FALSE(IsOpen());
  });
  Await(inside_);
  Close();
  may_leave_ = true;
}

TEST_F(VendorGateTest, APauseClosesNothing) {
  OneThread thread([&] {
    const VendorGate::Scope scope(gate_);
    EXPECT_EQ(Publish(OutsideVendor(gate_, [] { return FailWith(HAL_STATUS_ABORTED, "torn"); })), HAL_STATUS_ABORTED);
    EXPECT_TRUE(scope.open());
    inside_ = true;
    Await(may_leave_);
  });
  Await(inside_);
  gate_.Close(DeadlineAfter(kShort));  // the thread is counted again
  may_leave_ = true;
  Close();
}

TEST_F(VendorGateTest, GatesDoNotConcernEachOther) {
  VendorGate other;
  other.Adopt();
  OneThread thread([&] {
    const VendorGate::Scope scope(gate_);
    inside_ = true;
    Await(may_leave_);
    const VendorGate::Scope second(other);
    EXPECT_FALSE(second.open());
    EXPECT_TRUE(scope.open());
  });
  Await(inside_);
  other.Close(DeadlineAfter(HAL_TIMEOUT_INFINITE));
  may_leave_ = true;
}

TEST_F(VendorGateTest, AThreadThatIsInsideAlreadyIsCounted) {
  VendorGate other;
  OneThread thread([&] {
    const VendorGate::Scope scope(other);
    inside_ = true;
    Await(may_leave_);
  });
  Await(inside_);
  other.Adopt();
  other.Close(DeadlineAfter(0));
  EXPECT_EQ(other.inside(), 1u);
  may_leave_ = true;
  other.Close(DeadlineAfter(HAL_TIMEOUT_INFINITE));
  EXPECT_EQ(other.inside(), 0u);
}

TEST_F(VendorGateTest, AChildProcessBeginsAnew) {
  OneThread thread([&] {
    const VendorGate::Scope scope(gate_);
    inside_ = true;
    Await(may_leave_);
  });
  Await(inside_);
  const pid_t child = fork();
  if (child == 0) {
    Close();  // the parent's: nothing to wait for
    gate_.Adopt();
    const bool anew = gate_.TakeHandler() && IsOpen();
    Close();
    _exit(anew && gate_.closed() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  may_leave_ = true;
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(gate_.closed());
}

}  // namespace
}  // namespace halyard
