// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order between queue operations comes from semaphores alone: chains, fans, crowds, in every order of submission.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "cts/cts.h"

namespace halyard::cts {
namespace {

using testing::Each;
using testing::ElementsAre;

/// Host calls that write down in which order they ran.
class OrderLog {
 public:
  /// Submits a host call that writes down `id`.
  hal_status_t Submit(const Device& device, const Points& waits, const Points& signals, uint64_t id,
                      hal_queue_mask_t queues = HAL_QUEUE_ANY) {
    return device.QueueHostCall(
        waits, signals,
        [this, id](hal_status_t status) {
          std::lock_guard lock(mutex_);
          if (status == HAL_STATUS_OK) ids_.push_back(id);
          return status;
        },
        queues);
  }
  std::vector<uint64_t> ids() const {
    std::lock_guard lock(mutex_);
    return ids_;
  }
  /// Expects that `id` was written down after each of `earlier`.
  void ExpectAfter(uint64_t id, const std::vector<uint64_t>& earlier) const {
    const std::vector<uint64_t> all = ids();
    const auto position = [&](uint64_t wanted) { return std::find(all.begin(), all.end(), wanted) - all.begin(); };
    for (const uint64_t other : earlier) EXPECT_LT(position(other), position(id)) << other << " before " << id;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<uint64_t> ids_;
};

std::vector<uint64_t> Counting(uint64_t from, uint64_t count) {
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < count; ++i) numbers.push_back(from + i);
  return numbers;
}

class QueueOrderingTest : public DeviceTest {
 protected:
  OrderLog log_;
};

TEST_F(QueueOrderingTest, EmptyBarrierIsLegal) { EXPECT_OK(Barrier(kNoWaits, kNoSignals)); }

TEST_F(QueueOrderingTest, BarrierThatOnlySignals) {
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Barrier(kNoWaits, {{done, 4}}));
  EXPECT_OK(done.Wait(4));
}

TEST_F(QueueOrderingTest, BarrierThatOnlyWaits) {
  const Semaphore go = CreateSemaphore();
  ASSERT_OK(Barrier({{go, 1}}, kNoSignals));
  EXPECT_OK(go.Signal(1));
}

TEST_F(QueueOrderingTest, DeferredWorkDelaysNoOtherWork) {
  const Semaphore never = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  for (uint32_t queue = 0; queue < device().info().queue_count; ++queue) {
    ASSERT_OK(device().QueueBarrier({{never, 1}}, kNoSignals, device().Queue(queue)));
    ASSERT_OK(log_.Submit(device(), kNoWaits, {{done, queue + 1u}}, queue, device().Queue(queue)));
    EXPECT_OK(done.Wait(queue + 1u)) << "queue " << queue;
  }
}

TEST_F(QueueOrderingTest, SmallerValueIsReleasedBeforeLarger) {
  const Semaphore go = CreateSemaphore();
  const Semaphore large = CreateSemaphore();
  const Semaphore small = CreateSemaphore();
  ASSERT_OK(Barrier({{go, 5}}, {{large, 1}}));
  ASSERT_OK(Barrier({{go, 3}}, {{small, 1}}));
  ASSERT_OK(go.Signal(4));
  EXPECT_OK(small.Wait(1));
  EXPECT_EQ(large.Value(), 0u);
  ASSERT_OK(go.Signal(5));
  EXPECT_OK(large.Wait(1));
}

TEST_F(QueueOrderingTest, OneSemaphoreMayBeWaitedForTwice) {
  const Semaphore go = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Barrier({{go, 3}, {go, 1}, {go, 3}}, {{done, 1}}));
  ASSERT_OK(go.Signal(1));
  EXPECT_EQ(done.Value(), 0u);
  ASSERT_OK(go.Signal(3));
  EXPECT_OK(done.Wait(1));
}

TEST_F(QueueOrderingTest, Diamond) {
  const Semaphore top = CreateSemaphore();
  const Semaphore left = CreateSemaphore();
  const Semaphore right = CreateSemaphore();
  const Semaphore bottom = CreateSemaphore();
  ASSERT_OK(log_.Submit(device(), {{left, 1}, {right, 1}}, {{bottom, 1}}, 4));
  ASSERT_OK(log_.Submit(device(), {{top, 1}}, {{left, 1}}, 2, device().Queue(1)));
  ASSERT_OK(log_.Submit(device(), kNoWaits, {{top, 1}}, 1));
  ASSERT_OK(log_.Submit(device(), {{top, 1}}, {{right, 1}}, 3, device().Queue(2)));
  ASSERT_OK(bottom.Wait(1));
  log_.ExpectAfter(2, {1});
  log_.ExpectAfter(3, {1});
  log_.ExpectAfter(4, {1, 2, 3});
}

// Each operation of a layer waits for every operation of the layer before.
TEST_F(QueueOrderingTest, FullyConnectedLayers) {
  constexpr uint64_t kLayers = 5;
  constexpr uint64_t kWidth = 8;
  std::vector<Semaphore> semaphores;
  for (uint64_t i = 0; i < kLayers * kWidth; ++i) semaphores.push_back(CreateSemaphore());
  for (uint64_t id = kLayers * kWidth; id-- > 0;) {
    Points waits;
    for (uint64_t i = 0; id >= kWidth && i < kWidth; ++i) waits.Add(semaphores[(id / kWidth - 1) * kWidth + i], 1);
    ASSERT_OK(log_.Submit(device(), waits, {{semaphores[id], 1}}, id, device().Queue(id)));
  }
  for (uint64_t id = 0; id < kLayers * kWidth; ++id) ASSERT_OK(semaphores[id].Wait(1));
  for (uint64_t id = kWidth; id < kLayers * kWidth; ++id) {
    log_.ExpectAfter(id, Counting((id / kWidth - 1) * kWidth, kWidth));
  }
}

TEST_F(QueueOrderingTest, HostStepsBetweenDeviceSteps) {
  const Semaphore timeline = CreateSemaphore();
  for (uint64_t i = 0; i < 100; ++i) {
    ASSERT_OK(Barrier({{timeline, 2 * i + 1}}, {{timeline, 2 * i + 2}}));
    ASSERT_OK(timeline.Signal(2 * i + 1));
    ASSERT_OK(timeline.Wait(2 * i + 2));
  }
}

/// Waits and signals in all four directions, in either order.
struct Direction {
  const char* name;
  bool device_signals;
  bool device_waits;
  bool wait_first;
};
void PrintTo(const Direction& direction, std::ostream* out) { *out << direction.name; }

class QueueDirectionTest : public DeviceTestWith<Direction> {
 protected:
  hal_status_t Signal() const {
    return GetParam().device_signals ? Barrier(kNoWaits, {{between_, 1}}) : between_.Signal(1);
  }
  hal_status_t Wait() const {
    if (GetParam().device_waits) return Barrier({{between_, 1}}, {{done_, 1}});
    return between_.Notify(1, [done = done_](hal_status_t status, const std::string&) {
      EXPECT_OK(status);
      EXPECT_OK(done.Signal(1));
    });
  }

  Semaphore between_ = CreateSemaphore();
  Semaphore done_ = CreateSemaphore();
};

TEST_P(QueueDirectionTest, WaitIsEndedBySignal) {
  ASSERT_OK(GetParam().wait_first ? Wait() : Signal());
  ASSERT_OK(GetParam().wait_first ? Signal() : Wait());
  EXPECT_OK(done_.Wait(1));
}

INSTANTIATE_TEST_SUITE_P(Directions, QueueDirectionTest,
                         testing::Values(Direction{"HostToHostSignalFirst", false, false, false},
                                         Direction{"HostToHostWaitFirst", false, false, true},
                                         Direction{"HostToDeviceSignalFirst", false, true, false},
                                         Direction{"HostToDeviceWaitFirst", false, true, true},
                                         Direction{"DeviceToHostSignalFirst", true, false, false},
                                         Direction{"DeviceToHostWaitFirst", true, false, true},
                                         Direction{"DeviceToDeviceSignalFirst", true, true, false},
                                         Direction{"DeviceToDeviceWaitFirst", true, true, true}),
                         ByName);

enum class Order { kForward, kBackward, kShuffled };

/// A chain of operations and the order in which it is submitted.
struct Chain {
  uint64_t length;
  Order order;
};
std::string NameOf(const Chain& chain) {
  const char* const orders[] = {"Forward", "Backward", "Shuffled"};
  return std::to_string(chain.length) + orders[static_cast<int>(chain.order)];
}
void PrintTo(const Chain& chain, std::ostream* out) { *out << NameOf(chain); }

class QueueChainTest : public DeviceTestWith<Chain> {
 protected:
  /// The links' numbers in the order of their submission.
  std::vector<uint64_t> Submissions() {
    std::vector<uint64_t> numbers = Counting(0, GetParam().length);
    if (GetParam().order == Order::kBackward) std::reverse(numbers.begin(), numbers.end());
    if (GetParam().order == Order::kShuffled) std::shuffle(numbers.begin(), numbers.end(), random_.engine());
    return numbers;
  }

  SeededRandom random_;
};

TEST_P(QueueChainTest, HostCallsRunInOrder) {
  OrderLog log;
  const Semaphore timeline = CreateSemaphore();
  for (const uint64_t i : Submissions()) {
    ASSERT_OK(log.Submit(device(), {{timeline, i}}, {{timeline, i + 1}}, i, device().Queue(i)));
  }
  ASSERT_OK(timeline.Wait(GetParam().length));
  EXPECT_EQ(log.ids(), Counting(0, GetParam().length));
}

// Word i + 1 is word i plus one, each by a dispatch of its own.
TEST_P(QueueChainTest, DispatchesSeeWhatTheirPredecessorWrote) {
  constexpr uint64_t kStride = 256;  // generous to devices that align bindings
  const uint64_t length = GetParam().length;
  const Buffer words = device().CreateBufferOf(std::vector<uint8_t>((length + 1) * kStride));
  const Executable kernels = LoadKernels("basic");
  const Semaphore timeline = CreateSemaphore();
  for (const uint64_t i : Submissions()) {
    const Dispatch dispatch = Dispatch()
                                  .WorkItems(1)
                                  .Constant(uint32_t{1})
                                  .Bind(Ref(words, i * kStride, 4))
                                  .Bind(Ref(words, (i + 1) * kStride, 4));
    ASSERT_OK(device().QueueDispatch({{timeline, i}}, {{timeline, i + 1}}, kernels, "add_constant", dispatch,
                                     device().Queue(i)));
  }
  ASSERT_OK(timeline.Wait(length));
  EXPECT_THAT(Download<uint32_t>(words, length * kStride, 1), ElementsAre(static_cast<uint32_t>(length)));
}

// All write the same words; the last one in the chain wins.
TEST_P(QueueChainTest, LastWriterWins) {
  const Buffer words = CreateBuffer(1024);
  const Semaphore timeline = CreateSemaphore();
  for (const uint64_t i : Submissions()) {
    ASSERT_OK(
        device().QueueFill({{timeline, i}}, {{timeline, i + 1}}, words, static_cast<uint32_t>(i), device().Queue(i)));
  }
  ASSERT_OK(timeline.Wait(GetParam().length));
  EXPECT_THAT(Download<uint32_t>(words), Each(static_cast<uint32_t>(GetParam().length - 1)));
}

INSTANTIATE_TEST_SUITE_P(Chains, QueueChainTest,
                         testing::Values(Chain{1, Order::kForward}, Chain{2, Order::kForward},
                                         Chain{2, Order::kBackward}, Chain{10, Order::kForward},
                                         Chain{10, Order::kBackward}, Chain{10, Order::kShuffled},
                                         Chain{300, Order::kForward}, Chain{300, Order::kBackward},
                                         Chain{300, Order::kShuffled}),
                         [](const auto& test) { return NameOf(test.param); });

/// One operation before and many after it, and the other way round.
class QueueFanTest : public DeviceTestWith<uint64_t> {
 protected:
  OrderLog log_;
};

TEST_P(QueueFanTest, OneSignalReleasesMany) {
  const Semaphore start = CreateSemaphore();
  std::vector<Semaphore> ends;
  for (uint64_t i = 1; i <= GetParam(); ++i) {
    ends.push_back(CreateSemaphore());
    ASSERT_OK(log_.Submit(device(), {{start, 1}}, {{ends.back(), 1}}, i, device().Queue(i)));
  }
  ASSERT_OK(log_.Submit(device(), kNoWaits, {{start, 1}}, 0));
  for (const Semaphore& end : ends) ASSERT_OK(end.Wait(1));
  EXPECT_EQ(log_.ids().front(), 0u);
  EXPECT_THAT(log_.ids(), testing::UnorderedElementsAreArray(Counting(0, GetParam() + 1)));
}

TEST_P(QueueFanTest, OneWaitsForMany) {
  std::vector<Semaphore> starts;
  Points waits;
  for (uint64_t i = 1; i <= GetParam(); ++i) {
    starts.push_back(CreateSemaphore());
    waits.Add(starts.back(), 1);
  }
  const Semaphore end = CreateSemaphore();
  ASSERT_OK(log_.Submit(device(), waits, {{end, 1}}, 0));
  for (uint64_t i = 1; i <= GetParam(); ++i) {
    ASSERT_OK(log_.Submit(device(), kNoWaits, {{starts[i - 1], 1}}, i, device().Queue(i)));
  }
  ASSERT_OK(end.Wait(1));
  EXPECT_EQ(log_.ids().back(), 0u);
  EXPECT_THAT(log_.ids(), testing::UnorderedElementsAreArray(Counting(0, GetParam() + 1)));
}

INSTANTIATE_TEST_SUITE_P(Widths, QueueFanTest, testing::Values(1, 2, 16, 64, 500), ByNumber);

/// Thousands of operations, deferred and released.
class QueueCrowdTest : public DeviceTest {
 protected:
  /// All on one point, released at once.
  void ReleaseTogether(uint64_t count) {
    std::atomic<uint64_t> calls = 0;
    const Semaphore go = CreateSemaphore();
    Fence done;
    ASSERT_OK(hal_fence_create(0, done.out()));
    for (uint64_t i = 0; i < count; ++i) {
      const Semaphore end = CreateSemaphore();
      ASSERT_OK(device().QueueHostCall({{go, 1}}, {{end, 1}}, [&](hal_status_t status) {
        ++calls;
        return status;
      }));
      if (i % 64 == 0) {
        ASSERT_OK(done.Insert(end, 1));
      }
    }
    EXPECT_EQ(calls, 0u);
    ASSERT_OK(go.Signal(1));
    EXPECT_OK(done.Wait());
    ExpectAllCallbacksCalled();
    EXPECT_EQ(calls, count);
  }

  /// Each on its own value of one semaphore, released in a few steps.
  void ReleaseInSteps(uint64_t count) {
    std::atomic<uint64_t> calls = 0;
    std::atomic<uint64_t> too_early = 0;
    const Semaphore go = CreateSemaphore();
    for (uint64_t value = count; value >= 1; --value) {
      ASSERT_OK(device().QueueHostCall({{go, value}}, kNoSignals, [&, value](hal_status_t status) {
        if (status != HAL_STATUS_OK || go.Value() < value) ++too_early;
        ++calls;
        return status;
      }));
    }
    for (uint64_t value = count / 10; value < count; value += count / 10) ASSERT_OK(go.Signal(value));
    ASSERT_OK(go.Signal(count));
    ExpectAllCallbacksCalled();
    EXPECT_EQ(calls, count);
    EXPECT_EQ(too_early, 0u);
  }

  /// Each releases the next through a semaphore of its own, to which only the operations hold references.
  void ReleaseChain(uint64_t count, hal_status_t outcome) {
    const Semaphore go = CreateSemaphore();
    Semaphore previous = go;
    for (uint64_t i = 0; i < count; ++i) {
      const Semaphore next = CreateSemaphore();
      ASSERT_OK(Barrier({{previous, 1}}, {{next, 1}}));
      previous = next;
    }
    EXPECT_EQ(previous.Value(), 0u);
    ASSERT_OK(outcome == HAL_STATUS_OK ? go.Signal(1) : go.Fail(outcome));
    EXPECT_STATUS(outcome, previous.Wait(1));
  }
};

TEST_F(QueueCrowdTest, ThousandReleasedTogether) { ReleaseTogether(1000); }
TEST_F(QueueCrowdTest, TenThousandReleasedTogether) { ReleaseTogether(10'000); }
TEST_F(QueueCrowdTest, HundredThousandReleasedTogetherSlow) { ReleaseTogether(100'000); }
TEST_F(QueueCrowdTest, ThousandReleasedInSteps) { ReleaseInSteps(1000); }
TEST_F(QueueCrowdTest, TenThousandReleasedInSteps) { ReleaseInSteps(10'000); }
TEST_F(QueueCrowdTest, HundredThousandReleasedInStepsSlow) { ReleaseInSteps(100'000); }
// Chains this long end the stack of an implementation that recurses.
TEST_F(QueueCrowdTest, ChainOfTenThousand) { ReleaseChain(10'000, HAL_STATUS_OK); }
TEST_F(QueueCrowdTest, ChainOfAHundredThousandSlow) { ReleaseChain(100'000, HAL_STATUS_OK); }
TEST_F(QueueCrowdTest, FailureRunsDownAChainOfTenThousand) { ReleaseChain(10'000, HAL_STATUS_DATA_LOSS); }
TEST_F(QueueCrowdTest, FailureRunsDownAChainOfAHundredThousandSlow) { ReleaseChain(100'000, HAL_STATUS_DATA_LOSS); }

TEST_F(QueueCrowdTest, CancellationRunsDownAChainOfTenThousand) {
  Semaphore first = CreateSemaphore();
  Semaphore previous = first;
  for (int i = 0; i < 10'000; ++i) {
    const Semaphore next = CreateSemaphore();
    ASSERT_OK(Barrier({{previous, 1}}, {{next, 1}}));
    previous = next;
  }
  first.reset();
  EXPECT_STATUS(HAL_STATUS_CANCELLED, previous.Wait(1));
}

TEST_F(QueueCrowdTest, ChainOnOneTimelineSubmittedBackwards) {
  constexpr uint64_t kLength = 10'000;
  const Semaphore timeline = CreateSemaphore();
  for (uint64_t i = kLength; i >= 1; --i) ASSERT_OK(Barrier({{timeline, i}}, {{timeline, i + 1}}));
  ASSERT_OK(timeline.Signal(1));
  EXPECT_OK(timeline.Wait(kLength + 1));
}

}  // namespace
}  // namespace halyard::cts
