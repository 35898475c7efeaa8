// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles and timelines of halyard.vulkan.interop.
#include <unistd.h>

#include <thread>
#include <vector>

#include "halyard/fault_injection.h"
#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::Device;
using cts::kNoWaits;
using cts::Points;
using cts::Semaphore;
using testing::Each;
using testing::HasSubstr;

class InteropTest : public testing::Test {
 protected:
  hal_status_t Import(VkSemaphore timeline, uint64_t value, const Points& signals) const {
    return interop_.import_timeline(device_, Number(timeline), value, signals);
  }
  hal_status_t Export(const Points& waits, VkSemaphore timeline, uint64_t value) const {
    return interop_.export_timeline(device_, waits, Number(timeline), value);
  }
  /// Sets a timeline as the application does.
  void Set(VkSemaphore timeline, uint64_t value) const {
    cts::Check(interop_.lock_queue(device_, 0), "lock_queue");
    native_.Submit(timeline, value);
    cts::Check(interop_.unlock_queue(device_, 0), "unlock_queue");
  }

  const Device device_ = OpenVulkan();
  const hal_vulkan_interop_interface_t& interop_ = InteropOf(device_);
  NativeDevice native_{device_};
};

TEST_F(InteropTest, GivesTheDevice) {
  const hal_vulkan_device_t told = native_.told();
  EXPECT_NE(told.get_instance_proc_addr, nullptr);
  EXPECT_NE(told.instance, nullptr);
  EXPECT_NE(told.physical_device, nullptr);
  EXPECT_NE(told.device, nullptr);
  EXPECT_NE(told.queues, 0u);
  EXPECT_GE(told.api_version, VK_API_VERSION_1_3);
  EXPECT_EQ(told.struct_size, sizeof(told));
}

TEST_F(InteropTest, GivesTheQueues) {
  const Device device = OpenVulkan("?queues=2");
  const NativeDevice native(device);
  for (uint32_t i = 0; i < 2; ++i) {
    hal_vulkan_queue_t queue = HAL_INIT(hal_vulkan_queue_t);
    ASSERT_OK(InteropOf(device).queue(device, i, &queue));
    VkQueue expected = VK_NULL_HANDLE;
    native.vk().GetDeviceQueue(native.handle(), queue.family, queue.index, &expected);
    EXPECT_EQ(queue.queue, expected);
    EXPECT_EQ(queue.family, native.told().queue_family);
    EXPECT_NE(native.told().queues >> queue.index & 1, 0u);
  }
  hal_vulkan_queue_t queue = HAL_INIT(hal_vulkan_queue_t);
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, InteropOf(device).queue(device, 2, &queue));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("queue: queue 2; the device has 2"));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, InteropOf(device).lock_queue(device, 2));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, InteropOf(device).unlock_queue(device, 2));
}

TEST_F(InteropTest, TheApplicationUsesTheQueueUnderItsLock) {
  constexpr uint64_t kRounds = 100;
  const VkSemaphore timeline = native_.MakeTimeline();
  const Buffer buffer = device_.CreateBuffer(64);
  const Semaphore done = device_.CreateSemaphore();
  std::thread application([&] {
    for (uint64_t i = 1; i <= kRounds; ++i) Set(timeline, i);
  });
  for (uint64_t i = 1; i <= kRounds; ++i) {
    EXPECT_OK(device_.QueueFill({{done, i - 1}}, {{done, i}}, buffer, static_cast<uint32_t>(i)));
  }
  application.join();
  ASSERT_OK(done.Wait(kRounds));
  native_.Await(timeline, kRounds);
  EXPECT_THAT(device_.Download<uint32_t>(buffer), Each(kRounds));
}

TEST_F(InteropTest, RefusesWhatIsMissing) {
  const Semaphore semaphore = device_.CreateSemaphore();
  const VkSemaphore timeline = native_.MakeTimeline();
  const hal_timeline_point_t nothing = {nullptr, 1};
  hal_vulkan_device_t told = HAL_INIT(hal_vulkan_device_t);
  hal_vulkan_queue_t queue = HAL_INIT(hal_vulkan_queue_t);
  const auto refused = [](hal_status_t status) {
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, status);
    EXPECT_STRNE(hal_last_error_message(), "");
  };
  refused(interop_.device(nullptr, &told));
  refused(interop_.device(device_, nullptr));
  refused(interop_.queue(device_, 0, nullptr));
  refused(interop_.lock_queue(nullptr, 0));
  refused(interop_.export_buffer(nullptr, nullptr));
  refused(interop_.export_memory(nullptr, HAL_VULKAN_EXTERNAL_MEMORY_TYPE_OPAQUE_FD, nullptr));
  refused(Import(VK_NULL_HANDLE, 1, {{semaphore, 1}}));
  refused(Import(timeline, 1, {{semaphore, 0}}));
  refused(Import(timeline, 1, {nothing}));
  refused(interop_.import_timeline(device_, Number(timeline), 1, {nullptr, 1}));
  refused(Export({}, VK_NULL_HANDLE, 1));
  refused(Export({nothing}, timeline, 1));
  refused(interop_.create_timeline(device_, 0, nullptr));
  refused(interop_.import_timeline_fd(device_, 0, nullptr));
  refused(interop_.export_timeline_fd(device_, Number(timeline), nullptr));
  told.struct_size = queue.struct_size = 8;
  refused(interop_.device(device_, &told));
  refused(interop_.queue(device_, 0, &queue));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("out_queue->struct_size is 8"));
}

TEST_F(InteropTest, RefusesADeviceOfAnotherDriver) {
  const Device other = cts::OpenDevice("null");
  hal_vulkan_device_t told = HAL_INIT(hal_vulkan_device_t);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, interop_.device(other, &told));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("not the vulkan driver's"));
}

// --- Timelines -------------------------------------------------------------------------------------------------------

TEST_F(InteropTest, ASemaphoreFollowsATimeline) {
  const VkSemaphore timeline = native_.MakeTimeline();
  const Semaphore reached = device_.CreateSemaphore();
  const Buffer buffer = device_.CreateBuffer(64);
  ASSERT_OK(Import(timeline, 5, {{reached, 3}}));
  ASSERT_OK(device_.QueueFill({{reached, 3}}, {{reached, 4}}, buffer, uint32_t{7}));
  Set(timeline, 4);
  native_.Await(timeline, 4);
  EXPECT_EQ(reached.Value(), 0u);
  Set(timeline, 5);
  ASSERT_OK(reached.Wait(4));
  EXPECT_THAT(device_.Download<uint32_t>(buffer), Each(7u));
}

TEST_F(InteropTest, ATimelinePastItsValueSignalsAtOnce) {
  const VkSemaphore timeline = native_.MakeTimeline(9);
  for (const uint64_t value : {0, 1, 9}) {
    const Semaphore reached = device_.CreateSemaphore();
    ASSERT_OK(Import(timeline, value, {{reached, 1}}));
    EXPECT_EQ(reached.Value(), 1u);
  }
}

TEST_F(InteropTest, ATimelineSignalsSemaphoresOfSeveralDevices) {
  const Device other = cts::OpenDevice("local://task");
  const VkSemaphore timeline = native_.MakeTimeline();
  const Semaphore first = device_.CreateSemaphore();
  const Semaphore second = other.CreateSemaphore();
  ASSERT_OK(Import(timeline, 1, {{first, 1}, {second, 2}}));
  Set(timeline, 1);
  EXPECT_OK(first.Wait(1));
  EXPECT_OK(second.Wait(2));
}

TEST_F(InteropTest, ValuesOfOneTimelineAreWatchedInAnyOrder) {
  constexpr uint64_t kValues = 20;
  const VkSemaphore timeline = native_.MakeTimeline();
  std::vector<Semaphore> reached;
  for (uint64_t i = 0; i < kValues; ++i) {
    reached.push_back(device_.CreateSemaphore());
    const uint64_t value = kValues - i;
    ASSERT_OK(Import(timeline, value, {{reached.back(), 1}}));
  }
  for (uint64_t value = 1; value <= kValues; ++value) {
    Set(timeline, value);
    EXPECT_OK(reached[kValues - value].Wait(1));
  }
}

TEST_F(InteropTest, ManyTimelinesAreWatchedAtOnce) {
  constexpr size_t kThreads = 8;
  std::vector<VkSemaphore> timelines;
  for (size_t i = 0; i < kThreads; ++i) timelines.push_back(native_.MakeTimeline());
  cts::OnThreads(kThreads, [&](size_t index) {
    const Semaphore reached = device_.CreateSemaphore();
    for (uint64_t value = 1; value <= 20; ++value) {
      EXPECT_OK(Import(timelines[index], value, {{reached, value}}));
      Set(timelines[index], value);
      EXPECT_OK(reached.Wait(value));
    }
  });
}

TEST_F(InteropTest, ATimelineFollowsWorkOfTheDevice) {
  const VkSemaphore timeline = native_.MakeTimeline();
  const Buffer buffer = device_.CreateBuffer(1 << 20);
  const Semaphore gate = device_.CreateSemaphore();
  const Semaphore done = device_.CreateSemaphore();
  ASSERT_OK(device_.QueueFill({{gate, 1}}, {{done, 1}}, buffer, uint32_t{3}));
  ASSERT_OK(Export({{done, 1}}, timeline, 5));
  EXPECT_EQ(native_.ValueOf(timeline), 0u);
  ASSERT_OK(gate.Signal(1));
  native_.Await(timeline, 5);
  ASSERT_OK(done.Wait(1));
  EXPECT_THAT(device_.Download<uint32_t>(buffer), Each(3u));
}

TEST_F(InteropTest, ATimelineIsSetEvenIfItsWaitFails) {
  const VkSemaphore timeline = native_.MakeTimeline();
  const Semaphore gate = device_.CreateSemaphore();
  ASSERT_OK(Export({{gate, 1}}, timeline, 2));
  ASSERT_OK(gate.Fail(HAL_STATUS_CANCELLED));
  native_.Await(timeline, 2);
  EXPECT_EQ(native_.ValueOf(timeline), 2u);
}

TEST_F(InteropTest, ATimelineThatIsFurtherStaysThere) {
  const VkSemaphore timeline = native_.MakeTimeline(9);
  const VkSemaphore behind = native_.MakeTimeline();
  ASSERT_OK(Export(kNoWaits, timeline, 3));
  ASSERT_OK(Export(kNoWaits, timeline, 9));
  ASSERT_OK(Export(kNoWaits, behind, 1));
  native_.Await(behind, 1);
  EXPECT_EQ(native_.ValueOf(timeline), 9u);
}

TEST_F(InteropTest, TimelinesTakeTurnsWithSemaphores) {
  constexpr uint64_t kRounds = 50;
  const VkSemaphore there = native_.MakeTimeline();
  const Semaphore back = device_.CreateSemaphore();
  for (uint64_t i = 1; i <= kRounds; ++i) {
    ASSERT_OK(Export({{back, i - 1}}, there, i));
    ASSERT_OK(Import(there, i, {{back, i}}));
  }
  EXPECT_OK(back.Wait(kRounds));
  EXPECT_EQ(native_.ValueOf(there), kRounds);
}

TEST_F(InteropTest, AFailedSemaphoreIsNoLongerWaitedFor) {
  cts::Counter released;
  const VkSemaphore timeline = native_.MakeTimeline();
  {
    const Semaphore never = device_.CreateSemaphore();
    ASSERT_OK(Import(timeline, 1, {{never, 1}}));
    ASSERT_OK(never.Notify(2, [&](hal_status_t, const std::string&) { released.Add(); }));
    ASSERT_OK(never.Fail(HAL_STATUS_CANCELLED));
  }
  EXPECT_TRUE(released.WaitFor(1));
  // A watch that goes on would signal what is gone.
  const Semaphore reached = device_.CreateSemaphore();
  ASSERT_OK(Import(timeline, 1, {{reached, 1}}));
  Set(timeline, 1);
  EXPECT_OK(reached.Wait(1));
}

TEST_F(InteropTest, ALossFailsWhatTimelinesWereToSignal) {
  const Device other = cts::OpenDevice("local://task");
  const Semaphore semaphore = other.CreateSemaphore();
  {
    const Device device = OpenVulkan();
    NativeDevice native(device);
    const VkSemaphore timeline = native.MakeTimeline();
    ASSERT_OK(InteropOf(device).import_timeline(device, Number(timeline), 1, Points{{semaphore, 1}}));
    const void* table = nullptr;
    ASSERT_OK(hal_device_query_interface(device, cts::View(HAL_FAULT_INJECTION_INTERFACE), 1, &table));
    ASSERT_OK(
        static_cast<const hal_fault_injection_interface_t*>(table)->lose_device(device, cts::View("by the test")));
    EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, semaphore.Wait(1));
    EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, InteropOf(device).export_timeline(device, kNoWaits, Number(timeline), 1));
  }
  EXPECT_THAT(hal_last_error_message(), HasSubstr("by the test"));
}

// --- Timelines by descriptor -----------------------------------------------------------------------------------------

TEST_F(InteropTest, DescriptorsOfTimelinesJoinTwoDevices) {
  uint64_t ours = 0;
  const hal_status_t status = interop_.create_timeline(device_, 0, &ours);
  if (status == HAL_STATUS_UNIMPLEMENTED) {
    EXPECT_THAT(hal_last_error_message(), HasSubstr("create_timeline: the device lacks VK_KHR_external_semaphore_fd"));
    EXPECT_EQ(ours, 0u);
    EXPECT_STATUS(HAL_STATUS_UNIMPLEMENTED, interop_.import_timeline_fd(device_, 0, &ours));
    int32_t fd = 7;
    EXPECT_STATUS(HAL_STATUS_UNIMPLEMENTED, interop_.export_timeline_fd(device_, Number(native_.MakeTimeline()), &fd));
    EXPECT_EQ(fd, -1);
    return;
  }
  ASSERT_OK(status);
  const Device other = OpenVulkan();
  const hal_vulkan_interop_interface_t& theirs = InteropOf(other);
  int32_t fd = -1;
  uint64_t imported = 0;
  ASSERT_OK(interop_.export_timeline_fd(device_, ours, &fd));
  ASSERT_OK(theirs.import_timeline_fd(other, fd, &imported));
  close(fd);
  const Semaphore start = device_.CreateSemaphore();
  const Semaphore reached = other.CreateSemaphore();
  ASSERT_OK(theirs.import_timeline(other, imported, 1, Points{{reached, 1}}));
  ASSERT_OK(interop_.export_timeline(device_, Points{{start, 1}}, ours, 1));
  ASSERT_OK(start.Signal(1));
  EXPECT_OK(reached.Wait(1));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, theirs.import_timeline_fd(other, fd, &imported));
  EXPECT_OK(interop_.destroy_timeline(device_, ours));
}

TEST_F(InteropTest, OnlyTimelinesOfTheDriverAreDestroyed) {
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, interop_.destroy_timeline(device_, Number(native_.MakeTimeline())));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("create_timeline()"));
}

TEST_F(InteropTest, AThreadLocksAQueueOnce) {
  const Device device = OpenVulkan("?queues=2");
  const hal_vulkan_interop_interface_t& interop = InteropOf(device);
  hal_vulkan_queue_t queues[2] = {HAL_INIT(hal_vulkan_queue_t), HAL_INIT(hal_vulkan_queue_t)};
  for (uint32_t i = 0; i < 2; ++i) ASSERT_OK(interop.queue(device, i, &queues[i]));
  if (queues[0].queue != queues[1].queue) GTEST_SKIP() << "needs a device with one VkQueue; GPUs have more";
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, interop.unlock_queue(device, 0));
  EXPECT_OK(interop.lock_queue(device, 0));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, interop.lock_queue(device, 1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("lock_queue: this thread has locked that VkQueue already"));
  std::thread other([&] { EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, interop.unlock_queue(device, 0)); });
  other.join();
  EXPECT_OK(interop.unlock_queue(device, 0));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, interop.unlock_queue(device, 0));
}

}  // namespace
}  // namespace halyard::vulkan
