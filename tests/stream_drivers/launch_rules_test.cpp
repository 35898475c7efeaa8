// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an export says of its launches, on every vendor's device: what breaks a rule is told before the device sees it.
// Clusters, cooperative and programmatic launches are the vendors' own to test.
#include "launch_rules_test.h"

namespace halyard::interop {
namespace {

TEST_P(LaunchRulesTest, SizesMayBeExact) {
  info_.flags = HAL_EXPORT_EXACT_WORKGROUP_SIZE;
  Load();
  hal_dispatch_params_t params = Workgroups(1);
  params.workgroup_size = hal_dim3(2, 1, 1);
  ExpectRefused(params, "params->workgroup_size is (2, 1, 1), but \"local_size\" was compiled for (1, 1, 1) alone");
  params.workgroup_size = hal_dim3(1, 1, 1);
  EXPECT_EQ(Run(params), 1024U);
}

TEST_P(LaunchRulesTest, DynamicMemoryThatIsNeededIsAskedFor) {
  info_.flags = HAL_EXPORT_NEEDS_LOCAL_MEMORY;
  Load();
  hal_dispatch_params_t params = Workgroups(1);
  ExpectRefused(params, "params->dynamic_local_memory is 0, but \"local_size\" uses dynamic workgroup memory");
  params.dynamic_local_memory = 64;
  EXPECT_EQ(Run(params), 1024U + 64);
}

TEST_P(LaunchRulesTest, DynamicMemoryThatIsKnownIsGiven) {
  info_.flags = HAL_EXPORT_NEEDS_LOCAL_MEMORY;
  info_.dynamic_local_memory_size = 4096;
  Load();
  EXPECT_EQ(Run(Workgroups(1)), 1024U + 4096);
  hal_dispatch_params_t params = Workgroups(1);
  params.dynamic_local_memory = 64;
  EXPECT_EQ(Run(params), 1024U + 4096 + 64);
}

TEST_P(LaunchRulesTest, GuessesAreNamedWhenADispatchDoesNotFit) {
  hal_parameter_info_t guess = {};
  guess.flags = HAL_PARAMETER_GUESSED;
  info_.parameter_infos = &guess;
  Load();
  hal_dispatch_params_t params = Workgroups(1);
  params.constants = "12345678";
  params.constants_size = 8;
  ExpectRefused(params,
                "params->constants_size is 8, but \"local_size\" takes 0 bytes; parameter 0 is a guess, as the image "
                "does not tell addresses from numbers");
  params = Workgroups(1);
  params.bindings = hal_buffer_ref_list(nullptr, 0);
  ExpectRefused(params, "takes 1 bindings; parameter 0 is a guess");
}

INSTANTIATE_TEST_SUITE_P(Completion, LaunchRulesTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
