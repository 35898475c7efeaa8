// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/simulated_test.h"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace halyard::fault_injection {
namespace {

constexpr uint64_t kPatience = 10'000'000'000;  // nanoseconds

}  // namespace

void SimulatedTest::ExpectWorks(const cts::Device& device, uint32_t word) {
  const auto buffer = device.CreateBufferOf(std::vector<uint32_t>(64, 0), cts::Mappable());
  const auto done = device.CreateSemaphore();
  ASSERT_EQ(device.QueueFill<uint32_t>(cts::kNoWaits, {{done, 1}}, buffer, word), HAL_STATUS_OK);
  ASSERT_EQ(done.Wait(1), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(device.Download<uint32_t>(buffer), std::vector<uint32_t>(64, word));
}

void SimulatedTest::SetUp() {
  cts::kForever = kPatience * cts::kTimeScale;
  Simulator().Reset();
  objects_before_ = Simulator().Objects();
}

// The last work may end on threads of the library.
void SimulatedTest::TearDown() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(cts::kForever);
  while (!leaves_objects_ && Simulator().Objects() != objects_before_ && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  if (leaves_objects_) {
    EXPECT_GT(Simulator().Objects(), objects_before_);
  } else {
    EXPECT_EQ(Simulator().Objects(), objects_before_);
  }
  std::string reports(Simulator().Report(nullptr, 0), '\0');
  Simulator().Report(reports.data(), reports.size());
  EXPECT_EQ(reports, std::string(1, '\0'));
  Simulator().Reset();
}

}  // namespace halyard::fault_injection
