// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/pipeline_layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "fake_driver.h"
#include "halyard/driver_api.h"

namespace halyard {
namespace {

using testing::MessageHas;

/// The messages of refusals; the suite checks all else (tests/cts). Of a device, layouts need its limits only.
TEST(PipelineLayoutTest, RefusalsNameTheBindingAndTheCount) {
  hal_device_limits_t limits = {};
  limits.max_bindings = 4;
  hal_device_info_t info = {};
  info.limits = &limits;
  hal_device_t device = {};
  device.info = &info;
  device.object.kind = HAL_OBJECT_KIND_DEVICE;
  const auto create = [&](const std::vector<uint32_t>& numbers) {
    std::vector<hal_descriptor_binding_t> bindings;
    for (const uint32_t number : numbers) bindings.push_back({number, HAL_BINDING_ACCESS_READ});
    hal_descriptor_set_layout_t* set = nullptr;
    return hal_descriptor_set_layout_create(&device, bindings.size(), bindings.data(), &set);
  };
  EXPECT_EQ(create({1, 1}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("bindings[1].binding is 1 after 1"));
  EXPECT_EQ(create({0, 1, 2, 3, 4}), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("binding_count is 5"));
}

}  // namespace
}  // namespace halyard
