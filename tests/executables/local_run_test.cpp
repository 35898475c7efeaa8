// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An executable file from the writer to the results of its kernel, on the local driver.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/file/mapped_file.h"
#include "core/executable/variant_ranking.h"
#include "halyard/cpp/submit.hpp"
#include "halyard/halyard.h"
#include "image/halx/container_writer.h"
#include "support/entry_points.h"
#include "support/temporary_files.h"

namespace halyard {
namespace {

constexpr uint32_t kCount = 256;

/// `y = a * x` for this host, beside a variant for devices that are not here.
Status WriteKernels(const char* path) {
  MappedFile kernels;
  if (Status status = kernels.Open(KERNELS_PATH); status != kOk) return status;
  const std::string ptx = ".version 7.0 // not for this device";
  ContainerContents contents;
  contents.exports.push_back({"scale",
                              {64, 1, 1},
                              0,
                              4,
                              {hal_parameter_constant(0, 4), hal_parameter_binding(0, HAL_BINDING_ACCESS_READ),
                               hal_parameter_binding(1, HAL_BINDING_ACCESS_WRITE)}});
  contents.variants.push_back({"ptx", "sm_80", testing::EntryPointsOf({""}), std::as_bytes(std::span(ptx))});
  contents.variants.push_back(
      {"host-shared-object", HostArchitecture(), testing::EntryPointsOf({"scale_f32"}), kernels.bytes()});
  return WriteContainer(contents, path);
}

class LocalRunTest : public ::testing::TestWithParam<const char*> {
 protected:
  LocalRunTest() {
    EXPECT_EQ(Publish(WriteKernels(file_.path().c_str())), HAL_STATUS_OK) << LastErrorMessage();
    EXPECT_EQ(hal_device_create(hal_string_view(GetParam()), &device_), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(hal_semaphore_create(device_, nullptr, &done_), HAL_STATUS_OK);
  }
  ~LocalRunTest() override {
    for (hal_buffer_t* buffer : buffers_) hal_buffer_release(buffer);
    hal_executable_release(executable_);
    hal_semaphore_release(done_);
    hal_device_release(device_);
  }

  hal_status_t Load() {
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.path = hal_string_view(file_.path().c_str());
    return hal_executable_create(device_, &params, &executable_);
  }

  hal_buffer_t* Buffer(const std::vector<float>& values) {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
    params.usage |= HAL_BUFFER_USAGE_STORAGE;
    hal_buffer_t* buffer = nullptr;
    const size_t length = values.size() * sizeof(float);
    EXPECT_EQ(hal_allocator_allocate(hal_device_allocator(device_), &params, length, &buffer), HAL_STATUS_OK);
    EXPECT_EQ(hal_buffer_write(buffer, 0, values.data(), length), HAL_STATUS_OK);
    return buffers_.emplace_back(buffer);
  }

  hal_status_t Scale(float factor, hal_buffer_t* x, hal_buffer_t* y) {
    const std::array refs = {hal_buffer_ref(x, 0, HAL_WHOLE_SIZE), hal_buffer_ref(y, 0, HAL_WHOLE_SIZE)};
    hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
    dispatch.workgroup_count = {kCount / 64, 1, 1};
    dispatch.constants = &factor;
    dispatch.constants_size = sizeof(factor);
    dispatch.bindings = {refs.data(), refs.size()};
    const hal_timeline_point_t done = hal_timeline_point(done_, 1);
    const hal_status_t status =
        hal_device_queue_dispatch(device_, hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&done, 1)),
                                  executable_, 0, &dispatch);
    return status == HAL_STATUS_OK ? hal_semaphore_wait(done_, 1, HAL_TIMEOUT_INFINITE) : status;
  }

  TemporaryFile file_;
  hal_device_t* device_ = nullptr;
  hal_semaphore_t* done_ = nullptr;
  hal_executable_t* executable_ = nullptr;
  std::vector<hal_buffer_t*> buffers_;
};

TEST_P(LocalRunTest, AFilesKernelRuns) {
  ASSERT_EQ(Load(), HAL_STATUS_OK) << hal_last_error_message();
  std::remove(file_.path().c_str());  // not needed any more
  std::vector<float> values(kCount);
  for (uint32_t i = 0; i < kCount; ++i) values[i] = static_cast<float>(i);
  hal_buffer_t* const x = Buffer(values);
  hal_buffer_t* const y = Buffer(std::vector<float>(kCount));
  ASSERT_EQ(Scale(1.5F, x, y), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(hal_buffer_read(y, 0, values.data(), kCount * sizeof(float)), HAL_STATUS_OK);
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], 1.5F * static_cast<float>(i));
}

TEST_P(LocalRunTest, ReflectionTellsTheFilesNames) {
  ASSERT_EQ(Load(), HAL_STATUS_OK) << hal_last_error_message();
  const hal_export_info_t* info = hal_executable_export_info(executable_, 0);
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(View(info->name), "scale");
  EXPECT_EQ(View(info->symbol), "scale_f32");
}

INSTANTIATE_TEST_SUITE_P(Devices, LocalRunTest, ::testing::Values("local://sync", "local://task"),
                         [](const auto& each) { return std::string(std::string_view(each.param).substr(8)); });

}  // namespace
}  // namespace halyard
