// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an export says of its launches: how the driver launches it, and that what breaks a rule is told before the
// device sees it.
#include <string>
#include <vector>

#include "interop_test.h"
#include "test_kernel.h"
#include "unit/cuda_api.h"

namespace halyard::interop {
namespace {

using testing::HasSubstr;

class LaunchRulesTest : public InteropTest {
 protected:
  void SetUp() override {
    InteropTest::SetUp();
    done_ = MakeSemaphore();
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE;
    params.usage = HAL_BUFFER_USAGE_ALL;
    ASSERT_OK(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, 16, out_.out()));
    info_.name = hal_string_view("local_size");
    info_.workgroup_size = hal_dim3(1, 1, 1);
    info_.local_memory_size = 1024;
    info_.parameters = &parameter_;
    info_.parameter_count = 1;
  }
  void TearDown() override {
    executable_ = {};
    out_ = {};
    done_ = {};
    InteropTest::TearDown();
  }

  void Load() {
    const std::string image = vendor::Image();
    hal_executable_params_t params = HAL_EXECUTABLE_PARAMS_INIT;
    params.format = hal_string_view("ptx");
    params.data = image.data();
    params.data_size = image.size();
    params.exports = &info_;
    params.export_count = 1;
    ASSERT_OK(hal_executable_create(device_.get(), &params, executable_.out()));
  }
  hal_dispatch_params_t Workgroups(uint32_t count) const {
    hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    params.workgroup_count = hal_dim3(count, 1, 1);
    params.bindings = hal_buffer_ref_list(&binding_, 1);
    return params;
  }
  hal_status_t Dispatch(const hal_dispatch_params_t& params) {
    binding_ = hal_buffer_ref(out_.get(), 0, HAL_WHOLE_SIZE);
    const Points signals = {{done_.get(), ++value_}};
    const hal_status_t status =
        hal_device_queue_dispatch(device_.get(), 1, List({}), List(signals), executable_.get(), 0, &params);
    if (status != HAL_STATUS_OK) --value_;
    return status;
  }
  void ExpectRefused(const hal_dispatch_params_t& params, const std::string& why) {
    const uint64_t launches = Launches();
    EXPECT_EQ(Dispatch(params), HAL_STATUS_INVALID_ARGUMENT);
    EXPECT_THAT(hal_last_error_message(), HasSubstr(why));
    EXPECT_EQ(Launches(), launches);
  }
  /// What the kernel says: bytes of workgroup memory.
  uint32_t Run(const hal_dispatch_params_t& params) {
    EXPECT_OK(Dispatch(params));
    EXPECT_OK(Wait(done_, value_));
    uint32_t bytes = 0;
    EXPECT_OK(hal_buffer_read(out_.get(), 0, &bytes, sizeof(bytes)));
    return bytes;
  }
  uint64_t Launches() const { return sim().Calls("cuLaunchKernel") + sim().Calls("cuLaunchKernelEx"); }

  const hal_parameter_t parameter_ = hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE);
  hal_export_info_t info_ = HAL_EXPORT_INFO_INIT;
  Ref<hal_executable_t> executable_;
  Ref<hal_buffer_t> out_;
  hal_buffer_ref_t binding_ = {};
  Ref<hal_semaphore_t> done_;
  uint64_t value_ = 0;
};

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

// The limit is the device's own, so that the signal fails. The device works on.
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
  const hal_command_buffer_params_t reusable = HAL_COMMAND_BUFFER_PARAMS_INIT;
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
  hal_command_buffer_params_t reusable = HAL_COMMAND_BUFFER_PARAMS_INIT;
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
    ASSERT_OK(hal_device_queue_execute(device_.get(), 1, List({}), List(signals), commands.get(),
                                       hal_buffer_ref_list(&table, 1)));
    ASSERT_OK(Wait(done_, value_));
    uint32_t bytes = 0;
    ASSERT_OK(hal_buffer_read(out.get(), 0, &bytes, sizeof(bytes)));
    EXPECT_EQ(bytes, 1024U);
  }
  EXPECT_EQ(sim().Calls("cuGraphKernelNodeSetAttribute") - attributes, 2U) << "of one node, which is patched once";
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
