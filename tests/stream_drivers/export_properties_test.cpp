// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the vendor's attributes and its occupancy calculator say of a kernel, as properties of the export.
#include "interop_test.h"
#include "test_kernel.h"

namespace halyard::interop {
namespace {

class ExportPropertiesTest : public InteropTest {
 protected:
  void SetUp() override {
    InteropTest::SetUp();
    const TestKernel kernel("look_up", {hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE)});
    ASSERT_OK(hal_executable_create(device_.get(), &kernel.params(), executable_.out()));
  }
  void TearDown() override {
    executable_ = {};
    InteropTest::TearDown();
  }

  hal_export_properties_t Query(uint32_t work_items, uint32_t local_memory = 0) const {
    hal_export_properties_t properties = HAL_INIT(hal_export_properties_t);
    EXPECT_OK(hal_executable_query_export_properties(executable_.get(), 0, hal_dim3(work_items, 1, 1), local_memory,
                                                     &properties));
    return properties;
  }

  Ref<hal_executable_t> executable_;
};

TEST_P(ExportPropertiesTest, RegistersAndSubgroupsAreTold) {
  const hal_export_properties_t properties = Query(1);
  EXPECT_GT(properties.register_count, 0u);
  EXPECT_GE(properties.preferred_multiple, 32u);
}

// Work-items bound the workgroups of a compute unit, and so does the memory of each.
TEST_P(ExportPropertiesTest, ResidentWorkgroupsAreCounted) {
  const uint32_t of_64 = Query(64).resident_workgroups;
  const uint32_t of_512 = Query(512).resident_workgroups;
  EXPECT_GT(of_512, 0u);
  EXPECT_GT(of_64, of_512);
  const auto most = static_cast<uint32_t>(Query(64).max_dynamic_local_memory);
  ASSERT_GT(most, 0u);
  const uint32_t with_most = Query(64, most).resident_workgroups;
  EXPECT_GT(with_most, 0u);
  EXPECT_LT(with_most, of_64);
}

INSTANTIATE_TEST_SUITE_P(Completion, ExportPropertiesTest, testing::Values("fast"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
