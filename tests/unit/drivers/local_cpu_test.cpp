// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the local devices report of the host, compared with other sources.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "base/status.h"
#include "halyard/halyard.h"
#include "platform/system_facts.h"

namespace halyard {
namespace {

class LocalCpuTest : public testing::Test {
 protected:
  LocalCpuTest() {
    EXPECT_EQ(hal_device_create(hal_string_view("local://task"), &device_), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(hal_device_query_properties(device_, &properties_), HAL_STATUS_OK) << hal_last_error_message();
  }
  ~LocalCpuTest() override { hal_device_release(device_); }
  bool HasFeature(std::string_view name) const {
    for (size_t i = 0; i < properties_.features.count; ++i) {
      if (View(properties_.features.names[i]) == name) return true;
    }
    return false;
  }
  static hal_memory_heap_t HeapOf(hal_device_t* device) {
    hal_memory_heap_t heap = HAL_INIT(hal_memory_heap_t);
    size_t count = 1;
    EXPECT_EQ(hal_allocator_query_heaps(hal_device_allocator(device), &count, &heap), HAL_STATUS_OK);
    return heap;
  }

  hal_device_t* device_ = nullptr;
  hal_device_properties_t properties_ = HAL_INIT(hal_device_properties_t);
};

TEST_F(LocalCpuTest, IsACpu) {
  EXPECT_EQ(properties_.kind, HAL_DEVICE_KIND_CPU);
  EXPECT_EQ(properties_.compute_units, std::thread::hardware_concurrency());
  EXPECT_EQ(properties_.min_subgroup_size, 1u);
  EXPECT_TRUE(properties_.data_types & HAL_DATA_TYPE_FLOAT64);
  EXPECT_FALSE(properties_.has_pci_address);
  EXPECT_STREQ(properties_.formats.names[0].data, HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT);
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
// The compiler's run-time library asks the processor on its own.
TEST_F(LocalCpuTest, HasTheFeaturesThatTheCompilerFinds) {
#define HALYARD_SAME_FEATURE(name) EXPECT_EQ(HasFeature(name), __builtin_cpu_supports(name) != 0) << (name)
  HALYARD_SAME_FEATURE("sse3");
  HALYARD_SAME_FEATURE("ssse3");
  HALYARD_SAME_FEATURE("sse4.1");
  HALYARD_SAME_FEATURE("sse4.2");
  HALYARD_SAME_FEATURE("popcnt");
  HALYARD_SAME_FEATURE("avx");
  HALYARD_SAME_FEATURE("avx2");
  HALYARD_SAME_FEATURE("bmi");
  HALYARD_SAME_FEATURE("bmi2");
  HALYARD_SAME_FEATURE("fma");
  HALYARD_SAME_FEATURE("f16c");
  HALYARD_SAME_FEATURE("lzcnt");
  HALYARD_SAME_FEATURE("movbe");
  HALYARD_SAME_FEATURE("aes");
  HALYARD_SAME_FEATURE("pclmul");
  HALYARD_SAME_FEATURE("gfni");
  HALYARD_SAME_FEATURE("avx512f");
  HALYARD_SAME_FEATURE("avx512bw");
  HALYARD_SAME_FEATURE("avx512vl");
  HALYARD_SAME_FEATURE("avx512vnni");
  HALYARD_SAME_FEATURE("avx512bf16");
  HALYARD_SAME_FEATURE("avxvnni");
#undef HALYARD_SAME_FEATURE
}

TEST_F(LocalCpuTest, HasTheLevelThatTheCompilerFinds) {
  const char* level = "x86-64";
  if (__builtin_cpu_supports("x86-64-v2")) level = "x86-64-v2";
  if (__builtin_cpu_supports("x86-64-v3")) level = "x86-64-v3";
  if (__builtin_cpu_supports("x86-64-v4")) level = "x86-64-v4";
  EXPECT_STREQ(properties_.architecture.data, level);
}
#endif

TEST_F(LocalCpuTest, ListsItsExtensions) {
  ASSERT_GT(properties_.extensions.count, 0u);
  for (size_t i = 0; i < properties_.extensions.count; ++i) {
    const hal_device_extension_t& extension = properties_.extensions.extensions[i];
    const void* table = nullptr;
    EXPECT_EQ(hal_device_query_interface(device_, extension.name, extension.version, &table), HAL_STATUS_OK);
    EXPECT_NE(table, nullptr);
    EXPECT_EQ(hal_device_query_interface(device_, extension.name, extension.version + 1, &table),
              HAL_STATUS_UNIMPLEMENTED);
  }
}

// A work-item of the host runs by itself, so that no kernel that needs several in lockstep is loaded.
TEST_F(LocalCpuTest, HasNoSubgroupsOfSeveralWorkItems) {
  constexpr char kImage[] = "not looked at";
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.name = hal_string_view("row_sum");
  info.min_subgroup_size = 16;
  info.max_subgroup_size = 32;
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view(HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT);
  params.data = kImage;
  params.data_size = sizeof(kImage);
  params.exports = &info;
  params.export_count = 1;
  hal_executable_t* executable = nullptr;
  EXPECT_EQ(hal_executable_create(device_, &params, &executable), HAL_STATUS_INCOMPATIBLE);
  constexpr const char* kWords =
      "export 0 (\"row_sum\"): the kernel needs subgroups of 16 to 32 work-items, and the device has those of 1";
  EXPECT_NE(std::string(hal_last_error_message()).find(kWords), std::string::npos) << hal_last_error_message();
}

TEST_F(LocalCpuTest, DevicesOfTheHostAreOne) {
  hal_device_t* other = nullptr;
  ASSERT_EQ(hal_device_create(hal_string_view("local://sync"), &other), HAL_STATUS_OK);
  hal_peer_properties_t peer = HAL_INIT(hal_peer_properties_t);
  EXPECT_EQ(hal_device_query_peer(device_, other, &peer), HAL_STATUS_OK);
  EXPECT_EQ(peer.relation, HAL_PEER_RELATION_SAME);
  hal_device_release(other);
}

TEST_F(LocalCpuTest, HeapSaysWhatIsLeft) {
  EXPECT_LE(HeapOf(device_).available, HeapOf(device_).capacity);
  constexpr uint64_t kSmall = uint64_t{1} << 20;
  hal_device_t* small = nullptr;
  ASSERT_EQ(hal_device_create(hal_string_view("local://sync?memory=1MiB"), &small), HAL_STATUS_OK);
  EXPECT_EQ(HeapOf(small).available, kSmall);
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  hal_buffer_t* buffer = nullptr;
  ASSERT_EQ(hal_allocator_allocate(hal_device_allocator(small), &params, 1000, &buffer), HAL_STATUS_OK);
  EXPECT_EQ(HeapOf(small).available, kSmall - 1000);
  hal_buffer_release(buffer);
  hal_device_release(small);
}

TEST_F(LocalCpuTest, CanHaveTheBindingLimitsOfAnotherDevice) {
  hal_device_t* device = nullptr;
  ASSERT_EQ(hal_device_create(hal_string_view("local://sync?binding_alignment=256&max_binding_range=128MiB"), &device),
            HAL_STATUS_OK);
  EXPECT_EQ(hal_device_info(device)->limits->binding_alignment, 256u);
  EXPECT_EQ(hal_device_info(device)->limits->max_binding_range, uint64_t{128} << 20);
  hal_device_release(device);
  EXPECT_EQ(hal_device_create(hal_string_view("local://sync?binding_alignment=100"), &device),
            HAL_STATUS_INVALID_ARGUMENT);
}

TEST(SystemFactsTest, DoNotKnowWhatIsNotThere) {
  EXPECT_EQ(NumaNodeOf({0xFFFF, 0xFF, 0x1F, 7}), -1);
  EXPECT_GT(AvailableHostMemory(), 0u);
}

}  // namespace
}  // namespace halyard
