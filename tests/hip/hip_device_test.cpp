// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is HIP's alone of a device: its ordinal, its properties.
#include <cstring>

#include "allocations/counting_allocator.h"
#include "halyard/hip_interop.h"
#include "interop_test.h"
#include "test_kernel.h"

namespace halyard::interop {
namespace {

class HipDeviceTest : public InteropTest {};

TEST_P(HipDeviceTest, TheDeviceTellsItsOrdinal) {
  const void* found = nullptr;
  ASSERT_OK(hal_device_query_interface(device_.get(), hal_string_view(HAL_HIP_INTEROP_INTERFACE), 1, &found));
  const auto& table = *static_cast<const hal_stream_interop_interface_t*>(found);
  for (int i = 0; i < 2; ++i) {
    const Ref<hal_device_t> device = OpenDevice(i);
    int32_t ordinal = -1;
    EXPECT_OK(table.native_device(device.get(), nullptr, &ordinal));
    EXPECT_EQ(ordinal, i);
  }
  int32_t ordinal = 0;
  EXPECT_EQ(table.native_device(nullptr, nullptr, &ordinal), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(table.native_device(device_.get(), nullptr, nullptr), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_P(HipDeviceTest, PropertiesAreThoseOfAnMI300X) {
  hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
  ASSERT_OK(hal_device_query_properties(device_.get(), &properties));
  EXPECT_EQ(properties.kind, HAL_DEVICE_KIND_DISCRETE);
  EXPECT_EQ(properties.vendor_id, 0x1002u);
  EXPECT_STREQ(properties.vendor.data, "AMD");
  EXPECT_STREQ(properties.driver_name.data, "HIP");
  EXPECT_STREQ(properties.architecture.data, "gfx942:sramecc+:xnack-");
  EXPECT_EQ(properties.compute_units, 304u);
  EXPECT_EQ(properties.max_clock_khz, 2'100'000u);
  EXPECT_EQ(properties.min_subgroup_size, 64u);
  EXPECT_EQ(properties.max_subgroup_size, 64u);
  EXPECT_EQ(properties.l2_cache_size, uint64_t{4} << 20);
  ASSERT_TRUE(properties.has_pci_address);
  EXPECT_EQ(properties.pci_address.bus, 0xE3u);
  ASSERT_TRUE(properties.has_uuid);
  EXPECT_EQ(std::memcmp(properties.uuid, "5ca1ab1e00000000", sizeof(properties.uuid)), 0);
  EXPECT_TRUE(properties.data_types & HAL_DATA_TYPE_BFLOAT16_ATOMIC_ADD);
  ASSERT_EQ(properties.formats.count, 2u);
  EXPECT_STREQ(properties.formats.names[0].data, "hsaco");
}

// RDNA runs code of either size, whatever its usual one is: wave64 there, or wave32 as here.
TEST_P(HipDeviceTest, ExportsTellTheSubgroupSizeThatTheyWereCompiledFor) {
  const TestKernel kernel("append", AppendParameters());
  for (const uint32_t compiled : {0u, 32u, 64u}) {
    hal_export_info_t info = kernel.params().exports[0];
    info.subgroup_size = compiled;
    hal_executable_params_t params = kernel.params();
    params.exports = &info;
    Ref<hal_executable_t> executable;
    ASSERT_OK(hal_executable_create(device_.get(), &params, executable.out()));
    hal_export_properties_t properties = HAL_INIT(hal_export_properties_t);
    ASSERT_OK(hal_executable_query_export_properties(executable.get(), 0, hal_dim3(1, 1, 1), 0, &properties));
    EXPECT_EQ(properties.preferred_multiple, compiled == 0 ? 64 : compiled);
  }
}

// A lost device unloads nothing, but the host keeps a copy of each image's metadata.
TEST_P(HipDeviceTest, ExecutablesOfALostDeviceKeepNoHostMemory) {
  if (!vendor::SurvivesFaults()) GTEST_SKIP() << "a fault ends the process";
  constexpr int kExecutables = 50;
  const TestKernel kernel("append", AppendParameters());
  std::vector<Ref<hal_executable_t>> executables(kExecutables);
  const int64_t before = allocations::LiveLibraryAllocations();
  for (Ref<hal_executable_t>& executable : executables) {
    ASSERT_OK(hal_executable_create(device_.get(), &kernel.params(), executable.out()));
  }
  sim().LoseDevice(0, 1, vendor::kNames.illegal_address.number);
  const Ref<hal_semaphore_t> done = MakeSemaphore();
  ASSERT_OK(QueueAppend({}, {{done.get(), 1}}, 1));
  EXPECT_EQ(Wait(done, 1), HAL_STATUS_DEVICE_LOST);
  executables.clear();
  EXPECT_LT(allocations::LiveLibraryAllocations() - before, kExecutables);
  sim().Ignore("leak,destroy-in-use");  // a device that is lost takes nothing back
}

INSTANTIATE_TEST_SUITE_P(Completion, HipDeviceTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
