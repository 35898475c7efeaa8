// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Frames that an application and Halyard take turns in, on one timeline of Halyard's: each knows of the other's work
// from Vulkan's timelines alone, often before the library has noticed its end.
#include <memory>
#include <string>

#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::Counter;
using cts::Device;
using cts::Driver;
using cts::kNoWaits;
using cts::Points;
using cts::Semaphore;

constexpr uint64_t kFrames = 1000;

/// A device of the driver's own, or one that the application has opened.
class InteropOrderTest : public testing::TestWithParam<bool> {
 protected:
  InteropOrderTest() {
    if (GetParam()) {
      own_ = std::make_unique<NativeDevice>();
      Driver driver;
      cts::Check(hal_registry_open_driver(hal_registry_default(), cts::View("vulkan"), driver.out()),
                 "open the driver");
      const hal_vulkan_device_t told = own_->told();
      const auto release = [](void* counter) { static_cast<Counter*>(counter)->Add(); };
      cts::Check(hal_driver_wrap_device(driver, cts::View(HAL_VULKAN_INTEROP_INTERFACE), &told, 0, nullptr, release,
                                        &released_, device_.out()),
                 "hal_driver_wrap_device");
    } else {
      device_ = OpenVulkan("?queues=2");
      own_ = std::make_unique<NativeDevice>(device_);
    }
    interop_ = &InteropOf(device_);
    to_application_ = own_->MakeTimeline();
    to_halyard_ = own_->MakeTimeline();
    order_ = device_.CreateSemaphore();
    buffer_ = device_.CreateBuffer(1 << 16);
  }
  ~InteropOrderTest() override {
    buffer_ = {};
    order_ = {};
    if (!GetParam()) own_ = nullptr;
    device_ = {};
    if (GetParam()) {
      EXPECT_TRUE(released_.WaitFor(1));
    }
  }

  /// Halyard's part of a frame, which the application then knows to have ended.
  void Work(uint64_t frame, const Points& waits) const {
    const Points done = {{order_, 2 * frame + 1}};
    ASSERT_OK(device_.QueueFill(waits, done, buffer_, static_cast<uint32_t>(frame)));
    ASSERT_OK(interop_->export_timeline(device_, done, Number(to_application_), frame + 1));
    own_->Await(to_application_, frame + 1);
  }
  /// The application's part, from the host: done when it returns.
  void AnswerNow(uint64_t frame) const {
    const auto signal_semaphore = reinterpret_cast<PFN_vkSignalSemaphore>(
        own_->instance_vk().GetDeviceProcAddr(own_->handle(), "vkSignalSemaphore"));
    VkSemaphoreSignalInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
    info.semaphore = to_halyard_;
    info.value = frame + 1;
    CheckVk(signal_semaphore(own_->handle(), &info), "vkSignalSemaphore");
  }
  /// By a submission.
  void Answer(uint64_t frame) const {
    cts::Check(interop_->lock_queue(device_, 0), "lock_queue");
    own_->Submit(to_halyard_, frame + 1);
    cts::Check(interop_->unlock_queue(device_, 0), "unlock_queue");
  }
  void Import(uint64_t frame) const {
    ASSERT_OK(interop_->import_timeline(device_, Number(to_halyard_), frame + 1, Points{{order_, 2 * frame + 2}}));
  }

  Counter released_;
  Device device_;
  std::unique_ptr<NativeDevice> own_;
  const hal_vulkan_interop_interface_t* interop_ = nullptr;
  VkSemaphore to_application_ = VK_NULL_HANDLE;
  VkSemaphore to_halyard_ = VK_NULL_HANDLE;
  Semaphore order_;
  Buffer buffer_;
};

TEST_P(InteropOrderTest, AnAnsweredFrameIsSignalledAfterItsWork) {
  for (uint64_t frame = 0; frame < kFrames; ++frame) {
    Work(frame, kNoWaits);
    AnswerNow(frame);
    Import(frame);
  }
  EXPECT_OK(order_.Wait(2 * kFrames)) << hal_last_error_message();
}

// A thread of the driver then finds the value.
TEST_P(InteropOrderTest, AnAwaitedFrameIsSignalledAfterItsWork) {
  for (uint64_t frame = 0; frame < kFrames; ++frame) {
    Import(frame);
    Work(frame, frame == 0 ? kNoWaits : Points{{order_, 2 * frame}});
    Answer(frame);
  }
  EXPECT_OK(order_.Wait(2 * kFrames)) << hal_last_error_message();
}

TEST_P(InteropOrderTest, AHostThreadsSignalComesAfterTheWorkThatItSaw) {
  for (uint64_t frame = 0; frame < kFrames; ++frame) {
    Work(frame, kNoWaits);
    ASSERT_OK(order_.Signal(2 * frame + 2));
  }
  EXPECT_OK(order_.Wait(2 * kFrames)) << hal_last_error_message();
}

// The application's answer is another timeline's, and the next work runs on another queue, of which the library may
// hear first.
TEST_P(InteropOrderTest, AnswersOfAnotherTimelineKeepTheOrderToo) {
  const Semaphore answers = device_.CreateSemaphore();
  for (uint64_t frame = 0; frame < kFrames; ++frame) {
    const Points done = {{order_, frame + 1}};
    ASSERT_OK(device_.QueueFill({{answers, frame}}, done, buffer_, static_cast<uint32_t>(frame), device_.Queue(frame)));
    ASSERT_OK(interop_->export_timeline(device_, done, Number(to_application_), frame + 1));
    own_->Await(to_application_, frame + 1);
    if (frame % 2 == 0) {
      AnswerNow(frame);
      ASSERT_OK(interop_->import_timeline(device_, Number(to_halyard_), frame + 1, Points{{answers, frame + 1}}));
    } else {
      ASSERT_OK(answers.Signal(frame + 1));
    }
  }
  EXPECT_OK(order_.Wait(kFrames)) << hal_last_error_message();
}

// The application saw the end of a frame, so the next one needs no wait, on whichever queue it runs.
TEST_P(InteropOrderTest, WorkThatTheApplicationSawEndIsSignalledFirst) {
  for (uint64_t frame = 0; frame < kFrames; ++frame) {
    const Points done = {{order_, frame + 1}};
    ASSERT_OK(device_.QueueFill(kNoWaits, done, buffer_, static_cast<uint32_t>(frame), device_.Queue(frame)));
    ASSERT_OK(interop_->export_timeline(device_, done, Number(to_application_), frame + 1));
    own_->Await(to_application_, frame + 1);
  }
  EXPECT_OK(order_.Wait(kFrames)) << hal_last_error_message();
}

// Asked for in any order, and reached together.
TEST_P(InteropOrderTest, PointsOfOneTimelineAreSignalledInItsOrder) {
  for (const uint64_t frame : {4, 0, 3, 1, 2}) Import(frame);
  Answer(4);
  EXPECT_OK(order_.Wait(10));
}

INSTANTIATE_TEST_SUITE_P(Devices, InteropOrderTest, testing::Bool(), [](const auto& device) {
  return std::string(device.param ? "OfTheApplication" : "OfTheDriver");
});

}  // namespace
}  // namespace halyard::vulkan
