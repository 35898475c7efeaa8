// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One kernel with what its export says of its launches, and dispatches of it. The kernel tells the bytes of workgroup
// memory that it was launched with.
#ifndef HALYARD_TESTS_STREAM_DRIVERS_LAUNCH_RULES_TEST_H_
#define HALYARD_TESTS_STREAM_DRIVERS_LAUNCH_RULES_TEST_H_

#include <string>

#include "halyard/cpp/submit.hpp"
#include "interop_test.h"

namespace halyard::interop {

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

  void Load() { ASSERT_OK(TryToLoad()); }
  hal_status_t TryToLoad() {
    const std::string image = vendor::Image();
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.format = hal_string_view(vendor::kNames.format);
    params.data = image.data();
    params.data_size = image.size();
    params.exports = &info_;
    params.export_count = 1;
    return hal_executable_create(device_.get(), &params, executable_.out());
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
    const hal_status_t status = hal_device_queue_dispatch(device_.get(), hal::SubmitParams(List({}), List(signals), 1),
                                                          executable_.get(), 0, &params);
    if (status != HAL_STATUS_OK) --value_;
    return status;
  }
  void ExpectRefused(const hal_dispatch_params_t& params, const std::string& why) {
    const uint64_t launches = Launches();
    EXPECT_EQ(Dispatch(params), HAL_STATUS_INVALID_ARGUMENT);
    EXPECT_THAT(hal_last_error_message(), testing::HasSubstr(why));
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
  /// In streams. Only CUDA's library has the second function.
  uint64_t Launches() const { return sim().Calls(vendor::kNames.launch) + sim().Calls("cuLaunchKernelEx"); }

  const hal_parameter_t parameter_ = hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE);
  hal_export_info_t info_ = HAL_EXPORT_INFO_INIT;
  Ref<hal_executable_t> executable_;
  Ref<hal_buffer_t> out_;
  hal_buffer_ref_t binding_ = {};
  Ref<hal_semaphore_t> done_;
  uint64_t value_ = 0;
};

}  // namespace halyard::interop

#endif  // HALYARD_TESTS_STREAM_DRIVERS_LAUNCH_RULES_TEST_H_
