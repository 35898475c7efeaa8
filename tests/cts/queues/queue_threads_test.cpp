// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many threads that submit whatever there is, each along a timeline of its own and now and then after another's. Each
// thread computes one number on the device and the same on the host.
#include <array>
#include <atomic>
#include <memory>
#include <ostream>
#include <vector>

#include "cts/cts.h"

namespace halyard::cts {
namespace {

struct ThreadsCase {
  const char* name;
  size_t threads;
  uint64_t submissions;  ///< of each thread, at least
};
void PrintTo(const ThreadsCase& threads, std::ostream* out) { *out << threads.name; }

const ThreadsCase kThreadsCases[] = {
    {"TwoOf100", 2, 100},
    {"SixteenOf100", 16, 100},
    {"SixteenOf10000Slow", 16, 10'000},
};

/// What all threads may look at: each timeline, and how far it was submitted.
struct Timeline {
  Semaphore semaphore;
  std::atomic<uint64_t> submitted{0};
};
using Timelines = std::vector<std::unique_ptr<Timeline>>;

/// One thread's submissions: each comes after the one before.
class Submitter {
 public:
  Submitter(const Device& device, const Executable& kernels, Timelines& timelines, size_t number, uint64_t seed)
      : device_(device), kernels_(kernels), timelines_(timelines), own_(*timelines[number]), random_(seed) {
    cell_ = device.CreateBufferOf(std::vector<uint32_t>{0});
    increment_ = device.Record([&](const CommandBuffer& commands) {
      Check(commands.Dispatch(kernels_, "add_one", Dispatch().WorkItems(1).Bind(Ref(cell_))), "dispatch");
    });
  }

  void Run(uint64_t submissions) {
    while (value_ < submissions) {
      ASSERT_OK(SubmitOne());
      own_.submitted.store(value_, std::memory_order_release);
      if (random_() % 64 == 0) {
        ASSERT_OK(own_.semaphore.Wait(value_ - random_() % std::min<uint64_t>(value_, 16)));
      }
    }
    ASSERT_OK(own_.semaphore.Wait(value_));
    EXPECT_EQ(device_.Download<uint32_t>(cell_), std::vector<uint32_t>{model_});
    EXPECT_EQ(host_calls_, expected_host_calls_);
  }

 private:
  static constexpr unsigned kKinds = 8;

  hal_queue_mask_t Queue() { return device_.Queue(random_()); }
  /// The points of the next submission. Numbers are taken here, so a submission that fails ends the test.
  Points After() const { return Points{{own_.semaphore, value_}}; }
  Points Next() { return Points{{own_.semaphore, ++value_}}; }

  hal_status_t SubmitOne() {
    const Points after = After();
    const auto number = static_cast<uint32_t>(random_());
    switch (random_() % kKinds) {
      case 0:
        model_ = number;
        return device_.QueueFill(after, Next(), Ref(cell_), number, Queue());
      case 1:
        model_ = number;
        return device_.QueueUpdate(after, Next(), &number, Ref(cell_), Queue());
      case 2:
        ++model_;
        return device_.QueueDispatch(after, Next(), kernels_, "add_one", Dispatch().WorkItems(1).Bind(Ref(cell_)),
                                     Queue());
      case 3:
        ++model_;
        return device_.QueueExecute(after, Next(), increment_, {}, Queue());
      case 4:
        return SubmitByTransientMemory();
      case 5:
        return JoinAnother(after);
      case 6:
        ++expected_host_calls_;
        return device_.QueueHostCall(
            after, Next(),
            [this](hal_status_t status) {
              ++host_calls_;  // no lock: the timeline alone orders these
              return status;
            },
            Queue());
      default:
        return device_.QueueBarrier(after, Next(), Queue());
    }
  }

  /// The number travels via memory that lives for three operations.
  hal_status_t SubmitByTransientMemory() {
    constexpr std::array<uint64_t, 3> kLengths = {4, 4096, 1 << 20};
    Buffer transient;
    const std::array<Points, 5> steps = {After(), Next(), Next(), Next(), Next()};
    const Points end = Next();
    ++model_;
    hal_status_t status = device_.QueueAlloca(steps[0], steps[1], kLengths[random_() % kLengths.size()], &transient,
                                              DeviceLocal(), Queue());
    if (status != HAL_STATUS_OK) return status;
    const Ref front(transient, 0, 4);
    status = device_.QueueCopy(steps[1], steps[2], Ref(cell_), front, Queue());
    if (status != HAL_STATUS_OK) return status;
    status =
        device_.QueueDispatch(steps[2], steps[3], kernels_, "add_one", Dispatch().WorkItems(1).Bind(front), Queue());
    if (status != HAL_STATUS_OK) return status;
    status = device_.QueueCopy(steps[3], steps[4], front, Ref(cell_), Queue());
    if (status != HAL_STATUS_OK) return status;
    return device_.QueueDealloca(steps[4], end, transient, Queue());
  }

  hal_status_t JoinAnother(Points after) {
    const Timeline& other = *timelines_[random_() % timelines_.size()];
    after.Add(other.semaphore, other.submitted.load(std::memory_order_acquire));
    return device_.QueueBarrier(after, Next(), Queue());
  }

  const Device& device_;
  const Executable& kernels_;
  Timelines& timelines_;
  Timeline& own_;
  std::mt19937_64 random_;
  Buffer cell_;
  CommandBuffer increment_;
  uint64_t value_ = 0;  // of the last submission
  uint32_t model_ = 0;  // what the cell holds then
  uint64_t host_calls_ = 0;
  uint64_t expected_host_calls_ = 0;
};

class QueueThreadsTest : public DeviceTestWith<ThreadsCase> {};

TEST_P(QueueThreadsTest, MixedSubmissionsAreRightAndLeaveNothing) {
  const auto [name, threads, submissions] = GetParam();
  SeededRandom random;
  const Executable kernels = LoadKernels("basic");
  hal_allocator_statistics_t before = HAL_INIT(hal_allocator_statistics_t);
  hal_allocator_statistics_t after = HAL_INIT(hal_allocator_statistics_t);
  ASSERT_OK(hal_allocator_query_statistics(device().allocator(), &before));
  Timelines timelines;
  std::vector<uint64_t> seeds;
  for (size_t i = 0; i < threads; ++i) {
    timelines.push_back(std::make_unique<Timeline>());
    timelines.back()->semaphore = CreateSemaphore();
    seeds.push_back(random.Below(UINT64_MAX));
  }
  OnThreads(threads, [&, count = submissions](size_t thread) {
    Submitter(device(), kernels, timelines, thread, seeds[thread]).Run(count);
  });
  ASSERT_OK(hal_allocator_query_statistics(device().allocator(), &after));
  EXPECT_LE(after.bytes_in_use, before.bytes_in_use);  // what earlier tests left may go meanwhile
  EXPECT_LE(after.allocation_count, before.allocation_count);
  EXPECT_OK(hal_device_query_health(device()));
}

INSTANTIATE_TEST_SUITE_P(Threads, QueueThreadsTest, testing::ValuesIn(kThreadsCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace halyard::cts
