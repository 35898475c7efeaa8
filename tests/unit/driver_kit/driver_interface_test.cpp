// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/device/driver_interface.h"

#include <gtest/gtest.h>

namespace halyard {
namespace {

// A plugin that was built with the kit may meet a later core.
TEST(DriverInterfaceTest, CommandsOfLaterVersionsAreNotKnown) {
  EXPECT_EQ(CheckKnownCommand(nullptr, HAL_COMMAND_TYPE_COPY_STRIDED), HAL_STATUS_OK);
  const auto later = static_cast<hal_command_type_t>(HAL_COMMAND_TYPE_COPY_STRIDED + 1);
  EXPECT_EQ(Publish(FromC(CheckKnownCommand(nullptr, later))), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_STREQ(hal_last_error_message(), "the driver was built before there were commands of kind 11");
}

struct CountingDevice : hal_device_t {
  Status Submit(const hal_queue_operation_t*) {
    ++submitted;
    return kOk;
  }
  int submitted = 0;
};

TEST(DriverInterfaceTest, OperationsOfLaterVersionsDoNotReachTheDevice) {
  CountingDevice device;
  hal_queue_operation_t operation{};
  const auto submit = SubmitKnown<CountingDevice>;
  operation.type = HAL_QUEUE_OPERATION_TYPE_HOST_CALL;
  EXPECT_EQ(submit(&device, &operation), HAL_STATUS_OK);
  operation.type = static_cast<hal_queue_operation_type_t>(HAL_QUEUE_OPERATION_TYPE_HOST_CALL + 1);
  EXPECT_EQ(Publish(FromC(submit(&device, &operation))), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_STREQ(hal_last_error_message(), "the driver was built before there were queue operations of kind 8");
  EXPECT_EQ(device.submitted, 1);
}

}  // namespace
}  // namespace halyard
