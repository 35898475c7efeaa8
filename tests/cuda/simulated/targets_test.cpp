// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which chips of NVIDIA's code for an architecture fits: later ones, those of its family, or its own alone.
#include "halyard/executable_targets.h"
#include "interop_test.h"
#include "unit/cuda_api.h"

namespace halyard::interop {
namespace {

using namespace cuda::abi;

class TargetsTest : public InteropTest {
 protected:
  void TearDown() override {
    SetCapability(90);
    InteropTest::TearDown();
  }
  void SetCapability(int capability) {
    sim().SetAttribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, capability / 10);
    sim().SetAttribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, capability % 10);
  }
  hal_status_t Rank(int capability, const char* format, const char* target, uint32_t* out_rank) {
    SetCapability(capability);
    const Ref<hal_device_t> device = OpenDevice(0);
    const void* table = nullptr;
    EXPECT_OK(hal_device_query_interface(device.get(), hal_string_view(HAL_EXECUTABLE_TARGETS_INTERFACE), 1, &table));
    return static_cast<const hal_executable_targets_interface_t*>(table)->rank(device.get(), hal_string_view(format),
                                                                               hal_string_view(target), out_rank);
  }
};

TEST_P(TargetsTest, ImagesFitTheChipsThatTheirTargetsName) {
  const struct {
    int capability;
    const char* format;
    const char* target;
    bool fits;
  } kAll[] = {
      {103, "cubin", "sm_100f", true},   {100, "cubin", "sm_100f", true},  {103, "ptx", "compute_100f", true},
      {103, "cubin", "sm_103f", true},   {100, "cubin", "sm_103f", false}, {121, "cubin", "sm_120f", true},
      {121, "ptx", "sm_120f", true},     {120, "cubin", "sm_100f", false}, {120, "ptx", "sm_100f", false},
      {110, "cubin", "sm_100f", false},  {101, "cubin", "sm_100f", false}, {101, "cubin", "sm_101f", true},
      {103, "cubin", "sm_100a", false},  {103, "ptx", "sm_100a", false},   {100, "cubin", "sm_100a", true},
      {103, "cubin", "sm_100", true},    {120, "cubin", "sm_100", false},  {120, "ptx", "sm_100", true},
      {90, "cubin", "sm_90f", false},    {90, "cubin", "sm_90a", true},    {100, "ptx", "sm_90a", false},
      {100, "cubin", "sm_100fa", false}, {100, "cubin", "sm_f", false},
  };
  for (const auto& each : kAll) {
    uint32_t rank = 0;
    EXPECT_EQ(Rank(each.capability, each.format, each.target, &rank),
              each.fits ? HAL_STATUS_OK : HAL_STATUS_INCOMPATIBLE)
        << each.format << " for " << each.target << " on " << each.capability;
  }
}

TEST_P(TargetsTest, CodeForALaterChipComesFirst) {
  uint32_t own = 0;
  uint32_t family = 0;
  ASSERT_OK(Rank(103, "cubin", "sm_103a", &own));
  ASSERT_OK(Rank(103, "cubin", "sm_100f", &family));
  EXPECT_LT(own, family);
}

INSTANTIATE_TEST_SUITE_P(Completion, TargetsTest, testing::Values("fast"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
