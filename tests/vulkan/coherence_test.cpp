// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that the host and the device see alike only after a flush or an invalidation.
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "simulation.h"
#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::Device;
using cts::kNoWaits;
using cts::Ref;
using cts::Semaphore;
using testing::HasSubstr;

/// Flushes and invalidations move whole atoms of 256 bytes.
class CoherenceTest : public testing::Test {
 protected:
  CoherenceTest() {
    setenv(kHidden, "HOST_COHERENT", 1);
    setenv(kLimits, "nonCoherentAtomSize=256", 1);
    device_ = OpenAnew();
  }
  void TearDown() override {
    EXPECT_EQ(simulation_.Reports(), 0u);
    unsetenv(kHidden);
    unsetenv(kLimits);
  }

  const Simulation simulation_;
  Device device_;

 private:
  static constexpr const char* kHidden = "HALYARD_SIM_VULKAN_HIDE";
  static constexpr const char* kLimits = "HALYARD_SIM_VULKAN_LIMITS";
};

// Such a buffer has memory of its own, which ends within an atom.
TEST_F(CoherenceTest, RangesOfExportedMemoryLeaveTheRestAlone) {
  constexpr uint64_t kLength = 1300;
  hal_buffer_params_t params = cts::Mappable(HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_MAPPING);
  params.usage |= HAL_BUFFER_USAGE_EXPORT;
  const Buffer buffer = device_.CreateBuffer(kLength, params);
  hal_vulkan_memory_t told = HAL_VULKAN_MEMORY_INIT;
  ASSERT_OK(InteropOf(device_).export_memory(buffer, HAL_VULKAN_EXTERNAL_MEMORY_TYPE_OPAQUE_FD, &told));
  close(told.fd);
  void* mapped = nullptr;
  ASSERT_OK(hal_buffer_map(buffer, HAL_MAP_ACCESS_READ | HAL_MAP_ACCESS_WRITE, 0, kLength, &mapped));
  auto* const bytes = static_cast<uint8_t*>(mapped);
  const Semaphore done = device_.CreateSemaphore();
  ASSERT_OK(device_.QueueFill(kNoWaits, {{done, 1}}, Ref(buffer, 0, kLength), uint8_t{9}));
  ASSERT_OK(done.Wait(1));
  bytes[1024] = 7;
  ASSERT_OK(hal_buffer_invalidate(buffer, 0, 200));
  EXPECT_EQ(bytes[199], 9);
  EXPECT_EQ(bytes[1024], 7) << "what the host has not flushed yet";
  ASSERT_OK(hal_buffer_flush(buffer, 0, 200));
  ASSERT_OK(hal_buffer_invalidate(buffer, 1024, kLength - 1024));
  EXPECT_EQ(bytes[1024], 9) << "what the device wrote";
  EXPECT_EQ(bytes[kLength - 1], 9);
  ASSERT_OK(hal_buffer_unmap(buffer));
}

TEST_F(CoherenceTest, PagesOfTheHostAreImportedAsCoherentMemoryOnly) {
  std::vector<char> bytes(4096);
  hal_external_memory_t given = HAL_INIT(hal_external_memory_t);
  given.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  given.handle = reinterpret_cast<uintptr_t>(bytes.data());
  given.length = bytes.size();
  const hal_buffer_params_t params = cts::Mappable(HAL_BUFFER_USAGE_TRANSFER);
  Buffer imported;
  EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE,
                hal_allocator_import(device_.allocator(), &params, &given, nullptr, nullptr, imported.out()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("HOST_COHERENT"));
}

}  // namespace
}  // namespace halyard::vulkan
