// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device tells of loaded kernels, held against what dispatches can really have.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/routes.h"

namespace halyard::cts {
namespace {

using testing::HasSubstr;

constexpr hal_dim3_t kOwnSize = {0, 0, 0};

class ExportPropertiesTest : public DeviceTest {
 protected:
  hal_status_t Query(const char* name, hal_dim3_t size, uint32_t local_memory, hal_export_properties_t* out) const {
    *out = HAL_INIT(hal_export_properties_t);
    return hal_executable_query_export_properties(kernels_, kernels_.Export(name), size, local_memory, out);
  }
  hal_export_properties_t PropertiesOf(const char* name, hal_dim3_t size = kOwnSize) const {
    hal_export_properties_t properties;
    EXPECT_OK(Query(name, size, 0, &properties)) << name;
    return properties;
  }
  const hal_export_info_t& InfoOf(uint32_t ordinal) const { return *hal_executable_export_info(kernels_, ordinal); }

  const Executable kernels_ = LoadKernels("dispatch");
  const Submitter submitter_{device(), Route::kQueue};
};

TEST_F(ExportPropertiesTest, AreWithinTheLimitsOfTheDevice) {
  const hal_device_limits_t& limits = device().limits();
  for (uint32_t i = 0; i < hal_executable_export_count(kernels_); ++i) {
    hal_export_properties_t p = HAL_INIT(hal_export_properties_t);
    ASSERT_OK(hal_executable_query_export_properties(kernels_, i, kOwnSize, 0, &p));
    const std::string name = Text(InfoOf(i).name);
    const hal_dim3_t& own = InfoOf(i).workgroup_size;
    EXPECT_EQ(p.struct_size, sizeof(p)) << name;
    EXPECT_GE(p.max_workgroup_volume, std::max(own.x * own.y * own.z, 1u)) << name;
    EXPECT_LE(p.max_workgroup_volume, limits.max_workgroup_volume) << name;
    EXPECT_GE(p.local_memory_size, InfoOf(i).local_memory_size) << name;
    EXPECT_LE(p.local_memory_size + p.max_dynamic_local_memory, limits.max_local_memory) << name;
    EXPECT_LE(p.preferred_multiple, p.max_workgroup_volume) << name;
  }
}

TEST_F(ExportPropertiesTest, TellTheMemoryThatAKernelDeclares) {
  EXPECT_GE(PropertiesOf("reverse_declared").local_memory_size, 256u);
  EXPECT_EQ(PropertiesOf("count_visits").local_memory_size, 0u);
}

TEST_F(ExportPropertiesTest, TheLargestWorkgroupRuns) {
  const uint32_t most =
      std::min(PropertiesOf("report_sized_workgroup").max_workgroup_volume, device().limits().max_workgroup_size.x);
  const Buffer report = CreateBuffer(48);
  ASSERT_OK(submitter_.Dispatch(kernels_, "report_sized_workgroup", Dispatch().WorkgroupSize(most).Bind(report)));
  EXPECT_TRUE(SameElements(Download<uint32_t>(report, 24, 1), {most}));
}

TEST_F(ExportPropertiesTest, AllOfTheDynamicMemoryCanBeHad) {
  const auto most = static_cast<uint32_t>(PropertiesOf("reverse_dynamic").max_dynamic_local_memory);
  ASSERT_GE(most, 4u);
  hal_export_properties_t properties;
  EXPECT_OK(Query("reverse_dynamic", kOwnSize, most, &properties));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Query("reverse_dynamic", kOwnSize, most + 1, &properties));
  EXPECT_THAT(hal_last_error_message(), HasSubstr(std::to_string(most)));
  const Buffer source = device().CreateBufferOf(std::vector<uint32_t>{5});
  const Buffer target = CreateBuffer(4);
  const Dispatch dispatch = Dispatch().LocalMemory(most).Constant(uint32_t{1}).Bind(source).Bind(target);
  ASSERT_OK(submitter_.Dispatch(kernels_, "reverse_dynamic", dispatch));
  EXPECT_TRUE(SameElements(Download<uint32_t>(target), {5}));
}

// A device that knows it knows it for every size, and more memory never means more workgroups.
TEST_F(ExportPropertiesTest, ResidentWorkgroupsFollowTheSize) {
  const bool known = PropertiesOf("reverse_dynamic", hal_dim3(1, 1, 1)).resident_workgroups > 0;
  const auto most = static_cast<uint32_t>(PropertiesOf("reverse_dynamic").max_dynamic_local_memory);
  for (const uint32_t size : {1u, 32u, 64u}) {
    if (size > device().limits().max_workgroup_volume) continue;
    hal_export_properties_t little;
    ASSERT_OK(Query("reverse_dynamic", hal_dim3(size, 1, 1), 0, &little));
    hal_export_properties_t much;
    ASSERT_OK(Query("reverse_dynamic", hal_dim3(size, 1, 1), most, &much));
    EXPECT_EQ(little.resident_workgroups > 0, known) << size;
    EXPECT_EQ(much.resident_workgroups > 0, known) << size;
    EXPECT_LE(much.resident_workgroups, little.resident_workgroups) << size;
  }
}

TEST_F(ExportPropertiesTest, WithoutASizeNoWorkgroupsAreCounted) {
  EXPECT_EQ(PropertiesOf("report_sized_workgroup").resident_workgroups, 0u);
}

TEST_F(ExportPropertiesTest, SizesThatNoWorkgroupHasAreRefused) {
  hal_export_properties_t properties;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Query("count_visits", hal_dim3(4, 0, 1), 0, &properties));
  const uint32_t most = UINT32_MAX;
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Query("count_visits", hal_dim3(most, most, most), 0, &properties));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("hal_executable_query_export_properties: workgroup size"));
}

TEST_F(ExportPropertiesTest, ACallerOfAnOlderVersionGetsWhatItKnows) {
  hal_export_properties_t properties = HAL_INIT(hal_export_properties_t);
  properties.struct_size = offsetof(hal_export_properties_t, max_workgroup_volume);
  properties.max_workgroup_volume = 12345;
  ASSERT_OK(hal_executable_query_export_properties(kernels_, 0, kOwnSize, 0, &properties));
  EXPECT_EQ(properties.struct_size, offsetof(hal_export_properties_t, max_workgroup_volume));
  EXPECT_EQ(properties.max_workgroup_volume, 12345u);
  properties.struct_size = 0;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                hal_executable_query_export_properties(kernels_, 0, kOwnSize, 0, &properties));
}

// The image of each export answers for it.
TEST_F(ExportPropertiesTest, AreThoseOfTheExportInACacheAsWell) {
  ExecutableCache cache;
  ASSERT_OK(hal_executable_cache_create(device(), nullptr, cache.out()));
  const KernelSource source(device(), "dispatch");
  Executable cached;
  ASSERT_OK(hal_executable_cache_prepare(cache, &source.params(), cached.out()));
  hal_export_properties_t properties = HAL_INIT(hal_export_properties_t);
  ASSERT_OK(
      hal_executable_query_export_properties(cached, cached.Export("reverse_declared"), kOwnSize, 0, &properties));
  EXPECT_EQ(properties.local_memory_size, PropertiesOf("reverse_declared").local_memory_size);
}

}  // namespace
}  // namespace halyard::cts
