// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many threads at once, objects released while they are in use, devices closed under work, callbacks that do all of it.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/queue_operations.h"

namespace halyard::cts {
namespace {

using testing::AnyOf;
using testing::Each;

class RobustnessTest : public DeviceTest {};

TEST_F(RobustnessTest, SixteenThreadsSubmitIndependentWork) {
  constexpr size_t kThreads = 16;
  constexpr uint64_t kSteps = 50;
  OnThreads(kThreads, [&](size_t thread) {
    const Buffer buffer = CreateBuffer(256);
    const Semaphore timeline = CreateSemaphore();
    for (uint64_t i = 0; i < kSteps; ++i) {
      ASSERT_OK(device().QueueFill({{timeline, i}}, {{timeline, i + 1}}, buffer,
                                   static_cast<uint32_t>(thread * 1000 + i), device().Queue(thread)));
    }
    ASSERT_OK(timeline.Wait(kSteps));
    EXPECT_THAT(Download<uint32_t>(buffer), Each(static_cast<uint32_t>(thread * 1000 + kSteps - 1)));
  });
}

// Every thread's operations wait for and release those of the others.
TEST_F(RobustnessTest, SixteenThreadsShareOneTimeline) {
  constexpr uint64_t kThreads = 16;
  constexpr uint64_t kSteps = 50;
  std::vector<uint64_t> order;
  const Semaphore timeline = CreateSemaphore();
  OnThreads(kThreads, [&](size_t thread) {
    for (uint64_t i = 0; i < kSteps; ++i) {
      const uint64_t turn = i * kThreads + thread;
      ASSERT_OK(device().QueueHostCall({{timeline, turn}}, {{timeline, turn + 1}}, [&, turn](hal_status_t status) {
        order.push_back(turn);  // no lock: the timeline orders these
        return status;
      }));
    }
  });
  ASSERT_OK(timeline.Wait(kThreads * kSteps));
  ASSERT_EQ(order.size(), kThreads * kSteps);
  for (uint64_t turn = 0; turn < order.size(); ++turn) EXPECT_EQ(order[turn], turn);
}

TEST_F(RobustnessTest, SixteenThreadsMixEveryKindOfOperation) {
  OnThreads(16, [&](size_t thread) {
    for (size_t i = 0; i < OperationKinds().size(); ++i) {
      const OperationKind& kind = OperationKinds()[(i + thread) % OperationKinds().size()];
      const Operation operation = kind.make(device());
      const Semaphore done = CreateSemaphore();
      ASSERT_OK(operation.submit(device().Queue(thread), kNoWaits, Points({{done, 1}}))) << kind.name;
      ASSERT_OK(done.Wait(1)) << kind.name;
      if (operation.is_done) {
        EXPECT_TRUE(operation.is_done()) << kind.name;
      }
    }
  });
}

TEST_F(RobustnessTest, ThreadsExecuteOneRecordingAtOnce) {
  const CommandBuffer commands =
      device().Record([](const CommandBuffer& c) { Check(c.Fill(Slot(0), uint32_t{42}), "fill"); }, 0, 1);
  OnThreads(8, [&](size_t) {
    for (int i = 0; i < 20; ++i) {
      const Buffer buffer = device().CreateBufferOf(std::vector<uint32_t>(16, 0));
      const Semaphore done = CreateSemaphore();
      ASSERT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands, {buffer}));
      ASSERT_OK(done.Wait(1));
      EXPECT_THAT(Download<uint32_t>(buffer), Each(42u));
    }
  });
}

TEST_F(RobustnessTest, ReferencesAreCountedAcrossThreads) {
  const Buffer buffer = CreateBuffer(64);
  const Semaphore semaphore = CreateSemaphore();
  const Executable kernels = LoadKernels("basic");
  OnThreads(8, [&](size_t) {
    for (int i = 0; i < 500; ++i) {
      const Buffer b = buffer;
      const Semaphore s = semaphore;
      const Executable k = kernels;
      const Device d = device();
    }
  });
  EXPECT_OK(semaphore.Signal(1));
  EXPECT_EQ(hal_buffer_length(buffer), 64u);
}

// Each thread drops its reference while the work is on its way; the last one out frees it.
TEST_F(RobustnessTest, BuffersAreReleasedWhileInUse) {
  for (int round = 0; round < 50; ++round) {
    const Semaphore go = CreateSemaphore();
    const Semaphore done = CreateSemaphore();
    auto source = std::make_shared<Buffer>(CreateBuffer(4096));
    auto target = std::make_shared<Buffer>(CreateBuffer(4096));
    ASSERT_OK(device().QueueCopy({{go, 1}}, {{done, 1}}, *source, *target));
    OnThreads(3, [&](size_t thread) {
      if (thread == 0) source->reset();
      if (thread == 1) target->reset();
      if (thread == 2) {
        EXPECT_OK(go.Signal(1));
      }
    });
    EXPECT_OK(done.Wait(1));
  }
}

TEST_F(RobustnessTest, SemaphoreIsReleasedWhileItIsSignalled) {
  for (int round = 0; round < 100; ++round) {
    auto semaphore = std::make_shared<Semaphore>(CreateSemaphore());
    const Semaphore kept = *semaphore;
    const Semaphore done = CreateSemaphore();
    ASSERT_OK(Barrier({{*semaphore, 1}}, {{done, 1}}));
    OnThreads(2, [&](size_t thread) {
      if (thread == 0) {
        semaphore->reset();
      } else {
        EXPECT_OK(kept.Signal(1));
      }
    });
    EXPECT_OK(done.Wait(1));
  }
}

// The wait's semaphore is released while another thread submits its signal.
TEST_F(RobustnessTest, SemaphoreIsReleasedRightAfterItsSignalIsSubmitted) {
  for (int round = 0; round < 100; ++round) {
    Semaphore between = CreateSemaphore();
    const Semaphore done = CreateSemaphore();
    ASSERT_OK(Barrier({{between, 1}}, {{done, 1}}));
    ASSERT_OK(Barrier(kNoWaits, {{between, 1}}));
    between.reset();
    EXPECT_OK(done.Wait(1));
  }
}

TEST_F(RobustnessTest, UnsignalledWorkIsAbandonedWithItsSemaphores) {
  std::atomic<int> cancelled = 0;
  for (int i = 0; i < 100; ++i) {
    const Semaphore never = CreateSemaphore();
    ASSERT_OK(device().QueueHostCall({{never, 1}}, kNoSignals, [&](hal_status_t status) {
      cancelled += status == HAL_STATUS_CANCELLED;
      return status;
    }));
  }
  ExpectAllCallbacksCalled();
  EXPECT_EQ(cancelled, 100);
}

// Two operations that wait for each other and hold the only references to their semaphores.
TEST_F(RobustnessTest, FailureEndsACycle) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore();
  ASSERT_OK(Barrier({{first, 1}}, {{second, 1}}));
  ASSERT_OK(Barrier({{second, 1}}, {{first, 1}}));
  ASSERT_OK(first.Fail(HAL_STATUS_ABORTED));
  EXPECT_STATUS(HAL_STATUS_ABORTED, second.Wait(1));
}

/// A device that is closed while work of some kind is under way on it.
class TeardownTest : public DeviceTestWith<OperationKind> {};

TEST_P(TeardownTest, WorkInFlightIsFinished) {
  Device doomed = OpenDevice(options().device);
  std::vector<Operation> operations;
  for (int i = 0; i < 20; ++i) operations.push_back(GetParam().make(doomed));
  const Semaphore timeline = CreateSemaphore();  // of the device that stays
  for (uint64_t i = 0; i < operations.size(); ++i) {
    const Points waits = {{timeline, i}};
    const Points signals = {{timeline, i + 1}};
    ASSERT_OK(operations[i].submit(HAL_QUEUE_ANY, waits, signals));
  }
  operations.clear();
  doomed.reset();
  EXPECT_OK(timeline.Wait(20));
}

TEST_P(TeardownTest, DeferredWorkKeepsItsDevice) {
  Device doomed = OpenDevice(options().device);
  Operation operation = GetParam().make(doomed);
  const Semaphore go = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(operation.submit(HAL_QUEUE_ANY, Points({{go, 1}}), Points({{done, 1}})));
  operation = {};
  doomed.reset();
  EXPECT_EQ(done.Value(), 0u);
  ASSERT_OK(go.Signal(1));
  EXPECT_OK(done.Wait(1));
}

TEST_P(TeardownTest, AbandonedWorkIsCancelledWithItsDevice) {
  Device doomed = OpenDevice(options().device);
  Operation operation = GetParam().make(doomed);
  const Semaphore done = CreateSemaphore();
  {
    const Semaphore never = doomed.CreateSemaphore();
    ASSERT_OK(operation.submit(HAL_QUEUE_ANY, Points({{never, 1}}), Points({{done, 1}})));
    operation = {};
    doomed.reset();
  }
  EXPECT_STATUS(HAL_STATUS_CANCELLED, done.Wait(1));
}

INSTANTIATE_TEST_SUITE_P(Operations, TeardownTest, testing::ValuesIn(OperationKinds()), ByName);

TEST_F(RobustnessTest, DeviceIsClosedFromItsOwnCallback) {
  auto doomed = std::make_shared<Device>(OpenDevice(options().device));
  const Semaphore done = CreateSemaphore();
  const Device& device_of_call = *doomed;
  ASSERT_OK(device_of_call.QueueHostCall(kNoWaits, {{done, 1}}, [doomed](hal_status_t status) {
    doomed->reset();  // perhaps the last reference; the call itself still runs on it
    return status;
  }));
  doomed.reset();
  EXPECT_OK(done.Wait(1));
}

TEST_F(RobustnessTest, DevicesAreOpenedAndClosedUnderWorkFromManyThreads) {
  OnThreads(4, [&](size_t) {
    for (int round = 0; round < 5; ++round) {
      const Semaphore done = CreateSemaphore();
      {
        const Device other = OpenDevice(options().device);
        const Buffer buffer = other.CreateBuffer(1024);
        ASSERT_OK(other.QueueFill(kNoWaits, {{done, 1}}, buffer, uint32_t{1}));
      }
      EXPECT_OK(done.Wait(1));
    }
  });
}

/// Callbacks of all kinds that call back into everything.
class ReentrancyTest : public DeviceTest {
 protected:
  /// Uses a good part of the API without blocking.
  void UseEverything() const {
    const Buffer buffer = CreateBuffer(256, Mappable());
    Upload(buffer, std::vector<uint32_t>(64, 5));
    const CommandBuffer commands =
        device().Record([&](const CommandBuffer& c) { EXPECT_OK(c.Fill(buffer, uint32_t{6})); });
    const Semaphore semaphore = CreateSemaphore();
    hal_timepoint_t timepoint = {};
    EXPECT_OK(semaphore.Notify(
        1, [](hal_status_t status, const std::string&) { EXPECT_STATUS(HAL_STATUS_CANCELLED, status); }, &timepoint));
    EXPECT_OK(semaphore.Cancel(timepoint));
    EXPECT_OK(device().QueueExecute({{semaphore, 1}}, {{semaphore, 2}}, commands));
    EXPECT_OK(device().QueueHostCall({{semaphore, 2}}, kNoSignals, [](hal_status_t status) { return status; }));
    EXPECT_OK(semaphore.Signal(1));
    const Fence fence({{semaphore, 2}});
    EXPECT_THAT(fence.Query(), AnyOf(HAL_STATUS_OK, HAL_STATUS_DEADLINE_EXCEEDED));
    hal_allocator_statistics_t statistics = HAL_INIT(hal_allocator_statistics_t);
    EXPECT_OK(hal_allocator_query_statistics(device().allocator(), &statistics));
    EXPECT_EQ(hal_semaphore_signal(nullptr, 1), HAL_STATUS_INVALID_ARGUMENT);
  }
};

TEST_F(ReentrancyTest, FromAHostCall) {
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueHostCall(kNoWaits, {{done, 1}}, [&](hal_status_t status) {
    UseEverything();
    return status;
  }));
  EXPECT_OK(done.Wait(1));
}

TEST_F(ReentrancyTest, FromAHostCallWithAFailedWait) {
  const Semaphore bad = CreateSemaphore();
  ASSERT_OK(device().QueueHostCall({{bad, 1}}, kNoSignals, [&](hal_status_t status) {
    UseEverything();
    return status;
  }));
  ASSERT_OK(bad.Fail(HAL_STATUS_ABORTED));
  ExpectAllCallbacksCalled();
}

TEST_F(ReentrancyTest, FromATimepointOfTheHost) {
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(semaphore.Notify(1, [&](hal_status_t, const std::string&) { UseEverything(); }));
  ASSERT_OK(semaphore.Signal(1));
}

TEST_F(ReentrancyTest, FromATimepointOfTheDevice) {
  Counter calls;
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(semaphore.Notify(1, [&](hal_status_t, const std::string&) {
    UseEverything();
    calls.Add();
  }));
  ASSERT_OK(Barrier(kNoWaits, {{semaphore, 1}}));
  EXPECT_TRUE(calls.WaitFor(1));
}

TEST_F(ReentrancyTest, FromATimepointThatFails) {
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(semaphore.Notify(1, [&](hal_status_t, const std::string&) { UseEverything(); }));
  ASSERT_OK(semaphore.Fail(HAL_STATUS_ABORTED));
}

TEST_F(ReentrancyTest, FromATimepointThatIsCancelled) {
  const Semaphore semaphore = CreateSemaphore();
  hal_timepoint_t timepoint = {};
  ASSERT_OK(semaphore.Notify(
      1, [&](hal_status_t, const std::string&) { UseEverything(); }, &timepoint));
  ASSERT_OK(semaphore.Cancel(timepoint));
}

TEST_F(ReentrancyTest, FromATimepointWhoseSemaphoreIsDestroyed) {
  Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(semaphore.Notify(1, [&](hal_status_t, const std::string&) { UseEverything(); }));
  semaphore.reset();
}

TEST_F(ReentrancyTest, FromTheReleaseOfAnImportedBuffer) {
  alignas(4096) static unsigned char memory[4096];
  void* callback = AddCallback([&](hal_status_t, const std::string&) {
    UseEverything();
    return HAL_STATUS_OK;
  });
  hal_external_memory_t external = HAL_INIT(hal_external_memory_t);
  external.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  external.handle = reinterpret_cast<uintptr_t>(memory);
  external.length = sizeof(memory);
  const hal_buffer_params_t params = Mappable();
  Buffer buffer;
  ASSERT_OK(hal_allocator_import(device().allocator(), &params, &external, CallRelease, callback, buffer.out()));
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueFill(kNoWaits, {{done, 1}}, buffer, uint32_t{1}));
  buffer.reset();
  EXPECT_OK(done.Wait(1));
}

TEST_F(ReentrancyTest, FromTheReleaseOfAFile) {
  static uint32_t memory[16];
  void* callback = AddCallback([&](hal_status_t, const std::string&) {
    UseEverything();
    return HAL_STATUS_OK;
  });
  File file;
  ASSERT_OK(hal_file_from_memory(memory, sizeof(memory), HAL_FILE_ACCESS_READ, CallRelease, callback, file.out()));
  const Buffer buffer = CreateBuffer(sizeof(memory));
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueRead(kNoWaits, {{done, 1}}, file, 0, buffer));
  file.reset();
  EXPECT_OK(done.Wait(1));
}

}  // namespace
}  // namespace halyard::cts
