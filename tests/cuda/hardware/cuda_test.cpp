// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/hardware/cuda_test.h"

#include <cstdlib>

#include "halyard/cpp/submit.hpp"

namespace halyard::cuda {

const std::string_view kKernels = R"(
.version 6.0
.target sm_60
.address_size 64
.visible .entry do_trap() { trap; ret; }
.visible .entry write_far() {
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  mov.u64 %rd1, 64;
  mov.u32 %r1, 1;
  st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry spin(.param .u64 duration) {
  .reg .b64 %rd<5>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [duration];
  mov.u64 %rd2, %globaltimer;
again:
  mov.u64 %rd3, %globaltimer;
  sub.u64 %rd4, %rd3, %rd2;
  setp.lt.u64 %p1, %rd4, %rd1;
  @%p1 bra again;
  ret;
}
)";

std::string Uri(const std::string& parameters) {
  const char* const device = std::getenv("HALYARD_CUDA_TEST_DEVICE");
  return std::string(device ? device : "cuda://0") + (parameters.empty() ? "" : "?" + parameters);
}

hal_status_t Open(const std::string& uri, Ref<hal_device_t>* out) {
  return hal_device_create(hal_string_view(uri.c_str()), out->out());
}

hal_status_t Load(const Ref<hal_device_t>& device, std::string_view image, const char* name, uint32_t constants,
                  Ref<hal_executable_t>* out, const char* format) {
  const hal_parameter_t parameter = hal_parameter_constant(0, constants);
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.name = hal_string_view(name);
  info.constants_size = constants;
  info.parameters = constants > 0 ? &parameter : nullptr;
  info.parameter_count = constants > 0 ? 1 : 0;
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view(format);
  params.data = image.data();
  params.data_size = image.size();
  params.exports = &info;
  params.export_count = 1;
  return hal_executable_create(device.get(), &params, out->out());
}

hal_status_t Dispatch(const Ref<hal_device_t>& device, const Points& waits, const Points& signals,
                      const Ref<hal_executable_t>& executable, const uint64_t* constant) {
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  params.constants = constant;
  params.constants_size = constant ? sizeof(*constant) : 0;
  return hal_device_queue_dispatch(device.get(), hal::SubmitParams(List(waits), List(signals), 1), executable.get(), 0,
                                   &params);
}

ContextScope::ContextScope(const Ref<hal_device_t>& device) {
  CUcontext context = nullptr;
  EXPECT_EQ(Publish(CudaLibrary::Get(&cuda_)), HAL_STATUS_OK) << hal_last_error_message();
  const auto ordinal = static_cast<int>(hal_device_info(device.get())->ordinal);
  EXPECT_EQ(cuda_->cuDeviceGet(&device_, ordinal), CUDA_SUCCESS);
  EXPECT_EQ(cuda_->cuDevicePrimaryCtxRetain(&context, device_), CUDA_SUCCESS);
  EXPECT_EQ(cuda_->cuCtxPushCurrent_v2(context), CUDA_SUCCESS);
}

ContextScope::~ContextScope() {
  CUcontext context = nullptr;
  EXPECT_EQ(cuda_->cuCtxPopCurrent_v2(&context), CUDA_SUCCESS);
  EXPECT_EQ(cuda_->cuDevicePrimaryCtxRelease_v2(device_), CUDA_SUCCESS);
}

void CudaDeviceTest::SetUp() {
  if (Open(Uri(), &device_) != HAL_STATUS_OK) GTEST_SKIP() << hal_last_error_message();
}

Ref<hal_semaphore_t> CudaDeviceTest::MakeSemaphore() const {
  Ref<hal_semaphore_t> semaphore;
  EXPECT_EQ(hal_semaphore_create(device_.get(), nullptr, semaphore.out()), HAL_STATUS_OK);
  return semaphore;
}

}  // namespace halyard::cuda
