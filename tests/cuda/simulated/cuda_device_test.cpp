// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is CUDA's alone beside tests/stream_drivers: its contexts, the properties of its devices, a refused query.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cuda/cuda_api.h"
#include "halyard/cuda_interop.h"
#include "interop_test.h"
#include "unit/cuda_api.h"

namespace halyard::interop {
namespace {

using namespace cuda::abi;

class CudaDeviceTest : public InteropTest {};

TEST_P(CudaDeviceTest, TheContextIsTheDevicesPrimaryOne) {
  const void* found = nullptr;
  ASSERT_OK(hal_device_query_interface(device_.get(), hal_string_view(HAL_CUDA_INTEROP_INTERFACE), 1, &found));
  const auto& table = *static_cast<const hal_stream_interop_interface_t*>(found);
  void* context = nullptr;
  int32_t number = -1;
  ASSERT_OK(table.native_device(device_.get(), &context, &number));
  EXPECT_EQ(number, 0);
  const vendor::Current current(0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(context), vendor::WhatIsCurrent());
  EXPECT_EQ(table.native_device(nullptr, &context, &number), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_OK(table.native_device(device_.get(), nullptr, &number));
  EXPECT_EQ(table.native_device(device_.get(), &context, nullptr), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_P(CudaDeviceTest, PropertiesAreThoseOfAnH200) {
  hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
  ASSERT_OK(hal_device_query_properties(device_.get(), &properties));
  EXPECT_EQ(properties.kind, HAL_DEVICE_KIND_DISCRETE);
  EXPECT_EQ(properties.vendor_id, 0x10DEu);
  EXPECT_STREQ(properties.vendor.data, "NVIDIA");
  EXPECT_STREQ(properties.driver_name.data, "CUDA");
  EXPECT_STREQ(properties.architecture.data, "sm_90");
  EXPECT_EQ(properties.compute_units, 132u);
  EXPECT_EQ(properties.max_clock_khz, 1'980'000u);
  EXPECT_EQ(properties.min_subgroup_size, 32u);
  EXPECT_EQ(properties.max_subgroup_size, 32u);
  EXPECT_EQ(properties.l2_cache_size, uint64_t{60} << 20);
  ASSERT_TRUE(properties.has_pci_address);
  EXPECT_EQ(properties.pci_address.bus, 0x1Au);
  ASSERT_TRUE(properties.has_uuid);
  EXPECT_EQ(std::memcmp(properties.uuid, "halyard-sim-gpu", 15), 0);
  EXPECT_TRUE(properties.data_types & HAL_DATA_TYPE_BFLOAT16_ATOMIC_ADD);
  ASSERT_EQ(properties.formats.count, 4u);
  EXPECT_STREQ(properties.formats.names[0].data, "cubin");
}

// A query that is refused all the same says nothing of the device.
TEST_P(CudaDeviceTest, ARefusedQueryIsNoFailure) {
  const vendor::Current current(0);
  const cuda::CudaLibrary* library = nullptr;
  ASSERT_OK(Publish(cuda::CudaLibrary::Get(&library)));
  cuda::CudaApi api(*library, 0);
  ASSERT_OK(Publish(api.Open()));
  const auto event = reinterpret_cast<stream::NativeEvent>(MakeEvent());
  bool done = true;
  sim().Fail(vendor::kNames.query_event, 1, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_OK(Publish(api.QueryEvent(event, &done)));
  EXPECT_FALSE(done);
  EXPECT_STREQ(sim().FailedCall(), vendor::kNames.query_event);
  EXPECT_OK(Publish(api.QueryEvent(event, &done)));
  EXPECT_TRUE(done);
}

INSTANTIATE_TEST_SUITE_P(Completion, CudaDeviceTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

// A driver of CUDA tells its version when it is loaded, once in a process.
TEST(DriverVersionTest, TooOldADriverIsToldWhatIsNeeded) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // starts the program again
  const auto open = [] {
    setenv("HALYARD_CUDA_LIBRARY", HALYARD_SIM_LIBRARY, 1);
    setenv("HALYARD_SIM_DRIVER_VERSION", "11080", 1);
    Ref<hal_device_t> device;
    const hal_status_t status = hal_device_create(hal_string_view("cuda://0"), device.out());
    std::fprintf(stderr, "%s\n", hal_last_error_message());
    std::exit(status == HAL_STATUS_UNAVAILABLE ? 0 : 1);
  };
  EXPECT_EXIT(open(), testing::ExitedWithCode(0), "is a driver for CUDA 11\\.8; 12\\.0 or newer is needed");
}

}  // namespace
}  // namespace halyard::interop
