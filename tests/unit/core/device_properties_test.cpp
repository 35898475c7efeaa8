// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties of devices, from what a driver reports.
#include "halyard/device_properties.h"

#include <cstring>

#include "fake_driver.h"

namespace halyard {
namespace {

using testing::FakeDriverTest;
using testing::FakeInterface;
using testing::MessageHas;

/// How the fake drivers of the running test describe their devices.
void (*g_describe)(hal_device_properties_t*) = nullptr;

hal_status_t QueryProperties(hal_device_t*, hal_device_properties_t* out) {
  EXPECT_EQ(out->struct_size, sizeof(*out));
  EXPECT_EQ(out->numa_node, -1) << "nothing is known yet";
  if (g_describe) g_describe(out);
  return HAL_STATUS_OK;
}

hal_status_t QueryPeer(hal_device_t*, hal_device_t*, hal_peer_properties_t* out) {
  EXPECT_EQ(out->relation, HAL_PEER_RELATION_NONE);
  out->relation = HAL_PEER_RELATION_ACCESS;
  out->performance_rank = 3;
  return HAL_STATUS_OK;
}

class DevicePropertiesTest : public FakeDriverTest {
 protected:
  DevicePropertiesTest() {
    g_describe = nullptr;
    fake_.device.query_properties = QueryProperties;
    fake_.device.query_peer = QueryPeer;
    other_fake_.device.query_properties = QueryProperties;
  }
  hal_device_t* OpenAnother() {
    hal_device_t* device = nullptr;
    EXPECT_EQ(hal_registry_create_device(registry_, fake_.tables.name, 0, nullptr, &device), HAL_STATUS_OK);
    devices_.push_back(device);
    return device;
  }
  static hal_peer_relation_t Relation(hal_device_t* device, hal_device_t* other) {
    hal_peer_properties_t peer = HAL_INIT(hal_peer_properties_t);
    EXPECT_EQ(hal_device_query_peer(device, other, &peer), HAL_STATUS_OK) << hal_last_error_message();
    return peer.relation;
  }

  FakeInterface fake_;
  FakeInterface other_fake_{"other"};
};

TEST_F(DevicePropertiesTest, AreWhatTheDriverTells) {
  g_describe = [](hal_device_properties_t* out) {
    out->kind = HAL_DEVICE_KIND_DISCRETE;
    out->architecture = hal_string_view("fx_1");
    out->l3_cache_size = 4096;
  };
  hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
  ASSERT_EQ(hal_device_query_properties(OpenDevice(fake_), &properties), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(properties.struct_size, sizeof(properties));
  EXPECT_EQ(properties.kind, HAL_DEVICE_KIND_DISCRETE);
  EXPECT_STREQ(properties.architecture.data, "fx_1");
  EXPECT_EQ(properties.l3_cache_size, 4096u);
  EXPECT_EQ(properties.numa_node, -1);
  EXPECT_FALSE(properties.has_uuid);
}

TEST_F(DevicePropertiesTest, OfADriverThatCannotTellAreUnknown) {
  fake_.device.struct_size = offsetof(hal_device_vtable_t, query_properties);
  hal_device_t* const device = OpenDevice(fake_);
  hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
  properties.compute_units = 7;
  ASSERT_EQ(hal_device_query_properties(device, &properties), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(properties.kind, HAL_DEVICE_KIND_UNKNOWN);
  EXPECT_EQ(properties.compute_units, 0u);
  EXPECT_EQ(properties.formats.count, 0u);
  EXPECT_EQ(Relation(device, OpenAnother()), HAL_PEER_RELATION_NONE);
}

TEST_F(DevicePropertiesTest, AreFilledInAsFarAsTheCallersStructGoes) {
  g_describe = [](hal_device_properties_t* out) {
    out->kind = HAL_DEVICE_KIND_CPU;
    out->vendor_id = 5;
  };
  hal_device_t* const device = OpenDevice(fake_);
  hal_device_properties_t shorter = HAL_INIT(hal_device_properties_t);
  shorter.struct_size = offsetof(hal_device_properties_t, vendor_id);
  shorter.vendor_id = 77;
  ASSERT_EQ(hal_device_query_properties(device, &shorter), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(shorter.kind, HAL_DEVICE_KIND_CPU);
  EXPECT_EQ(shorter.vendor_id, 77u) << "beyond the end of the caller's struct";

  struct {
    hal_device_properties_t known;
    uint64_t newer;
  } longer = {HAL_INIT(hal_device_properties_t), 9};
  longer.known.struct_size = sizeof(longer);
  ASSERT_EQ(hal_device_query_properties(device, &longer.known), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(longer.known.vendor_id, 5u);
  EXPECT_EQ(longer.newer, 9u) << "a field that the library does not know";
}

TEST_F(DevicePropertiesTest, NeedGoodArguments) {
  hal_device_t* const device = OpenDevice(fake_);
  hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
  EXPECT_EQ(hal_device_query_properties(nullptr, &properties), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("hal_device_query_properties: device is NULL"));
  EXPECT_EQ(hal_device_query_properties(device, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("out_properties is NULL"));
  properties.struct_size = 0;
  EXPECT_EQ(hal_device_query_properties(device, &properties), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("struct_size is 0"));

  hal_peer_properties_t peer = HAL_INIT(hal_peer_properties_t);
  EXPECT_EQ(hal_device_query_peer(nullptr, device, &peer), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_device_query_peer(device, nullptr, &peer), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("hal_device_query_peer: other is NULL"));
  EXPECT_EQ(hal_device_query_peer(device, device, nullptr), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(DevicePropertiesTest, ADeviceIsItsOwnHardware) {
  hal_device_t* const device = OpenDevice(fake_);
  hal_peer_properties_t peer = HAL_INIT(hal_peer_properties_t);
  ASSERT_EQ(hal_device_query_peer(device, device, &peer), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(peer.relation, HAL_PEER_RELATION_SAME);
  EXPECT_TRUE(peer.native_atomics);
  EXPECT_EQ(peer.performance_rank, 0);
}

TEST_F(DevicePropertiesTest, OnlyTheDriverOfBothKnowsAConnection) {
  hal_device_t* const device = OpenDevice(fake_);
  EXPECT_EQ(Relation(device, OpenAnother()), HAL_PEER_RELATION_ACCESS);
  EXPECT_EQ(Relation(device, OpenDevice(other_fake_)), HAL_PEER_RELATION_NONE);
}

TEST_F(DevicePropertiesTest, APeerStructOfAnEarlierCallerStaysWithinItsEnd) {
  hal_device_t* const device = OpenDevice(fake_);
  hal_peer_properties_t peer = HAL_INIT(hal_peer_properties_t);
  peer.struct_size = offsetof(hal_peer_properties_t, copy_route);
  peer.copy_route = HAL_COPY_ROUTE_FORCE_32;
  ASSERT_EQ(hal_device_query_peer(device, OpenAnother(), &peer), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(peer.relation, HAL_PEER_RELATION_ACCESS);
  EXPECT_EQ(peer.copy_route, HAL_COPY_ROUTE_FORCE_32);
}

TEST_F(DevicePropertiesTest, TheLinkIsWhatBothSay) {
  g_describe = [](hal_device_properties_t* out) {
    static uint8_t bus = 0;
    out->kind = HAL_DEVICE_KIND_DISCRETE;
    out->has_pci_address = true;
    out->pci_address.bus = ++bus;
  };
  hal_peer_properties_t peer = HAL_INIT(hal_peer_properties_t);
  hal_device_t* const device = OpenDevice(fake_);
  hal_device_t* const other = OpenDevice(other_fake_);
  ASSERT_EQ(hal_device_query_peer(device, other, &peer), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(peer.link, HAL_PEER_LINK_PCIE);
  g_describe = [](hal_device_properties_t* out) { out->kind = HAL_DEVICE_KIND_CPU; };
  ASSERT_EQ(hal_device_query_peer(device, other, &peer), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(peer.link, HAL_PEER_LINK_HOST);
  EXPECT_FALSE(peer.native_waits);
}

TEST_F(DevicePropertiesTest, OneUuidIsOneDeviceForAllDrivers) {
  g_describe = [](hal_device_properties_t* out) {
    out->has_uuid = true;
    std::memset(out->uuid, 7, sizeof(out->uuid));
  };
  EXPECT_EQ(Relation(OpenDevice(fake_), OpenDevice(other_fake_)), HAL_PEER_RELATION_SAME);
}

TEST_F(DevicePropertiesTest, OneAddressIsOneDeviceUnlessUuidsDiffer) {
  g_describe = [](hal_device_properties_t* out) {
    out->has_pci_address = true;
    out->pci_address.bus = 9;
  };
  hal_device_t* const device = OpenDevice(fake_);
  hal_device_t* const other = OpenDevice(other_fake_);
  EXPECT_EQ(Relation(device, other), HAL_PEER_RELATION_SAME);
  g_describe = [](hal_device_properties_t* out) {
    static uint8_t parts = 0;
    out->has_pci_address = true;
    out->has_uuid = true;
    out->uuid[0] = ++parts;
  };
  EXPECT_EQ(Relation(device, other), HAL_PEER_RELATION_NONE) << "two parts of a divided device";
}

}  // namespace
}  // namespace halyard
