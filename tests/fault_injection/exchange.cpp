// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/exchange.h"

#include <gtest/gtest.h>

namespace halyard::fault_injection {

using cts::kNoWaits;
using Words = std::vector<uint32_t>;

Exchange::Exchange(const Witness& witness) : devices_{witness.Open(0), witness.Open(1)} {
  for (const cts::Device& device : devices_) times_.push_back(device.CreateSemaphore());
  for (uint64_t step = 1; step <= kSteps; ++step) {
    buffers_.push_back(devices_[(step - 1) % 2].CreateBufferOf(Words(64, 0), cts::Mappable()));
  }
  apart_ = devices_[1].CreateSemaphore();
  alone_ = devices_[1].CreateBufferOf(Words(64, 0), cts::Mappable());
}

void Exchange::Submit() {
  EXPECT_EQ(second().QueueFill<uint32_t>(kNoWaits, {{apart_, 1}}, alone_, 5, second().Queue(1)), HAL_STATUS_OK);
  for (uint64_t step = 1; step <= kSteps && submitted_ == step - 1; ++step) {
    const size_t on = (step - 1) % 2;
    const cts::Semaphore& before = times_[1 - on];
    const cts::Points waits = step == 1 ? kNoWaits : cts::Points{{before, step - 1}};
    const hal_status_t status =
        devices_[on].QueueFill<uint32_t>(waits, {{times_[on], step}}, buffers_[step - 1], static_cast<uint32_t>(step),
                                         devices_[on].Queue((step - 1) / 2 % 2));
    if (status == HAL_STATUS_OK) ++submitted_;
    if (status != HAL_STATUS_OK) Note(status, "submission");
  }
}

void Exchange::Await() {
  bool failed = false;
  for (uint64_t step = 1; step <= submitted_; ++step) {
    const hal_status_t status = times_[(step - 1) % 2].Wait(step);
    EXPECT_FALSE(failed && status == HAL_STATUS_OK) << "step " << step << " is reached after a failure";
    failed |= status != HAL_STATUS_OK;
    if (status != HAL_STATUS_OK) Note(status, "step " + std::to_string(step));
  }
  EXPECT_EQ(apart_.Wait(1), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(second().Download<uint32_t>(alone_), Words(64, 5));
}

void Exchange::Note(hal_status_t status, const std::string& what) {
  failures_.push_back(what + ": " + hal_status_name(status) + ": " + hal_last_error_message());
}

}  // namespace halyard::fault_injection
