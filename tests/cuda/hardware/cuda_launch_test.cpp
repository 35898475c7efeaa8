// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that take more than bindings and constants, or ask more of a launch than a grid.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "cuda/hardware/cuda_test.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cuda {
namespace {

using testing::HasSubstr;

// `view` stores given.n through given.data, and 1000 more if the last parameter is not NULL. `ranks` stores the rank of
// a workgroup in its cluster, and the size of the cluster in x. `together` counts up to all workgroups and waits for
// them.
constexpr std::string_view kPtx = R"(.version 7.8
.target sm_90
.address_size 64
.visible .entry view(.param .align 8 .b8 given[16], .param .u64 nothing) {
  .reg .b64 %rd<4>;
  .reg .b32 %r<2>;
  .reg .pred %p;
  ld.param.u64 %rd1, [given];
  ld.param.u32 %r1, [given+8];
  ld.param.u64 %rd3, [nothing];
  cvta.to.global.u64 %rd2, %rd1;
  setp.ne.u64 %p, %rd3, 0;
  @%p add.u32 %r1, %r1, 1000;
  st.global.u32 [%rd2], %r1;
  ret;
}
.visible .entry ranks(.param .u64 out) {
  .reg .b64 %rd<4>;
  .reg .b32 %r<6>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %cluster_ctaid.x;
  mov.u32 %r3, %cluster_nctaid.x;
  mad.lo.u32 %r4, %r3, 16, %r2;
  mad.wide.u32 %rd3, %r1, 4, %rd2;
  st.global.u32 [%rd3], %r4;
  ret;
}
.visible .entry together(.param .u64 out) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<5>;
  .reg .pred %p;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %nctaid.x;
  atom.global.add.u32 %r2, [%rd2], 1;
again:
  ld.volatile.global.u32 %r3, [%rd2];
  setp.lt.u32 %p, %r3, %r1;
  @%p bra again;
  ret;
}
)";

class CudaLaunchTest : public CudaDeviceTest {
 public:
  void SetUp() override {
    CudaDeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (View(Architecture()) < "sm_90") GTEST_SKIP() << "clusters take sm_90";
    hal_buffer_params_t memory = HAL_BUFFER_PARAMS_INIT;
    memory.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE;
    memory.usage = HAL_BUFFER_USAGE_ALL;
    ASSERT_EQ(hal_allocator_allocate(hal_device_allocator(device_.get()), &memory, sizeof(words_), buffer_.out()),
              HAL_STATUS_OK);
    done_ = MakeSemaphore();
  }

  hal_string_view_t Architecture() {
    hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
    EXPECT_EQ(hal_device_query_properties(device_.get(), &properties), HAL_STATUS_OK);
    return properties.architecture;
  }

  hal_status_t Load(const hal_export_info_t& info) {
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.format = hal_string_view("ptx");
    params.data = kPtx.data();
    params.data_size = kPtx.size();
    params.exports = &info;
    params.export_count = 1;
    return hal_executable_create(device_.get(), &params, executable_.out());
  }
  /// One with a binding alone.
  static hal_export_info_t ExportOf(const char* name) {
    static const hal_parameter_t kBinding = hal_parameter_binding(0, HAL_BINDING_ACCESS_READ_WRITE);
    hal_export_info_t info = HAL_EXPORT_INFO_INIT;
    info.name = hal_string_view(name);
    info.workgroup_size = hal_dim3(1, 1, 1);
    info.parameters = &kBinding;
    info.parameter_count = 1;
    return info;
  }
  hal_dispatch_params_t DispatchOf(uint32_t workgroups) {
    ref_ = hal_buffer_ref(buffer_.get(), 0, HAL_WHOLE_SIZE);
    hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    params.workgroup_count = hal_dim3(workgroups, 1, 1);
    params.bindings = hal_buffer_ref_list(&ref_, 1);
    return params;
  }
  hal_status_t Submit(const hal_dispatch_params_t& params) {
    const Points signals = {{done_.get(), ++value_}};
    return hal_device_queue_dispatch(device_.get(), hal::SubmitParams(List({}), List(signals), 1), executable_.get(), 0,
                                     &params);
  }
  /// As a command buffer, which CUDA gets as a graph.
  hal_status_t Execute(const hal_dispatch_params_t& params) {
    hal_command_buffer_params_t kind = HAL_INIT(hal_command_buffer_params_t);
    Ref<hal_command_buffer_t> commands;
    EXPECT_EQ(hal_command_buffer_create(device_.get(), &kind, commands.out()), HAL_STATUS_OK);
    EXPECT_EQ(hal_command_buffer_begin(commands.get()), HAL_STATUS_OK);
    if (hal_status_t status = hal_command_buffer_dispatch(commands.get(), executable_.get(), 0, &params);
        status != HAL_STATUS_OK) {
      return status;
    }
    if (hal_status_t status = hal_command_buffer_end(commands.get()); status != HAL_STATUS_OK) return status;
    const Points signals = {{done_.get(), ++value_}};
    return hal_device_queue_execute(device_.get(), hal::SubmitParams(List({}), List(signals), 1), commands.get(),
                                    {nullptr, 0});
  }
  hal_status_t Wait() { return hal_semaphore_wait(done_.get(), value_, kTenSeconds); }
  uint32_t Word(size_t index) {
    EXPECT_EQ(hal_buffer_read(buffer_.get(), 0, words_.data(), sizeof(words_)), HAL_STATUS_OK);
    return words_[index];
  }
  void Clear() {
    words_.fill(0);
    EXPECT_EQ(hal_buffer_write(buffer_.get(), 0, words_.data(), sizeof(words_)), HAL_STATUS_OK);
  }

  Ref<hal_executable_t> executable_;
  Ref<hal_buffer_t> buffer_;
  Ref<hal_semaphore_t> done_;
  uint64_t value_ = 0;
  hal_buffer_ref_t ref_{};
  std::array<uint32_t, 256> words_{};
};

TEST_F(CudaLaunchTest, AnAddressAmongTheConstantsAndANullPointer) {
  std::array<hal_parameter_t, 3> parameters = {
      hal_parameter_constant(0, 16), hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE), hal_parameter_constant(0, 0)};
  parameters[1].kind = HAL_PARAMETER_KIND_BINDING_ADDRESS;
  parameters[2].kind = HAL_PARAMETER_KIND_NULL;
  hal_export_info_t info = ExportOf("view");
  info.constants_size = 16;
  info.parameters = parameters.data();
  info.parameter_count = 3;
  ASSERT_EQ(Load(info), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(hal_executable_export_info(executable_.get(), 0)->binding_count, 1u);
  const std::array<uint32_t, 4> constants = {0xdeadbeef, 0xdeadbeef, 77, 0};
  hal_dispatch_params_t params = DispatchOf(1);
  params.constants = constants.data();
  params.constants_size = 16;
  for (const auto& run : {&CudaLaunchTest::Submit, &CudaLaunchTest::Execute}) {
    Clear();
    ASSERT_EQ((this->*run)(params), HAL_STATUS_OK) << hal_last_error_message();
    ASSERT_EQ(Wait(), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(Word(0), 77u);
  }
}

TEST_F(CudaLaunchTest, WorkgroupsRunInClusters) {
  hal_export_info_t info = ExportOf("ranks");
  info.cluster_size = hal_dim3(4, 1, 1);
  ASSERT_EQ(Load(info), HAL_STATUS_OK) << hal_last_error_message();
  for (const auto& run : {&CudaLaunchTest::Submit, &CudaLaunchTest::Execute}) {
    Clear();
    ASSERT_EQ((this->*run)(DispatchOf(8)), HAL_STATUS_OK) << hal_last_error_message();
    ASSERT_EQ(Wait(), HAL_STATUS_OK) << hal_last_error_message();
    for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(Word(i), 4 * 16 + i % 4) << i;
  }
  EXPECT_EQ(Submit(DispatchOf(6)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("runs in clusters of (4, 1, 1) workgroups"));
}

TEST_F(CudaLaunchTest, ClustersOfSixteenAreAllowed) {
  hal_export_info_t info = ExportOf("ranks");
  info.cluster_size = hal_dim3(16, 1, 1);
  ASSERT_EQ(Load(info), HAL_STATUS_OK) << hal_last_error_message();
  Clear();
  ASSERT_EQ(Submit(DispatchOf(32)), HAL_STATUS_OK) << hal_last_error_message();
  ASSERT_EQ(Wait(), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Word(31), 16u * 16 + 15);
}

TEST_F(CudaLaunchTest, CooperativeWorkgroupsRunAllAtOnce) {
  hal_export_info_t info = ExportOf("together");
  info.flags = HAL_EXPORT_COOPERATIVE;
  ASSERT_EQ(Load(info), HAL_STATUS_OK) << hal_last_error_message();
  hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
  ASSERT_EQ(hal_device_query_properties(device_.get(), &properties), HAL_STATUS_OK);
  const uint32_t most = 8 * properties.compute_units;
  for (const auto& run : {&CudaLaunchTest::Submit, &CudaLaunchTest::Execute}) {
    Clear();
    ASSERT_EQ((this->*run)(DispatchOf(most)), HAL_STATUS_OK) << hal_last_error_message();
    ASSERT_EQ(Wait(), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(Word(0), most);
  }
}

TEST_F(CudaLaunchTest, TooManyCooperativeWorkgroupsAreRefusedAndTheDeviceWorksOn) {
  hal_export_info_t info = ExportOf("together");
  info.flags = HAL_EXPORT_COOPERATIVE;
  ASSERT_EQ(Load(info), HAL_STATUS_OK) << hal_last_error_message();
  const hal_status_t submitted = Submit(DispatchOf(1 << 20));
  const hal_status_t status = submitted == HAL_STATUS_OK ? Wait() : submitted;
  EXPECT_EQ(status, HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(),
              HasSubstr("it is cooperative, and 1048576 workgroups of 1x1x1 do not run at once"));
  done_ = MakeSemaphore();
  value_ = 0;
  Clear();
  ASSERT_EQ(Submit(DispatchOf(2)), HAL_STATUS_OK) << hal_last_error_message();
  ASSERT_EQ(Wait(), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Word(0), 2u);
}

TEST_F(CudaLaunchTest, WhatIsKnownBeforehandIsToldBeforehand) {
  hal_export_info_t info = ExportOf("ranks");
  info.flags = HAL_EXPORT_EXACT_WORKGROUP_SIZE | HAL_EXPORT_NEEDS_LOCAL_MEMORY;
  ASSERT_EQ(Load(info), HAL_STATUS_OK) << hal_last_error_message();
  hal_dispatch_params_t params = DispatchOf(1);
  EXPECT_EQ(Submit(params), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("uses dynamic workgroup memory"));
  params.dynamic_local_memory = 16;
  params.workgroup_size = hal_dim3(2, 1, 1);
  EXPECT_EQ(Submit(params), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("was compiled for (1, 1, 1) alone"));
  value_ = 0;
  params.workgroup_size = hal_dim3(0, 0, 0);
  EXPECT_EQ(Submit(params), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Wait(), HAL_STATUS_OK);
  info.flags = HAL_EXPORT_COOPERATIVE;
  ASSERT_EQ(Load(info), HAL_STATUS_OK);
  params.flags = HAL_DISPATCH_INDIRECT;
  params.indirect = hal_buffer_ref(buffer_.get(), 0, 12);
  EXPECT_EQ(Submit(params), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("is cooperative: its workgroup count must be known beforehand"));
}

TEST_F(CudaLaunchTest, ADispatchMayBeginEarly) {
  hal_export_info_t info = ExportOf("ranks");
  info.flags = HAL_EXPORT_PROGRAMMATIC_LAUNCH;
  ASSERT_EQ(Load(info), HAL_STATUS_OK) << hal_last_error_message();
  Clear();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(Submit(DispatchOf(8)), HAL_STATUS_OK) << hal_last_error_message();
  ASSERT_EQ(Wait(), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Word(7), 16u);
}

}  // namespace
}  // namespace halyard::cuda
