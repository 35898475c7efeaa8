// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that the driver does not make on AMD devices: they are refused in words when an executable is made, before
// the device has seen the kernel, and other kernels run afterwards.
#include "launch_rules_test.h"

namespace halyard::interop {
namespace {

using testing::HasSubstr;

TEST_P(LaunchRulesTest, CooperativeKernelsAreRefused) {
  info_.flags = HAL_EXPORT_COOPERATIVE;
  EXPECT_EQ(TryToLoad(), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_THAT(hal_last_error_message(),
              HasSubstr("export 0 (\"local_size\"): it is cooperative: the device does not promise that all workgroups "
                        "run at once"));
  info_.flags = 0;
  Load();
  EXPECT_EQ(Run(Workgroups(2)), 1024U) << "the device is not lost";
}

TEST_P(LaunchRulesTest, ClustersAreRefused) {
  info_.cluster_size = hal_dim3(2, 1, 1);
  EXPECT_EQ(TryToLoad(), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_THAT(hal_last_error_message(),
              HasSubstr("export 0 (\"local_size\"): it runs in clusters, which the device lacks"));
  info_.cluster_size = {};
  Load();
  EXPECT_EQ(Run(Workgroups(3)), 1024U);
}

// A kernel may begin early and need not: it waits by itself for what it needs.
TEST_P(LaunchRulesTest, ProgrammaticLaunchesAreOrdinaryOnes) {
  info_.flags = HAL_EXPORT_PROGRAMMATIC_LAUNCH;
  Load();
  const uint64_t launches = Launches();
  EXPECT_EQ(Run(Workgroups(1)), 1024U);
  EXPECT_EQ(Launches() - launches, 1U);
}

}  // namespace
}  // namespace halyard::interop
