// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a driver tells of its devices.
#include "interop_test.h"

namespace halyard::interop {
namespace {

using testing::HasSubstr;

class PropertiesTest : public InteropTest {
 protected:
  hal_device_properties_t Properties() const {
    hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
    EXPECT_OK(hal_device_query_properties(device_.get(), &properties));
    return properties;
  }
  hal_memory_heap_t DeviceHeap() const {
    std::vector<hal_memory_heap_t> heaps(3, HAL_INIT(hal_memory_heap_t));
    size_t count = heaps.size();
    EXPECT_OK(hal_allocator_query_heaps(hal_device_allocator(device_.get()), &count, heaps.data()));
    return heaps[0];
  }
};

TEST_P(PropertiesTest, ExtensionsAreListed) {
  const hal_device_properties_t properties = Properties();
  ASSERT_EQ(properties.extensions.count, 5u);
  EXPECT_STREQ(properties.extensions.extensions[2].name.data, vendor::kNames.extension);
  const void* own = nullptr;
  const void* table = nullptr;
  ASSERT_OK(hal_device_query_interface(device_.get(), hal_string_view(vendor::kNames.extension), 1, &own));
  ASSERT_OK(hal_device_query_interface(device_.get(), hal_string_view("halyard.stream.interop"), 1, &table));
  EXPECT_EQ(own, table);
  EXPECT_EQ(hal_device_query_interface(device_.get(), hal_string_view("halyard.x"), 1, &table),
            HAL_STATUS_UNIMPLEMENTED);
  EXPECT_THAT(hal_last_error_message(), HasSubstr(vendor::kNames.extension));
}

TEST_P(PropertiesTest, PeersAreWhatTheVendorSays) {
  const Ref<hal_device_t> other = OpenDevice(1);
  hal_peer_properties_t peer = HAL_INIT(hal_peer_properties_t);
  ASSERT_OK(hal_device_query_peer(device_.get(), other.get(), &peer));
  EXPECT_EQ(peer.relation, HAL_PEER_RELATION_ACCESS);
  EXPECT_TRUE(peer.native_atomics);
  EXPECT_EQ(peer.performance_rank, 0);
  EXPECT_TRUE(peer.native_waits);
  EXPECT_NE(peer.memory_handles & HAL_PEER_HANDLE_HOST_POINTER, 0u);
  EXPECT_EQ(peer.memory_handles & HAL_PEER_HANDLE_DEVICE_POINTER, 0u) << "an address of the other device";
  const Ref<hal_device_t> again = OpenDevice(0);
  ASSERT_OK(hal_device_query_peer(device_.get(), again.get(), &peer));
  EXPECT_EQ(peer.relation, HAL_PEER_RELATION_SAME);
  EXPECT_EQ(peer.link, HAL_PEER_LINK_SAME);
  EXPECT_NE(peer.memory_handles & HAL_PEER_HANDLE_DEVICE_POINTER, 0u);
}

TEST_P(PropertiesTest, HeapsSayWhatIsLeft) {
  constexpr uint64_t kLength = uint64_t{64} << 20;
  EXPECT_LE(DeviceHeap().available, DeviceHeap().capacity);
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  Ref<hal_buffer_t> buffer;
  ASSERT_OK(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, kLength, buffer.out()));
  EXPECT_LE(DeviceHeap().available, DeviceHeap().capacity - kLength);
}

INSTANTIATE_TEST_SUITE_P(Completion, PropertiesTest, testing::Values("fast", "portable"));

}  // namespace
}  // namespace halyard::interop
