// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a real device is, by the API and by CUDA itself.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "cuda/hardware/cuda_test.h"

namespace halyard::cuda {
namespace {

class CudaPropertiesTest : public CudaDeviceTest {
 protected:
  void SetUp() override {
    CudaDeviceTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(Publish(CudaLibrary::Get(&cuda_)), HAL_STATUS_OK);
    ASSERT_EQ(hal_device_query_properties(device_.get(), &properties_), HAL_STATUS_OK) << hal_last_error_message();
  }
  /// The number of an attribute as the vendor's header has it, also of those that the driver does not know.
  int Attribute(int attribute) const {
    int value = -1;
    EXPECT_EQ(cuda_->cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(attribute), ordinal()), CUDA_SUCCESS);
    return value;
  }
  hal_memory_heap_t DeviceHeap() const {
    std::vector<hal_memory_heap_t> heaps(3, HAL_INIT(hal_memory_heap_t));
    size_t count = heaps.size();
    EXPECT_EQ(hal_allocator_query_heaps(hal_device_allocator(device_.get()), &count, heaps.data()), HAL_STATUS_OK);
    return heaps[0];
  }

  const CudaLibrary* cuda_ = nullptr;
  hal_device_properties_t properties_ = HAL_INIT(hal_device_properties_t);
};

TEST_F(CudaPropertiesTest, AreCudasOwn) {
  EXPECT_EQ(properties_.vendor_id, 0x10DEu);
  EXPECT_EQ(properties_.compute_units, static_cast<uint32_t>(Attribute(16)));
  EXPECT_EQ(properties_.max_clock_khz, static_cast<uint32_t>(Attribute(13)));
  EXPECT_EQ(properties_.min_subgroup_size, static_cast<uint32_t>(Attribute(10)));
  EXPECT_EQ(properties_.l2_cache_size, static_cast<uint64_t>(Attribute(38)));
  EXPECT_EQ(properties_.kind == HAL_DEVICE_KIND_INTEGRATED, Attribute(18) != 0);
  const std::string architecture = "sm_" + std::to_string(10 * Attribute(75) + Attribute(76));
  EXPECT_EQ(properties_.architecture.data, architecture);
  int version = 0;
  ASSERT_EQ(cuda_->cuDriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_EQ(properties_.driver_version.data,
            std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10));
}

TEST_F(CudaPropertiesTest, PlaceIsWhereCudaSeesIt) {
  CUuuid uuid{};
  ASSERT_EQ(cuda_->cuDeviceGetUuid_v2(&uuid, ordinal()), CUDA_SUCCESS);
  ASSERT_TRUE(properties_.has_uuid);
  EXPECT_EQ(std::memcmp(properties_.uuid, uuid.bytes, sizeof(uuid.bytes)), 0);
  char expected[64] = {};
  ASSERT_EQ(cuda_->cuDeviceGetPCIBusId(expected, sizeof(expected), ordinal()), CUDA_SUCCESS);
  ASSERT_TRUE(properties_.has_pci_address);
  const hal_pci_address_t& at = properties_.pci_address;
  char address[64] = {};
  std::snprintf(address, sizeof(address), "%04X:%02X:%02X.%X", at.domain, at.bus, at.device, at.function);
  EXPECT_STRCASEEQ(address, expected);
}

/// The node by /sys, and by CUDA (CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, since CUDA 12.2); -1 if it is not told. A virtual
/// machine may hide it from either.
int NodeBySystem(const hal_pci_address_t& at) {
  char path[96] = {};
  std::snprintf(path, sizeof(path), "/sys/bus/pci/devices/%04x:%02x:%02x.%x/numa_node", at.domain, at.bus, at.device,
                at.function);
  int node = -1;
  std::ifstream(path) >> node;
  return node;
}
int NodeByCuda(const CudaLibrary& cuda, int ordinal) {
  int node = -1;
  const auto status = cuda.cuDeviceGetAttribute(&node, static_cast<CUdevice_attribute>(134), ordinal);
  return status == CUDA_SUCCESS ? node : -1;
}

TEST_F(CudaPropertiesTest, NumaNodeIsTheHostsNext) {
  const int by_system = NodeBySystem(properties_.pci_address);
  const int by_cuda = NodeByCuda(*cuda_, ordinal());
  EXPECT_EQ(properties_.numa_node, by_system);
  if (by_system >= 0 && by_cuda >= 0) EXPECT_EQ(properties_.numa_node, by_cuda);
}

TEST_F(CudaPropertiesTest, AvailableMemoryShrinks) {
  constexpr uint64_t kLarge = uint64_t{256} << 20;
  const uint64_t before = DeviceHeap().available;
  EXPECT_LE(before, DeviceHeap().capacity);
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  Ref<hal_buffer_t> buffer;
  ASSERT_EQ(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, kLarge, buffer.out()), HAL_STATUS_OK);
  EXPECT_LE(DeviceHeap().available, DeviceHeap().capacity - kLarge);
}

TEST_F(CudaPropertiesTest, PeersAreCudasOwn) {
  int count = 0;
  ASSERT_EQ(cuda_->cuDeviceGetCount(&count), CUDA_SUCCESS);
  for (int i = 0; i < count; ++i) {
    Ref<hal_device_t> other;
    ASSERT_EQ(Open("cuda://" + std::to_string(i), &other), HAL_STATUS_OK) << hal_last_error_message();
    hal_peer_properties_t peer = HAL_INIT(hal_peer_properties_t);
    ASSERT_EQ(hal_device_query_peer(device_.get(), other.get(), &peer), HAL_STATUS_OK) << hal_last_error_message();
    if (i == ordinal()) {
      EXPECT_EQ(peer.relation, HAL_PEER_RELATION_SAME);
      continue;
    }
    int can = 0;
    ASSERT_EQ(cuda_->cuDeviceCanAccessPeer(&can, ordinal(), i), CUDA_SUCCESS);
    EXPECT_EQ(peer.relation, can != 0 ? HAL_PEER_RELATION_ACCESS : HAL_PEER_RELATION_NONE);
  }
}

}  // namespace
}  // namespace halyard::cuda
