// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions as exports that queues dispatch.
#include <cstring>

#include "functions.h"

namespace halyard::testing {
namespace {

class FunctionDispatchTest : public FunctionTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    Open(GetParam());
    ASSERT_EQ(hal_semaphore_create(device_, 0, &done_), HAL_STATUS_OK);
  }
  ~FunctionDispatchTest() override {
    for (hal_buffer_t* const buffer : buffers_) hal_buffer_release(buffer);
    hal_semaphore_release(done_);
  }

  /// Adds a binding of floats, with a shape if there are sizes.
  void Bind(const std::vector<float>& values, std::vector<int64_t> sizes = {}, std::vector<int64_t> strides = {}) {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
    params.usage |= HAL_BUFFER_USAGE_STORAGE;
    hal_buffer_t* buffer = nullptr;
    const uint64_t length = values.size() * sizeof(float);
    ASSERT_EQ(hal_allocator_allocate(hal_device_allocator(device_), &params, length, &buffer), HAL_STATUS_OK);
    ASSERT_EQ(hal_buffer_write(buffer, 0, values.data(), length), HAL_STATUS_OK);
    buffers_.push_back(buffer);
    refs_.push_back(hal_buffer_ref(buffer, 0, HAL_WHOLE_SIZE));
    sizes_.push_back(std::move(sizes));
    strides_.push_back(std::move(strides));
  }

  hal_dispatch_params_t Params(bool with_shapes) {
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

  hal_status_t Submit(const hal_dispatch_params_t& params) {
    ++value_;
    const hal_timeline_point_t point = {done_, value_};
    return hal_device_queue_dispatch(device_, HAL_QUEUE_ANY, {}, {&point, 1}, executable_, 0, &params);
  }
  hal_status_t Run(const hal_dispatch_params_t& params) {
    const hal_status_t status = Submit(params);
    return status == HAL_STATUS_OK ? hal_semaphore_wait(done_, value_, HAL_TIMEOUT_INFINITE) : status;
  }

  std::vector<float> Read(size_t binding) {
    std::vector<float> values(hal_buffer_length(buffers_[binding]) / sizeof(float));
    EXPECT_EQ(hal_buffer_read(buffers_[binding], 0, values.data(), values.size() * sizeof(float)), HAL_STATUS_OK);
    return values;
  }

 private:
  hal_semaphore_t* done_ = nullptr;
  uint64_t value_ = 0;
  std::vector<hal_buffer_t*> buffers_;
  std::vector<hal_buffer_ref_t> refs_;
  std::vector<std::vector<int64_t>> sizes_;
  std::vector<std::vector<int64_t>> strides_;
  std::vector<hal_shape_t> shapes_;
};

constexpr FunctionSpec kScale = {"scale", "(memref<?x?xf32, strided<[?, ?], offset: ?>>, f32) -> ()"};
constexpr FunctionSpec kGrid = {"grid", "(memref<?xf32>, index, index, f32) -> ()"};
const Roles kGridRoles = {{1, HAL_ARGUMENT_ROLE_WORKGROUP_ID_X}, {2, HAL_ARGUMENT_ROLE_WORKGROUP_COUNT_X}};

TEST_P(FunctionDispatchTest, BindingsCarryShapeAndStrides) {
  ASSERT_EQ(Load(kScale), HAL_STATUS_OK) << hal_last_error_message();
  Bind({1, 2, 3, 4, 5, 6}, {2, 2}, {3, 1});
  hal_dispatch_params_t params = Params(true);
  const float factor = 10;
  params.constants = &factor;
  params.constants_size = sizeof(factor);
  ASSERT_EQ(Run(params), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(0), (std::vector<float>{10, 20, 3, 40, 50, 6}));
}

TEST_P(FunctionDispatchTest, WorkgroupNumbersRunTheGrid) {
  ASSERT_EQ(Load(kGrid, kGridRoles), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(hal_executable_export_info(executable_, 0)->constants_size, 4u);  // the workgroup numbers are no constants
  Bind(std::vector<float>(500));
  hal_dispatch_params_t params = Params(false);
  const float bias = 0.5f;
  params.constants = &bias;
  params.constants_size = sizeof(bias);
  params.workgroup_count = hal_dim3(500, 1, 1);
  ASSERT_EQ(Run(params), HAL_STATUS_OK) << hal_last_error_message();
  const std::vector<float> values = Read(0);
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<float>(100 * i + 500) + 0.5f) << i;
}

TEST_P(FunctionDispatchTest, ResultsGoToBindingsBehindTheArguments) {
  ASSERT_EQ(Load({"mixed",
                  "(memref<?xf32>, index) -> (i1, f64, memref<?xf32>, memref<?xf32>, memref<?xf32>, "
                  "memref<?xf32>)"}),
            HAL_STATUS_OK)
      << hal_last_error_message();
  Bind({1, 2});
  for (const size_t size : {1, 2, 4, 2, 2, 4}) Bind(std::vector<float>(size));
  hal_dispatch_params_t params = Params(false);
  const int64_t count = 4;
  params.constants = &count;
  params.constants_size = sizeof(count);
  ASSERT_EQ(Run(params), HAL_STATUS_OK) << hal_last_error_message();
  double number = 0;
  std::memcpy(&number, Read(2).data(), sizeof(number));
  EXPECT_EQ(number, 0.25);
  EXPECT_EQ(Read(3), std::vector<float>(4, 3));
  EXPECT_EQ(Read(4), (std::vector<float>{1, 2}));
  EXPECT_EQ(Read(5), (std::vector<float>{1.5f, 2.5f}));
}

TEST_P(FunctionDispatchTest, WideScalarsAreConstantsAndResults) {
  ASSERT_EQ(Load({"turned", "(complex<f80>, f8E5M2) -> complex<f80>"}), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(hal_executable_export_info(executable_, 0)->constants_size, 33u);
  Bind(std::vector<float>(8));
  hal_dispatch_params_t params = Params(false);
  struct {
    long double z[2] = {3, -4};
    uint8_t scale = 200;
  } constants;
  params.constants = &constants;
  params.constants_size = 33;
  ASSERT_EQ(Run(params), HAL_STATUS_OK) << hal_last_error_message();
  long double product[2];
  std::memcpy(product, Read(0).data(), sizeof(product));
  EXPECT_EQ(product[0], 800);
  EXPECT_EQ(product[1], 600);
}

TEST_P(FunctionDispatchTest, ResultThatDoesNotFitFailsTheSignals) {
  ASSERT_EQ(Load({"make", "(index) -> memref<?xf32>"}), HAL_STATUS_OK);
  Bind({0, 0, 0});
  hal_dispatch_params_t params = Params(false);
  const int64_t count = 4;
  params.constants = &count;
  params.constants_size = sizeof(count);
  EXPECT_EQ(Run(params), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("'make': result 0 (binding 0): memref<4xf32> reaches over 16 bytes, but the binding has 12"));
}

TEST_P(FunctionDispatchTest, ResultsAreStoredInTheLayoutOfTheBinding) {
  ASSERT_EQ(Load({"make", "(index) -> memref<?xf32, strided<[1], offset: ?>>"}), HAL_STATUS_OK);
  Bind(std::vector<float>(7), {4}, {2});
  hal_dispatch_params_t params = Params(true);
  const int64_t count = 4;
  params.constants = &count;
  params.constants_size = sizeof(count);
  ASSERT_EQ(Run(params), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(0), (std::vector<float>{7, 0, 7, 0, 7, 0, 7}));
}

TEST_P(FunctionDispatchTest, ResultsOfAnotherRankAreRefusedWhenSubmitted) {
  ASSERT_EQ(Load({"make", "(index) -> memref<?xf32>"}), HAL_STATUS_OK);
  Bind(std::vector<float>(4), {2, 2});
  hal_dispatch_params_t params = Params(true);
  const int64_t count = 4;
  params.constants = &count;
  params.constants_size = sizeof(count);
  EXPECT_EQ(Submit(params), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("'make': result 0 (binding 0): the function takes"));
}

TEST_P(FunctionDispatchTest, MismatchesAreRefusedWhenSubmitted) {
  ASSERT_EQ(Load(kScale), HAL_STATUS_OK);
  Bind({1, 2, 3, 4}, {4});
  hal_dispatch_params_t params = Params(true);
  const float factor = 10;
  params.constants = &factor;
  params.constants_size = sizeof(factor);
  EXPECT_EQ(Submit(params), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(
      MessageHas("'scale': argument 0 (binding 0): the function takes memref<?x?xf32, strided<[?, ?], offset: "
                 "?>>, given is memref<4xf32>: the ranks differ"));
  params.binding_shapes = nullptr;
  EXPECT_EQ(Submit(params), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("has to give the binding's shape"));
  const int64_t sizes[] = {2, 2};
  hal_shape_t shape = {HAL_ELEMENT_TYPE_I32, 2, sizes, nullptr};
  params.binding_shapes = &shape;
  EXPECT_EQ(Submit(params), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("given is memref<2x2xi32>: the element types differ"));
  shape.element_type = HAL_ELEMENT_TYPE_F32;
  params.workgroup_count = hal_dim3(2, 1, 1);
  EXPECT_EQ(Submit(params), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("'scale' takes no workgroup id: dispatch it with 1 x 1 x 1 workgroups, not 2 x 1 x 1"));
  params.constants_size = 2;
  EXPECT_EQ(Submit(params), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_P(FunctionDispatchTest, RecordedBindingsMayBeSlots) {
  ASSERT_EQ(Load(kScale), HAL_STATUS_OK);
  Bind({1, 2, 3, 4}, {2, 2});
  hal_dispatch_params_t params = Params(true);
  const hal_buffer_ref_t whole = params.bindings.refs[0];
  const hal_buffer_ref_t slot = hal_slot_ref(0, 0, HAL_WHOLE_SIZE);
  params.bindings = hal_buffer_ref_list(&slot, 1);
  const float factor = 2;
  params.constants = &factor;
  params.constants_size = sizeof(factor);
  hal_command_buffer_params_t recording = HAL_COMMAND_BUFFER_PARAMS_INIT;
  recording.binding_capacity = 1;
  hal_command_buffer_t* commands = nullptr;
  ASSERT_EQ(hal_command_buffer_create(device_, &recording, &commands), HAL_STATUS_OK);
  ASSERT_EQ(hal_command_buffer_begin(commands), HAL_STATUS_OK);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(hal_command_buffer_dispatch(commands, executable_, 0, &params), HAL_STATUS_OK)
        << hal_last_error_message();
    ASSERT_EQ(hal_command_buffer_barrier(commands, HAL_STAGE_ALL, HAL_STAGE_ALL), HAL_STATUS_OK);
  }
  ASSERT_EQ(hal_command_buffer_end(commands), HAL_STATUS_OK);
  hal_semaphore_t* done = nullptr;
  ASSERT_EQ(hal_semaphore_create(device_, 0, &done), HAL_STATUS_OK);
  const hal_timeline_point_t point = {done, 1};
  ASSERT_EQ(hal_device_queue_execute(device_, HAL_QUEUE_ANY, {}, {&point, 1}, commands, hal_buffer_ref_list(&whole, 1)),
            HAL_STATUS_OK)
      << hal_last_error_message();
  EXPECT_EQ(hal_semaphore_wait(done, 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(0), (std::vector<float>{4, 8, 12, 16}));
  hal_semaphore_release(done);
  hal_command_buffer_release(commands);
}

INSTANTIATE_TEST_SUITE_P(Local, FunctionDispatchTest, ::testing::Values("local://sync", "local://task"),
                         [](const auto& tested) { return std::string(tested.param).substr(8); });

}  // namespace
}  // namespace halyard::testing
