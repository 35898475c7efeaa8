// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/executable/export_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "driver_kit/executable/pipeline_layout.h"
#include "fake_driver.h"

namespace halyard {
namespace {

using ::testing::ElementsAre;
using testing::MessageHas;

constexpr hal_binding_access_t kRead = HAL_BINDING_ACCESS_READ;
constexpr hal_binding_access_t kReadWrite = HAL_BINDING_ACCESS_READ_WRITE;
constexpr uint32_t kNoBinding = ExportTable::kNoBinding;

hal_parameter_t Binding(uint32_t set, uint32_t binding, hal_binding_access_t access = kReadWrite) {
  return {HAL_PARAMETER_KIND_BINDING, 0, 0, set, binding, access};
}

class ExportTableTest : public ::testing::Test {
 protected:
  ExportTableTest() {
    limits_.max_bindings = 4;
    limits_.max_descriptor_sets = 8;
    limits_.max_constants_size = 64;
    limits_.max_local_memory = 1024;
    limits_.max_workgroup_size = {256, 256, 64};
    limits_.max_workgroup_volume = 256;
    info_.limits = &limits_;
    device_.info = &info_;
  }

  static hal_export_info_t Export(const char* name, const std::vector<hal_parameter_t>& parameters = {},
                                  uint32_t constants_size = 0) {
    hal_export_info_t info = HAL_EXPORT_INFO_INIT;
    info.name = hal_string_view(name);
    info.parameters = parameters.data();
    info.parameter_count = static_cast<uint32_t>(parameters.size());
    info.constants_size = constants_size;
    return info;
  }
  Status Assign(const std::vector<hal_export_info_t>& exports) { return table_.Assign(&device_, exports); }
  Ref<hal_pipeline_layout_t> Layout(const std::vector<hal_descriptor_binding_t>& bindings, uint32_t constants_size) {
    const auto set = DescriptorSetLayout::Create(bindings);
    hal_descriptor_set_layout_t* const sets[] = {set.get()};
    return PipelineLayout::Create(sets, constants_size);
  }

  hal_device_limits_t limits_ = {};
  hal_device_info_t info_ = {};
  hal_device_t device_ = {};
  ExportTable table_;
};

TEST_F(ExportTableTest, OwnsWhatItWasGiven) {
  {
    std::string name = "a kernel with a name that does not fit into a small string";
    std::string symbol = "symbol";
    std::vector<hal_parameter_t> parameters = {hal_parameter_constant(0, 4), hal_parameter_binding(0, kRead)};
    hal_export_info_t info = Export(name.c_str(), parameters, 8);
    info.symbol = hal_string_view(symbol.c_str());
    info.workgroup_size = {8, 4, 2};
    info.local_memory_size = 64;
    info.binding_count = 99;  // ignored
    ASSERT_EQ(Assign({info}), kOk) << hal_last_error_message();
    name.assign(name.size(), 'x');
    symbol.assign(symbol.size(), 'x');
    parameters.assign(2, hal_parameter_t{});
  }
  const ExportTable moved = std::move(table_);
  const hal_export_info_t& info = *moved.Info(0);
  EXPECT_EQ(info.struct_size, sizeof(info));
  EXPECT_EQ(View(info.name), "a kernel with a name that does not fit into a small string");
  EXPECT_EQ(info.name.data[info.name.size], '\0');
  EXPECT_EQ(View(info.symbol), "symbol");
  EXPECT_EQ(moved.Symbol(0), "symbol");
  EXPECT_EQ(info.workgroup_size.y, 4u);
  EXPECT_EQ(info.local_memory_size, 64u);
  EXPECT_EQ(info.constants_size, 8u);
  EXPECT_EQ(info.binding_count, 1u);
  ASSERT_EQ(info.parameter_count, 2u);
  EXPECT_EQ(info.parameters[0].size, 4u);
  EXPECT_EQ(info.parameters[1].access, kRead);
}

TEST_F(ExportTableTest, EmptyTable) {
  EXPECT_EQ(Assign({}), kOk);
  EXPECT_EQ(table_.Count(), 0u);
  EXPECT_EQ(table_.Info(0), nullptr);
}

TEST_F(ExportTableTest, TheSymbolIsTheNameUnlessGiven) {
  ASSERT_EQ(Assign({Export("f")}), kOk);
  EXPECT_EQ(table_.Symbol(0), "f");
  EXPECT_EQ(table_.Info(0)->symbol.size, 0u);
}

TEST_F(ExportTableTest, ReflectsALayoutWithGaps) {
  const std::vector<hal_parameter_t> parameters = {Binding(2, 5, kRead), hal_parameter_constant(8, 8), Binding(0, 3),
                                                   Binding(2, 1)};
  ASSERT_EQ(Assign({Export("f", parameters, 16)}), kOk) << hal_last_error_message();
  hal_pipeline_layout_t* const layout = table_.Info(0)->layout;
  EXPECT_EQ(hal_pipeline_layout_set_count(layout), 3u);
  EXPECT_EQ(hal_pipeline_layout_set(layout, 1), nullptr);
  EXPECT_EQ(hal_pipeline_layout_binding_count(layout), 3u);
  EXPECT_EQ(hal_pipeline_layout_constants_size(layout), 16u);
  const auto last = PipelineLayout::From(layout).SetBindings(2);
  EXPECT_EQ(last[0].binding, 1u);
  EXPECT_EQ(last[1].binding, 5u);
  EXPECT_EQ(last[1].access, kRead);
  EXPECT_THAT(table_.ParameterBindings(0), ElementsAre(2, kNoBinding, 0, 1));
}

TEST_F(ExportTableTest, KeepsAGivenLayout) {
  const auto layout = Layout({{0, kReadWrite}, {1, kRead}}, 4);
  const std::vector<hal_parameter_t> parameters = {Binding(0, 1, kRead), Binding(0, 0, kRead),
                                                   hal_parameter_constant(0, 4)};
  hal_export_info_t info = Export("f", parameters, 4);
  info.layout = layout.get();
  ASSERT_EQ(Assign({info}), kOk) << hal_last_error_message();
  EXPECT_EQ(table_.Info(0)->layout, layout.get());
}

TEST_F(ExportTableTest, TakesParametersFromALayoutAlone) {
  const auto layout = Layout({{3, kReadWrite}, {7, kRead}}, 12);
  hal_export_info_t info = Export("f", {}, 12);
  info.layout = layout.get();
  ASSERT_EQ(Assign({info}), kOk) << hal_last_error_message();
  const hal_export_info_t& made = *table_.Info(0);
  EXPECT_EQ(made.binding_count, 2u);
  ASSERT_EQ(made.parameter_count, 3u);
  EXPECT_EQ(made.parameters[1].binding, 7u);
  EXPECT_EQ(made.parameters[2].kind, HAL_PARAMETER_KIND_CONSTANT);
  EXPECT_EQ(made.parameters[2].size, 12u);
}

TEST_F(ExportTableTest, RefusesALayoutThatDisagrees) {
  const auto layout = Layout({{0, kRead}, {1, kRead}}, 4);
  const auto check = [&](const std::vector<hal_parameter_t>& parameters, uint32_t constants_size) {
    hal_export_info_t info = Export("f", parameters, constants_size);
    info.layout = layout.get();
    return Assign({info});
  };
  EXPECT_EQ(check({Binding(0, 0, kRead), Binding(0, 1, kRead)}, 4), kOk);
  EXPECT_EQ(Publish(check({Binding(0, 0, kRead), Binding(0, 1, kRead)}, 8)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Publish(check({Binding(0, 0, kRead)}, 4)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Publish(check({Binding(0, 0, kRead), Binding(1, 1, kRead)}, 4)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Publish(check({Binding(0, 0, kRead), Binding(0, 1, kReadWrite)}, 4)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("binding 1 of set 0 has access 0"));
}

TEST_F(ExportTableTest, NamesMustBeGivenAndUnique) {
  EXPECT_EQ(Publish(Assign({Export("a"), Export("")})), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("export 1"));
  EXPECT_EQ(Publish(Assign({Export("a"), Export("b"), Export("a")})), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("exports 0 and 2 have the same name \"a\""));
  hal_export_info_t zero = Export("a");
  zero.name = {"a\0b", 3};
  EXPECT_EQ(Publish(Assign({zero})), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(ExportTableTest, ParametersMustMakeSense) {
  const auto check = [&](const std::vector<hal_parameter_t>& parameters) {
    return Assign({Export("f", parameters, 8)});
  };
  EXPECT_EQ(check({hal_parameter_constant(4, 4)}), kOk);
  EXPECT_EQ(Publish(check({hal_parameter_constant(4, 5)})), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("export 0 (\"f\"): parameter 0 takes constant bytes [4, 9), but constants_size is 8"));
  EXPECT_EQ(Publish(check({hal_parameter_constant(UINT32_MAX, UINT32_MAX)})), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Publish(check({hal_parameter_constant(0, 0)})), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Publish(check({Binding(0, 1), Binding(0, 2), Binding(0, 1)})), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("binding 1 of set 0 is in two parameters"));
  EXPECT_EQ(Publish(check({Binding(8, 0)})), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(Publish(check({Binding(0, 0, static_cast<hal_binding_access_t>(77))})), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Publish(check({Binding(0, 0), Binding(0, 1), Binding(0, 2), Binding(0, 3), Binding(0, 4)})),
            HAL_STATUS_OUT_OF_RANGE);
  hal_parameter_t odd = Binding(0, 0);
  odd.size = 8;
  EXPECT_EQ(Publish(check({odd})), HAL_STATUS_INVALID_ARGUMENT);
  odd = Binding(0, 0);
  odd.kind = static_cast<hal_parameter_kind_t>(6);
  EXPECT_EQ(Publish(check({odd})), HAL_STATUS_INVALID_ARGUMENT);
  hal_export_info_t missing = Export("f");
  missing.parameters = nullptr;
  missing.parameter_count = 1;
  EXPECT_EQ(Publish(Assign({missing})), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(ExportTableTest, SetNumbersAreBoundedWithoutADeviceLimit) {
  limits_.max_descriptor_sets = UINT32_MAX;
  const std::vector<hal_parameter_t> parameters = {Binding(UINT32_MAX - 1, 0)};
  EXPECT_EQ(Publish(Assign({Export("f", parameters)})), HAL_STATUS_OUT_OF_RANGE);
}

TEST_F(ExportTableTest, DeviceLimitsHold) {
  const auto sized = [&](uint32_t x, uint32_t y, uint32_t z) {
    hal_export_info_t info = Export("f");
    info.workgroup_size = {x, y, z};
    return Assign({info});
  };
  EXPECT_EQ(sized(256, 1, 1), kOk);
  EXPECT_EQ(sized(0, 0, 0), kOk);  // each dispatch says
  EXPECT_EQ(sized(16, 16, 1), kOk);
  EXPECT_EQ(Publish(sized(16, 16, 2)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(Publish(sized(1, 1, 65)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(Publish(sized(16, 0, 1)), HAL_STATUS_INVALID_ARGUMENT);
  hal_export_info_t info = Export("f");
  info.local_memory_size = 1025;
  EXPECT_EQ(Publish(Assign({info})), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(Publish(Assign({Export("f", {}, 65)})), HAL_STATUS_OUT_OF_RANGE);
}

TEST_F(ExportTableTest, VolumesDoNotOverflow) {
  limits_.max_workgroup_size = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  limits_.max_workgroup_volume = UINT32_MAX;
  hal_export_info_t info = Export("f");
  info.workgroup_size = {1u << 31, 1u << 31, 4};  // 2^64
  EXPECT_EQ(Publish(Assign({info})), HAL_STATUS_OUT_OF_RANGE);
}

TEST_F(ExportTableTest, AFailureLeavesTheTableAlone) {
  ASSERT_EQ(Assign({Export("old")}), kOk);
  EXPECT_EQ(Publish(Assign({Export("new"), Export("")})), HAL_STATUS_INVALID_ARGUMENT);
  ASSERT_EQ(table_.Count(), 1u);
  EXPECT_EQ(View(table_.Info(0)->name), "old");
}

TEST_F(ExportTableTest, DevicesWithoutAddressesRefuseWhatTheyCannotPass) {
  struct Case {
    hal_parameter_kind_t kind;
    const char* word;
  };
  for (const Case& one :
       {Case{HAL_PARAMETER_KIND_NULL, "a null pointer"}, Case{HAL_PARAMETER_KIND_SCRATCH, "scratch memory"},
        Case{HAL_PARAMETER_KIND_BINDING_ADDRESS, "the address of a binding among its constants"},
        Case{HAL_PARAMETER_KIND_TENSOR_MAP, "a tensor map"}}) {
    std::vector<hal_parameter_t> parameters = {Binding(0, 0), Binding(0, 1)};
    parameters[1].kind = one.kind;
    const hal_export_info_t info = Export("f", parameters, 8);
    EXPECT_EQ(Publish(CheckPlainExports({&info, 1})), HAL_STATUS_UNIMPLEMENTED);
    EXPECT_TRUE(MessageHas(
        (std::string("export 0 (\"f\"): parameter 1 is ") + one.word + ", which the device cannot pass").c_str()));
  }
  hal_export_info_t info = Export("f");
  EXPECT_EQ(CheckPlainExports({&info, 1}), kOk);
  info.flags = HAL_EXPORT_COOPERATIVE;
  EXPECT_EQ(Publish(CheckPlainExports({&info, 1})), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_TRUE(MessageHas("it is cooperative"));
  info.cluster_size = {2, 1, 1};
  EXPECT_EQ(Publish(CheckPlainExports({&info, 1})), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_TRUE(MessageHas("it runs in clusters, which the device lacks"));
}

TEST_F(ExportTableTest, FixedSidesAreThoseOfTheSize) {
  hal_export_info_t info = Export("f");
  info.flags = HAL_EXPORT_EXACT_WORKGROUP_SIZE;
  info.workgroup_size = {64, 2, 1};
  info.fixed_sides = {0, 4, 1};
  EXPECT_EQ(Publish(Assign({info})), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("export 0 (\"f\"): workgroup_size is (64, 2, 1), but fixed_sides (0, 4, 1)"));
  info.workgroup_size = {0, 1, 1};
  ASSERT_EQ(Assign({info}), kOk) << LastErrorMessage() << ": each dispatch says";
  EXPECT_EQ(table_.Info(0)->fixed_sides.y, 4u);
  info.workgroup_size = {32, 4, 1};
  EXPECT_EQ(Assign({info}), kOk) << LastErrorMessage();
}

TEST_F(ExportTableTest, TensorMapsAreCopied) {
  std::vector<hal_parameter_t> parameters = {Binding(0, 0)};
  parameters[0].kind = HAL_PARAMETER_KIND_TENSOR_MAP;
  hal_tensor_map_t map = {};
  map.rank = 1;
  map.box[0] = 16;
  map.sizes[0].value = 100;
  map.strides[0].value = 1;
  hal_export_info_t info = Export("f", parameters);
  EXPECT_EQ(Publish(Assign({info})), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("tensor_maps: there are 0 for 1 parameters that are one"));
  info.tensor_map_count = 1;
  EXPECT_EQ(Publish(Assign({info})), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("tensor_map_count is 1, but tensor_maps is NULL"));
  info.tensor_maps = &map;
  ASSERT_EQ(Assign({info}), kOk) << LastErrorMessage();
  map.box[0] = 32;
  const hal_export_info_t& kept = *table_.Info(0);
  ASSERT_EQ(kept.tensor_map_count, 1u);
  EXPECT_EQ(kept.tensor_maps[0].box[0], 16u);
  EXPECT_EQ(kept.binding_count, 1u);
}

}  // namespace
}  // namespace halyard
