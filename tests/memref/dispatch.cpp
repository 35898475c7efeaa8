// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dispatch.h"

#include <utility>

#include "halyard/cpp/submit.hpp"

namespace halyard::testing {

DispatchTest::~DispatchTest() {
  for (hal_buffer_t* const buffer : buffers_) hal_buffer_release(buffer);
  hal_buffer_release(counts_);
  hal_semaphore_release(done_);
}

void DispatchTest::Bind(const std::vector<float>& values, std::vector<int64_t> sizes, std::vector<int64_t> strides) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  params.usage |= HAL_BUFFER_USAGE_STORAGE;
  hal_buffer_t* buffer = nullptr;
  const uint64_t length = values.size() * sizeof(float);
  ASSERT_EQ(hal_allocator_allocate(hal_device_allocator(device_), &params, length, &buffer), HAL_STATUS_OK);
  buffers_.push_back(buffer);
  ASSERT_EQ(hal_buffer_write(buffer, 0, values.data(), length), HAL_STATUS_OK);
  refs_.push_back(hal_buffer_ref(buffer, 0, HAL_WHOLE_SIZE));
  sizes_.push_back(std::move(sizes));
  strides_.push_back(std::move(strides));
}

void DispatchTest::BindAgain(size_t binding, std::vector<int64_t> sizes) {
  hal_buffer_retain(buffers_[binding]);
  buffers_.push_back(buffers_[binding]);
  refs_.push_back(refs_[binding]);
  sizes_.push_back(std::move(sizes));
  strides_.emplace_back();
}

hal_dispatch_params_t DispatchTest::Params(bool with_shapes) {
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  params.bindings = hal_buffer_ref_list(refs_.data(), refs_.size());
  shapes_.clear();
  for (size_t i = 0; i < refs_.size(); ++i) {
    shapes_.push_back({HAL_ELEMENT_TYPE_F32, static_cast<uint32_t>(sizes_[i].size()), sizes_[i].data(),
                       strides_[i].empty() ? nullptr : strides_[i].data()});
  }
  if (with_shapes) params.binding_shapes = shapes_.data();
  return params;
}

void DispatchTest::MakeIndirect(const hal_dim3_t& counts, hal_dispatch_params_t* params) {
  if (!counts_) {
    hal_buffer_params_t of_counts = HAL_BUFFER_PARAMS_STAGING_INIT;
    of_counts.usage |= HAL_BUFFER_USAGE_INDIRECT;
    ASSERT_EQ(hal_allocator_allocate(hal_device_allocator(device_), &of_counts, sizeof(counts), &counts_),
              HAL_STATUS_OK);
  }
  ASSERT_EQ(hal_buffer_write(counts_, 0, &counts, sizeof(counts)), HAL_STATUS_OK);
  params->flags |= HAL_DISPATCH_INDIRECT;
  params->indirect = hal_buffer_ref(counts_, 0, HAL_WHOLE_SIZE);
}

hal_timeline_point_t DispatchTest::NewPoint() {
  hal_semaphore_release(done_);
  done_ = nullptr;
  EXPECT_EQ(hal_semaphore_create(device_, nullptr, &done_), HAL_STATUS_OK);
  return {done_, 1};
}

hal_status_t DispatchTest::Submit(const hal_dispatch_params_t& params, uint32_t ordinal) {
  const hal_timeline_point_t point = NewPoint();
  return hal_device_queue_dispatch(device_, hal::SubmitParams({}, {&point, 1}), executable_, ordinal, &params);
}

hal_status_t DispatchTest::Wait() { return hal_semaphore_wait(done_, 1, HAL_TIMEOUT_INFINITE); }

hal_status_t DispatchTest::Run(const hal_dispatch_params_t& params, uint32_t ordinal) {
  const hal_status_t status = Submit(params, ordinal);
  return status == HAL_STATUS_OK ? Wait() : status;
}

hal_status_t DispatchTest::RunRecorded(const hal_dispatch_params_t& params, uint32_t ordinal) {
  const hal_command_buffer_params_t recording = HAL_INIT(hal_command_buffer_params_t);
  hal_command_buffer_t* commands = nullptr;
  EXPECT_EQ(hal_command_buffer_create(device_, &recording, &commands), HAL_STATUS_OK);
  hal_status_t status = Record(commands, params, ordinal);
  if (status == HAL_STATUS_OK) status = Execute(commands);
  hal_command_buffer_release(commands);
  return status;
}

hal_status_t DispatchTest::Record(hal_command_buffer_t* commands, const hal_dispatch_params_t& params,
                                  uint32_t ordinal) {
  EXPECT_EQ(hal_command_buffer_begin(commands), HAL_STATUS_OK);
  const hal_status_t status = hal_command_buffer_dispatch(commands, executable_, ordinal, &params);
  return status == HAL_STATUS_OK ? hal_command_buffer_end(commands) : status;
}

hal_status_t DispatchTest::Execute(hal_command_buffer_t* commands) {
  const hal_timeline_point_t point = NewPoint();
  const hal_status_t status = hal_device_queue_execute(device_, hal::SubmitParams({}, {&point, 1}), commands, {});
  return status == HAL_STATUS_OK ? Wait() : status;
}

std::vector<float> DispatchTest::Read(size_t binding) {
  std::vector<float> values(hal_buffer_length(buffers_[binding]) / sizeof(float));
  EXPECT_EQ(hal_buffer_read(buffers_[binding], 0, values.data(), values.size() * sizeof(float)), HAL_STATUS_OK);
  return values;
}

void DispatchTest::Clear() {
  for (hal_buffer_t* const buffer : buffers_) {
    const std::vector<char> zeroes(hal_buffer_length(buffer));
    EXPECT_EQ(hal_buffer_write(buffer, 0, zeroes.data(), zeroes.size()), HAL_STATUS_OK);
  }
}

}  // namespace halyard::testing
