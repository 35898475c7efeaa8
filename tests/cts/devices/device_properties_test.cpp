// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device tells of itself agrees with itself, and stays.
#include <bit>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/parameters.h"
#include "cts/routes.h"

namespace halyard::cts {
namespace {

class DevicePropertiesTest : public DeviceTest {
 protected:
  static hal_device_properties_t PropertiesOf(const Device& device) {
    hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
    Check(hal_device_query_properties(device, &properties), "hal_device_query_properties");
    return properties;
  }
  const hal_device_properties_t properties_ = PropertiesOf(device());
};

TEST_F(DevicePropertiesTest, StayAsTheyAre) {
  const hal_device_properties_t again = PropertiesOf(device());
  EXPECT_EQ(again.kind, properties_.kind);
  EXPECT_EQ(again.architecture.data, properties_.architecture.data) << "the text is the device's own";
  EXPECT_EQ(again.features.names, properties_.features.names);
  EXPECT_EQ(again.extensions.extensions, properties_.extensions.extensions);
  EXPECT_EQ(again.compute_units, properties_.compute_units);
  EXPECT_EQ(again.data_types, properties_.data_types);
}

TEST_F(DevicePropertiesTest, TextsEndInAZeroByte) {
  for (const hal_string_view_t& text :
       {properties_.vendor, properties_.driver_name, properties_.driver_version, properties_.architecture}) {
    if (text.size > 0) EXPECT_EQ(std::string(text.data).size(), text.size);
  }
}

TEST_F(DevicePropertiesTest, SubgroupsArePowersOfTwo) {
  EXPECT_LE(properties_.min_subgroup_size, properties_.max_subgroup_size);
  if (properties_.min_subgroup_size == 0) GTEST_SKIP() << "the device does not tell";
  EXPECT_TRUE(std::has_single_bit(properties_.min_subgroup_size));
  EXPECT_TRUE(std::has_single_bit(properties_.max_subgroup_size));
}

TEST_F(DevicePropertiesTest, FormatsAreTaken) {
  for (size_t i = 0; i < properties_.formats.count; ++i) {
    EXPECT_OK(hal_device_query_format(device(), properties_.formats.names[i]));
  }
}

TEST_F(DevicePropertiesTest, ExtensionsAreThere) {
  for (size_t i = 0; i < properties_.extensions.count; ++i) {
    const hal_device_extension_t& extension = properties_.extensions.extensions[i];
    for (uint32_t version = 1; version <= extension.version; ++version) {
      const void* table = nullptr;
      EXPECT_OK(hal_device_query_interface(device(), extension.name, version, &table));
      EXPECT_NE(table, nullptr);
    }
    const void* table = nullptr;
    EXPECT_STATUS(HAL_STATUS_UNIMPLEMENTED,
                  hal_device_query_interface(device(), extension.name, extension.version + 1, &table));
  }
}

TEST_F(DevicePropertiesTest, DeviceIsItsOwnPeer) {
  const Device again = OpenDevice(options().device);
  for (hal_device_t* other : {static_cast<hal_device_t*>(device()), static_cast<hal_device_t*>(again)}) {
    hal_peer_properties_t peer = HAL_INIT(hal_peer_properties_t);
    ASSERT_OK(hal_device_query_peer(device(), other, &peer));
    if (other == device() || properties_.has_uuid) EXPECT_EQ(peer.relation, HAL_PEER_RELATION_SAME);
    if (peer.relation == HAL_PEER_RELATION_SAME) EXPECT_EQ(peer.link, HAL_PEER_LINK_SAME);
    if (other == device()) EXPECT_EQ(peer.copy_route, HAL_COPY_ROUTE_DIRECT);
    EXPECT_NE(peer.copy_route, HAL_COPY_ROUTE_UNKNOWN);
  }
}

TEST_F(DevicePropertiesTest, HeapsHaveNoMoreThanTheyHave) {
  size_t count = 0;
  ASSERT_OK(hal_allocator_query_heaps(device().allocator(), &count, nullptr));
  std::vector<hal_memory_heap_t> heaps(count, HAL_INIT(hal_memory_heap_t));
  ASSERT_OK(hal_allocator_query_heaps(device().allocator(), &count, heaps.data()));
  for (const hal_memory_heap_t& heap : heaps) {
    if (heap.available != UINT64_MAX && heap.capacity != 0) EXPECT_LE(heap.available, heap.capacity);
  }
}

/// The parameter is the route on which a dispatch comes.
class BindingLimitsTest : public DeviceTestWith<Route> {
 protected:
  hal_status_t AddOne(const Ref& binding) const {
    return Submitter(device(), GetParam())
        .Dispatch(LoadKernels("basic"), "add_one", Dispatch().WorkItems(1).Bind(binding));
  }
  uint64_t alignment() const { return device().limits().binding_alignment; }
};

TEST_P(BindingLimitsTest, AlignmentIsAPowerOfTwo) { EXPECT_TRUE(std::has_single_bit(alignment())); }

TEST_P(BindingLimitsTest, OffsetsAreMultiplesOfTheAlignment) {
  if (alignment() < 8) GTEST_SKIP() << "kernels of the suite need as much themselves";
  const Buffer words = device().CreateBufferOf(std::vector<uint32_t>(alignment(), 0));
  EXPECT_OK(AddOne(Ref(words, alignment(), 4)));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, AddOne(Ref(words, alignment() / 2, 4)));
  EXPECT_THAT(hal_last_error_message(), testing::HasSubstr(std::to_string(alignment())));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, AddOne(Ref(words, 4, 4)));
}

TEST_P(BindingLimitsTest, RangesAreNotLonger) {
  const uint64_t longest = device().limits().max_binding_range;
  if (longest > uint64_t{1} << 30) GTEST_SKIP() << "a longer one would take too much memory";
  const Buffer bytes = CreateBuffer(longest + 1);
  EXPECT_OK(AddOne(Ref(bytes, 0, longest)));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, AddOne(Ref(bytes, 0, longest + 1)));
  EXPECT_THAT(hal_last_error_message(), testing::HasSubstr(std::to_string(longest)));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, AddOne(bytes));
}

INSTANTIATE_TEST_SUITE_P(Route, BindingLimitsTest, Routes(), ByNameOf);

}  // namespace
}  // namespace halyard::cts
