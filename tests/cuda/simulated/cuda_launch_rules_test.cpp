// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that CUDA alone has: how the driver makes them, and that what breaks a rule is told before the device sees
// it.
#include "halyard/cpp/submit.hpp"
#include "launch_rules_test.h"

namespace halyard::interop {
namespace {

using testing::HasSubstr;

TEST_P(LaunchRulesTest, ClustersAreWhole) {
  info_.cluster_size = hal_dim3(2, 1, 1);
  Load();
  ExpectRefused(Workgroups(3),
                "params->workgroup_count is (3, 1, 1), but \"local_size\" runs in clusters of (2, 1, 1) workgroups");
  const uint64_t launches = sim().Calls("cuLaunchKernelEx");
  EXPECT_EQ(Run(Workgroups(4)), 1024U);
  EXPECT_EQ(sim().Calls("cuLaunchKernelEx") - launches, 1U);
  hal_dispatch_params_t indirect = Workgroups(1);
  indirect.flags = HAL_DISPATCH_INDIRECT;
  indirect.indirect = hal_buffer_ref(out_.get(), 0, 12);
  ExpectRefused(indirect, "runs in clusters: its workgroup count must be known beforehand");
}

// The limit is the device's own, which the driver asks for. The device works on.
TEST_P(LaunchRulesTest, CooperativeWorkgroupsRunAllAtOnce) {
  info_.flags = HAL_EXPORT_COOPERATIVE;
  Load();
  const uint64_t launches = sim().Calls("cuLaunchKernelEx");
  EXPECT_EQ(Run(Workgroups(2)), 1024U);
  EXPECT_EQ(sim().Calls("cuLaunchKernelEx") - launches, 1U);
  ExpectRefused(Workgroups(1 << 20), "it is cooperative, and 1048576 workgroups of 1x1x1 do not run");
  EXPECT_EQ(Run(Workgroups(2)), 1024U);
}

TEST_P(LaunchRulesTest, CooperativeDispatchesAreRefusedWhenTheyAreRecorded) {
  info_.flags = HAL_EXPORT_COOPERATIVE;
  Load();
  binding_ = hal_buffer_ref(out_.get(), 0, HAL_WHOLE_SIZE);
  const hal_command_buffer_params_t reusable = HAL_INIT(hal_command_buffer_params_t);
  Ref<hal_command_buffer_t> commands;
  ASSERT_OK(hal_command_buffer_create(device_.get(), &reusable, commands.out()));
  ASSERT_OK(hal_command_buffer_begin(commands.get()));
  const hal_dispatch_params_t params = Workgroups(1 << 20);
  EXPECT_EQ(hal_command_buffer_dispatch(commands.get(), executable_.get(), 0, &params), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("do not run at once: the device runs "));
  EXPECT_EQ(hal_command_buffer_end(commands.get()), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Run(Workgroups(2)), 1024U) << "the device is not lost";
}

TEST_P(LaunchRulesTest, TheDeviceIsAskedOnceWhatRunsAtOnce) {
  info_.flags = HAL_EXPORT_COOPERATIVE;
  Load();
  constexpr const char* kQuestion = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
  EXPECT_EQ(Run(Workgroups(2)), 1024U);
  const uint64_t own = sim().Calls(kQuestion);
  EXPECT_EQ(Run(Workgroups(2)), 1024U);
  const uint64_t of_launch = sim().Calls(kQuestion) - own;  // the simulated launch asks, too
  EXPECT_EQ(own, of_launch + 1);
  hal_dispatch_params_t params = Workgroups(2);
  params.dynamic_local_memory = 64;
  EXPECT_EQ(Run(params), 1088U);
  EXPECT_EQ(sim().Calls(kQuestion) - own, 2 * of_launch + 1) << "another size is another question";
}

TEST_P(LaunchRulesTest, ProgrammaticLaunchesAreAttributes) {
  info_.flags = HAL_EXPORT_PROGRAMMATIC_LAUNCH;
  Load();
  const uint64_t launches = sim().Calls("cuLaunchKernelEx");
  EXPECT_EQ(Run(Workgroups(1)), 1024U);
  EXPECT_EQ(sim().Calls("cuLaunchKernelEx") - launches, 1U);
}

TEST_P(LaunchRulesTest, NodesOfGraphsHaveTheAttributes) {
  device_ = OpenDevice(0, "&command_buffer=graph");
  done_ = MakeSemaphore();
  value_ = 0;
  info_.cluster_size = hal_dim3(2, 1, 1);
  info_.flags = HAL_EXPORT_COOPERATIVE;
  Load();
  hal_command_buffer_params_t reusable = HAL_INIT(hal_command_buffer_params_t);
  reusable.binding_capacity = 1;
  Ref<hal_command_buffer_t> commands;
  ASSERT_OK(hal_command_buffer_create(device_.get(), &reusable, commands.out()));
  ASSERT_OK(hal_command_buffer_begin(commands.get()));
  binding_ = hal_slot_ref(0, 0, 4);
  const hal_dispatch_params_t params = Workgroups(4);
  ASSERT_OK(hal_command_buffer_dispatch(commands.get(), executable_.get(), 0, &params));
  ASSERT_OK(hal_command_buffer_end(commands.get()));
  hal_buffer_params_t where = HAL_BUFFER_PARAMS_INIT;
  where.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE;
  where.usage = HAL_BUFFER_USAGE_ALL;
  const uint64_t attributes = sim().Calls("cuGraphKernelNodeSetAttribute");
  Ref<hal_buffer_t> outs[2];
  for (Ref<hal_buffer_t>& out : outs) {
    ASSERT_OK(hal_allocator_allocate(hal_device_allocator(device_.get()), &where, 16, out.out()));
    const hal_buffer_ref_t table = hal_buffer_ref(out.get(), 0, HAL_WHOLE_SIZE);
    const Points signals = {{done_.get(), ++value_}};
    ASSERT_OK(hal_device_queue_execute(device_.get(), hal::SubmitParams(List({}), List(signals), 1), commands.get(),
                                       hal_buffer_ref_list(&table, 1)));
    ASSERT_OK(Wait(done_, value_));
    uint32_t bytes = 0;
    ASSERT_OK(hal_buffer_read(out.get(), 0, &bytes, sizeof(bytes)));
    EXPECT_EQ(bytes, 1024U);
  }
  EXPECT_EQ(sim().Calls("cuGraphKernelNodeSetAttribute") - attributes, 2U) << "of one node, which is patched once";
}

}  // namespace
}  // namespace halyard::interop
