// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptor set layouts and pipeline layouts, and their use for raw images.
#include <cstdint>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/parameters.h"

namespace halyard::cts {
namespace {

using Bindings = std::vector<hal_descriptor_binding_t>;

constexpr auto kReadWrite = HAL_BINDING_ACCESS_READ_WRITE;

class LayoutTest : public DeviceTest {
 protected:
  static hal_status_t CreateSet(const Bindings& bindings, DescriptorSetLayout* out) {
    return hal_descriptor_set_layout_create(device(), bindings.size(), bindings.data(), out->out());
  }
  static DescriptorSetLayout Set(const Bindings& bindings) {
    DescriptorSetLayout set;
    Check(CreateSet(bindings, &set), "hal_descriptor_set_layout_create");
    return set;
  }
  /// A set with bindings 0 … `count` - 1.
  static DescriptorSetLayout SetOf(uint32_t count) {
    Bindings bindings;
    for (uint32_t i = 0; i < count; ++i) bindings.push_back({i, kReadWrite});
    return Set(bindings);
  }
  static Bindings BindingsOf(hal_descriptor_set_layout_t* set) {
    size_t count = 99;
    const hal_descriptor_binding_t* bindings = hal_descriptor_set_layout_bindings(set, &count);
    return {bindings, bindings + count};
  }
  static hal_status_t CreatePipeline(const std::vector<hal_descriptor_set_layout_t*>& sets, uint32_t constants_size,
                                     PipelineLayout* out) {
    return hal_pipeline_layout_create(device(), sets.size(), sets.data(), constants_size, out->out());
  }
};

// --- Descriptor sets ---

struct SetCase {
  const char* name;
  Bindings bindings;
};
void PrintTo(const SetCase& set, std::ostream* out) { *out << set.name; }

class DescriptorSetLayoutTest : public LayoutTest, public testing::WithParamInterface<SetCase> {};

TEST_P(DescriptorSetLayoutTest, HoldsItsBindings) {
  const Bindings actual = BindingsOf(Set(GetParam().bindings));
  ASSERT_EQ(actual.size(), GetParam().bindings.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i].binding, GetParam().bindings[i].binding);
    EXPECT_EQ(actual[i].access, GetParam().bindings[i].access);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sets, DescriptorSetLayoutTest,
    testing::Values(SetCase{"Empty", {}}, SetCase{"One", {{0, kReadWrite}}},
                    SetCase{"Access", {{0, HAL_BINDING_ACCESS_READ}, {1, HAL_BINDING_ACCESS_WRITE}, {2, kReadWrite}}},
                    SetCase{"Gaps", {{3, kReadWrite}, {7, kReadWrite}, {100, kReadWrite}}},
                    SetCase{"LargestNumber", {{UINT32_MAX, kReadWrite}}}),
    ByName);

class BadDescriptorSetLayoutTest : public LayoutTest, public testing::WithParamInterface<SetCase> {};

TEST_P(BadDescriptorSetLayoutTest, IsInvalid) {
  DescriptorSetLayout set;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, CreateSet(GetParam().bindings, &set));
  EXPECT_EQ(set.get(), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Sets, BadDescriptorSetLayoutTest,
                         testing::Values(SetCase{"Twice", {{0, kReadWrite}, {0, kReadWrite}}},
                                         SetCase{"Falling", {{1, kReadWrite}, {0, kReadWrite}}},
                                         SetCase{"TwiceLater",
                                                 {{0, kReadWrite}, {5, kReadWrite}, {5, HAL_BINDING_ACCESS_READ}}},
                                         SetCase{"UnknownAccess", {{0, static_cast<hal_binding_access_t>(3)}}}),
                         ByName);

TEST_F(LayoutTest, SetHasAsManyBindingsAsTheDeviceTakesAndNoMore) {
  const uint32_t most = device().limits().max_bindings;
  if (most > 100'000) GTEST_SKIP() << "the device sets no bound that could be tried";
  EXPECT_EQ(BindingsOf(SetOf(most)).size(), most);
  Bindings bindings;
  for (uint32_t i = 0; i <= most; ++i) bindings.push_back({i, kReadWrite});
  DescriptorSetLayout set;
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, CreateSet(bindings, &set));
}

TEST_F(LayoutTest, SetCapturesItsBindings) {
  Bindings bindings = {{1, kReadWrite}, {2, kReadWrite}};
  const DescriptorSetLayout set = Set(bindings);
  bindings[0].binding = 99;
  EXPECT_EQ(BindingsOf(set)[0].binding, 1u);
}

TEST_F(LayoutTest, AbsurdCountsAreOutOfRange) {
  const hal_descriptor_binding_t binding = {0, kReadWrite};
  DescriptorSetLayout set;
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_descriptor_set_layout_create(device(), SIZE_MAX, &binding, set.out()));
  PipelineLayout layout;
  hal_descriptor_set_layout_t* sets[] = {nullptr};
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_pipeline_layout_create(device(), SIZE_MAX, sets, 0, layout.out()));
}

TEST_F(LayoutTest, NullIsNothing) {
  size_t count = 99;
  hal_descriptor_set_layout_bindings(nullptr, &count);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(hal_pipeline_layout_set_count(nullptr), 0u);
  EXPECT_EQ(hal_pipeline_layout_set(nullptr, 0), nullptr);
  EXPECT_EQ(hal_pipeline_layout_binding_count(nullptr), 0u);
  EXPECT_EQ(hal_pipeline_layout_constants_size(nullptr), 0u);
  hal_descriptor_set_layout_retain(nullptr);
  hal_descriptor_set_layout_release(nullptr);
  hal_pipeline_layout_retain(nullptr);
  hal_pipeline_layout_release(nullptr);
}

// --- Pipeline layouts ---

/// How many bindings each set has; a negative number stands for an unused set.
struct PipelineCase {
  const char* name;
  std::vector<int> sets;
  uint32_t constants_size;
};
void PrintTo(const PipelineCase& pipeline, std::ostream* out) { *out << pipeline.name; }

class PipelineLayoutTest : public LayoutTest, public testing::WithParamInterface<PipelineCase> {};

TEST_P(PipelineLayoutTest, HoldsItsSetsAndConstants) {
  std::vector<DescriptorSetLayout> owners;
  std::vector<hal_descriptor_set_layout_t*> sets;
  size_t bindings = 0;
  for (const int count : GetParam().sets) {
    owners.push_back(count < 0 ? DescriptorSetLayout() : SetOf(static_cast<uint32_t>(count)));
    sets.push_back(owners.back());
    bindings += static_cast<size_t>(std::max(count, 0));
  }
  PipelineLayout layout;
  ASSERT_OK(CreatePipeline(sets, GetParam().constants_size, &layout));
  EXPECT_EQ(hal_pipeline_layout_set_count(layout), sets.size());
  EXPECT_EQ(hal_pipeline_layout_binding_count(layout), bindings);
  EXPECT_EQ(hal_pipeline_layout_constants_size(layout), GetParam().constants_size);
  for (size_t i = 0; i < sets.size(); ++i) EXPECT_EQ(hal_pipeline_layout_set(layout, i), sets[i]);
  EXPECT_EQ(hal_pipeline_layout_set(layout, sets.size()), nullptr);
  EXPECT_EQ(hal_pipeline_layout_set(layout, SIZE_MAX), nullptr);
}

TEST_P(PipelineLayoutTest, KeepsItsSets) {
  PipelineLayout layout;
  {
    std::vector<DescriptorSetLayout> owners;
    std::vector<hal_descriptor_set_layout_t*> sets;
    for (const int count : GetParam().sets) {
      owners.push_back(count < 0 ? DescriptorSetLayout() : SetOf(static_cast<uint32_t>(count)));
      sets.push_back(owners.back());
    }
    ASSERT_OK(CreatePipeline(sets, GetParam().constants_size, &layout));
  }
  for (size_t i = 0; i < GetParam().sets.size(); ++i) {
    const int count = GetParam().sets[i];
    hal_descriptor_set_layout_t* set = hal_pipeline_layout_set(layout, i);
    EXPECT_EQ(set == nullptr, count < 0);
    EXPECT_EQ(BindingsOf(set).size(), static_cast<size_t>(std::max(count, 0)));
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, PipelineLayoutTest,
                         testing::Values(PipelineCase{"Empty", {}, 0}, PipelineCase{"ConstantsAlone", {}, 64},
                                         PipelineCase{"OneSet", {3}, 0}, PipelineCase{"OneSetAndConstants", {3}, 16},
                                         PipelineCase{"TwoSets", {2, 5}, 4}, PipelineCase{"EmptySet", {0, 2}, 0},
                                         PipelineCase{"UnusedSetBetween", {1, -1, 2}, 8},
                                         PipelineCase{"UnusedSetFirst", {-1, 2}, 0},
                                         PipelineCase{"UnusedSetLast", {2, -1}, 0}),
                         ByName);

TEST_F(LayoutTest, OneSetMayStandTwice) {
  const DescriptorSetLayout set = SetOf(2);
  PipelineLayout layout;
  ASSERT_OK(CreatePipeline({set, set}, 0, &layout));
  EXPECT_EQ(hal_pipeline_layout_binding_count(layout), 4u);
}

TEST_F(LayoutTest, MoreThanTheDeviceTakesIsOutOfRange) {
  const hal_device_limits_t& limits = device().limits();
  PipelineLayout layout;
  if (limits.max_constants_size < UINT32_MAX) {
    EXPECT_OK(CreatePipeline({}, limits.max_constants_size, &layout));
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, CreatePipeline({}, limits.max_constants_size + 1, &layout));
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, CreatePipeline({}, UINT32_MAX, &layout));
  }
  if (limits.max_descriptor_sets < 100'000) {
    std::vector<hal_descriptor_set_layout_t*> sets(limits.max_descriptor_sets, nullptr);
    EXPECT_OK(CreatePipeline(sets, 0, &layout));
    sets.push_back(nullptr);
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, CreatePipeline(sets, 0, &layout));
  }
  if (limits.max_bindings < 100'000 && limits.max_descriptor_sets > 1) {
    const DescriptorSetLayout most = SetOf(limits.max_bindings);
    const DescriptorSetLayout one = SetOf(1);
    EXPECT_OK(CreatePipeline({most}, 0, &layout));
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, CreatePipeline({most, one}, 0, &layout));
  }
}

TEST_F(LayoutTest, KeepsItsDevice) {
  DescriptorSetLayout set;
  PipelineLayout layout;
  {
    const Device other = OpenSecondDevice();
    const hal_descriptor_binding_t binding = {0, kReadWrite};
    ASSERT_OK(hal_descriptor_set_layout_create(other, 1, &binding, set.out()));
    hal_descriptor_set_layout_t* sets[] = {set};
    ASSERT_OK(hal_pipeline_layout_create(other, 1, sets, 0, layout.out()));
  }
  set.reset();
  EXPECT_EQ(hal_pipeline_layout_binding_count(layout), 1u);
}

TEST_F(LayoutTest, ThreadsShareOne) {
  const DescriptorSetLayout set = SetOf(2);
  OnThreads(4, [&](size_t) {
    for (int i = 0; i < 50; ++i) {
      PipelineLayout layout;
      ASSERT_OK(CreatePipeline({set}, 4, &layout));
      EXPECT_EQ(hal_pipeline_layout_set(layout, 0), set.get());
    }
  });
}

// --- In use ---

TEST_F(LayoutTest, GivenLayoutIsTheOneThatIsReflected) {
  const KernelSource source(device(), "basic");
  if (source.params().export_count == 0) GTEST_SKIP() << "images of this format describe their exports themselves";
  const DescriptorSetLayout set = SetOf(1);
  PipelineLayout layout;
  ASSERT_OK(CreatePipeline({set}, 0, &layout));
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.name = View("add_one");
  info.workgroup_size = {64, 1, 1};
  info.layout = layout;  // and no parameters: they are what the layout says
  hal_executable_params_t params = source.params();
  params.exports = &info;
  params.export_count = 1;
  Executable executable;
  ASSERT_OK(hal_executable_create(device(), &params, executable.out()));
  layout.reset();
  const hal_export_info_t* reflected = hal_executable_export_info(executable, 0);
  EXPECT_EQ(hal_pipeline_layout_binding_count(reflected->layout), 1u);
  EXPECT_EQ(reflected->binding_count, 1u);
  const Buffer data = device().CreateBufferOf(std::vector<uint32_t>(64, 1));
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueDispatch(kNoWaits, {{done, 1}}, executable, "add_one", Dispatch().Bind(data)));
  ASSERT_OK(done.Wait(1));
  EXPECT_THAT(Download<uint32_t>(data), testing::Each(2u));
}

}  // namespace
}  // namespace halyard::cts
