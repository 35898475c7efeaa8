// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What devices say of themselves before they are opened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "halyard/halyard.hpp"

namespace halyard {
namespace {

using testing::HasSubstr;

std::string_view Text(hal_string_view_t view) { return {view.data ? view.data : "", view.size}; }

std::vector<std::string> DriverNames() {
  const char* const uri = std::getenv("HALYARD_TEST_DEVICE");
  if (!uri) return {"local", "null"};
  const std::string text = uri;
  return {text.substr(0, text.find(':'))};
}

class ClosedDevicesTest : public testing::TestWithParam<std::string> {
 protected:
  ClosedDevicesTest() {
    const hal_status_t status =
        hal_registry_open_driver(hal_registry_default(), hal_string_view(GetParam().c_str()), driver_.out());
    EXPECT_EQ(status, HAL_STATUS_OK) << hal_last_error_message();
  }
  hal::Driver driver_;
};

// Each field of both structs, except the extensions and what is a pointer.
TEST_P(ClosedDevicesTest, SayWhatOpenOnesSay) {
  const std::vector<hal_device_summary_t> devices = driver_.Devices();
  ASSERT_FALSE(devices.empty());
  for (const hal_device_summary_t& summary : devices) {
    const hal_device_properties_t closed = driver_.DeviceProperties(Text(summary.id));
    const hal_device_limits_t limits = driver_.DeviceLimits(Text(summary.id));
    const hal::Device device = driver_.OpenDevice(Text(summary.id));
    hal_device_properties_t open = HAL_INIT(hal_device_properties_t);
    ASSERT_EQ(hal_device_query_properties(device.get(), &open), HAL_STATUS_OK);
    EXPECT_EQ(std::memcmp(&limits, hal_device_info(device.get())->limits, sizeof(limits)), 0) << Text(summary.id);
    EXPECT_EQ(closed.kind, open.kind);
    EXPECT_EQ(closed.vendor_id, open.vendor_id);
    EXPECT_EQ(Text(closed.vendor), Text(open.vendor));
    EXPECT_EQ(Text(closed.driver_version), Text(open.driver_version));
    EXPECT_EQ(Text(closed.architecture), Text(open.architecture));
    EXPECT_EQ(closed.has_uuid, open.has_uuid);
    EXPECT_EQ(std::memcmp(closed.uuid, open.uuid, sizeof(open.uuid)), 0);
    EXPECT_EQ(closed.compute_units, open.compute_units);
    EXPECT_EQ(closed.min_subgroup_size, open.min_subgroup_size);
    EXPECT_EQ(closed.l2_cache_size, open.l2_cache_size);
    EXPECT_EQ(closed.data_types, open.data_types);
    EXPECT_EQ(closed.numa_node, open.numa_node);
    ASSERT_EQ(closed.formats.count, open.formats.count);
    for (size_t i = 0; i < open.formats.count; ++i) {
      EXPECT_EQ(Text(closed.formats.names[i]), Text(open.formats.names[i]));
    }
    EXPECT_EQ(closed.extensions.count, 0u);
  }
}

TEST_P(ClosedDevicesTest, TakeOrdinalsAndTheDefault) {
  EXPECT_EQ(hal_driver_query_device(driver_.get(), hal_string_view("0"), nullptr, nullptr), HAL_STATUS_OK);
  EXPECT_EQ(hal_driver_query_device(driver_.get(), {nullptr, 0}, nullptr, nullptr), HAL_STATUS_OK);
  EXPECT_EQ(hal_driver_query_device(driver_.get(), hal_string_view("no such"), nullptr, nullptr), HAL_STATUS_NOT_FOUND);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("no such"));
}

TEST_P(ClosedDevicesTest, ShortStructsGetWhatTheyHaveRoomFor) {
  hal_device_limits_t limits;
  std::memset(&limits, 0x55, sizeof(limits));
  limits.struct_size = offsetof(hal_device_limits_t, max_workgroup_size);
  ASSERT_EQ(hal_driver_query_device(driver_.get(), hal_string_view("0"), nullptr, &limits), HAL_STATUS_OK);
  EXPECT_NE(limits.max_workgroup_count.x, 0x55555555u);
  EXPECT_EQ(limits.max_workgroup_size.x, 0x55555555u);
  limits.struct_size = 0;
  EXPECT_EQ(hal_driver_query_device(driver_.get(), hal_string_view("0"), nullptr, &limits),
            HAL_STATUS_INVALID_ARGUMENT);
  hal_device_properties_t properties{};
  EXPECT_EQ(hal_driver_query_device(driver_.get(), hal_string_view("0"), &properties, nullptr),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_driver_query_device(nullptr, hal_string_view("0"), nullptr, nullptr), HAL_STATUS_INVALID_ARGUMENT);
}

std::string DriverNameOf(const testing::TestParamInfo<std::string>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Drivers, ClosedDevicesTest, testing::ValuesIn(DriverNames()), DriverNameOf);

}  // namespace
}  // namespace halyard
