// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions as exports that queues dispatch.
#include <cstring>

#include "dispatch.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::testing {
namespace {

class FunctionDispatchTest : public DispatchTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override { Open(GetParam()); }
};

// Constants of dispatches.
constexpr float kFactor = 10;
constexpr int64_t kCount = 4;

constexpr FunctionSpec kScale = {"scale", "(memref<?x?xf32, strided<[?, ?], offset: ?>>, f32) -> ()"};
constexpr FunctionSpec kGrid = {"grid", "(memref<?xf32>, index, index, f32) -> ()"};
const Roles kGridRoles = {{1, HAL_ARGUMENT_ROLE_WORKGROUP_ID_X}, {2, HAL_ARGUMENT_ROLE_WORKGROUP_COUNT_X}};

TEST_P(FunctionDispatchTest, BindingsCarryShapeAndStrides) {
  ASSERT_EQ(Load(kScale), HAL_STATUS_OK) << hal_last_error_message();
  Bind({1, 2, 3, 4, 5, 6}, {2, 2}, {3, 1});
  ASSERT_EQ(Run(Params(true, kFactor)), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(0), (std::vector<float>{10, 20, 3, 40, 50, 6}));
}

TEST_P(FunctionDispatchTest, WorkgroupNumbersRunTheGrid) {
  ASSERT_EQ(Load(kGrid, kGridRoles), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(hal_executable_export_info(executable_, 0)->constants_size, 4u);  // the workgroup numbers are no constants
  Bind(std::vector<float>(500));
  const float bias = 0.5f;
  hal_dispatch_params_t params = Params(false, bias);
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
  ASSERT_EQ(Run(Params(false, kCount)), HAL_STATUS_OK) << hal_last_error_message();
  double number = 0;
  std::memcpy(&number, Read(2).data(), sizeof(number));
  EXPECT_EQ(number, 0.25);
  EXPECT_EQ(Read(3), std::vector<float>(4, 3));
  EXPECT_EQ(Read(4), (std::vector<float>{1, 2}));
  EXPECT_EQ(Read(5), (std::vector<float>{1.5f, 2.5f}));
}

TEST_P(FunctionDispatchTest, WideScalarsAreConstantsAndResults) {
  ASSERT_EQ(Load({"turned", kTurned}), HAL_STATUS_OK) << hal_last_error_message();
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
  EXPECT_EQ(Run(Params(false, kCount)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("'make': result 0 (binding 0): memref<4xf32> reaches over 16 bytes, but the binding has 12"));
}

TEST_P(FunctionDispatchTest, ResultsAreStoredInTheLayoutOfTheBinding) {
  ASSERT_EQ(Load({"make", "(index) -> memref<?xf32, strided<[1], offset: ?>>"}), HAL_STATUS_OK);
  Bind(std::vector<float>(7), {4}, {2});
  ASSERT_EQ(Run(Params(true, kCount)), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(0), (std::vector<float>{7, 0, 7, 0, 7, 0, 7}));
}

TEST_P(FunctionDispatchTest, ResultsOfAnotherRankAreRefusedWhenSubmitted) {
  ASSERT_EQ(Load({"make", "(index) -> memref<?xf32>"}), HAL_STATUS_OK);
  Bind(std::vector<float>(4), {2, 2});
  EXPECT_EQ(Submit(Params(true, kCount)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("'make': result 0 (binding 0): the function takes"));
}

TEST_P(FunctionDispatchTest, MismatchesAreRefusedWhenSubmitted) {
  ASSERT_EQ(Load(kScale), HAL_STATUS_OK);
  Bind({1, 2, 3, 4}, {4});
  hal_dispatch_params_t params = Params(true, kFactor);
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
  hal_command_buffer_params_t recording = HAL_INIT(hal_command_buffer_params_t);
  recording.binding_capacity = 1;
  hal_command_buffer_t* commands = nullptr;
  ASSERT_EQ(hal_command_buffer_create(device_, &recording, &commands), HAL_STATUS_OK);
  ASSERT_EQ(hal_command_buffer_begin(commands), HAL_STATUS_OK);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(hal_command_buffer_dispatch(commands, executable_, 0, &params), HAL_STATUS_OK)
        << hal_last_error_message();
    ASSERT_EQ(hal_command_buffer_barrier(commands), HAL_STATUS_OK);
  }
  ASSERT_EQ(hal_command_buffer_end(commands), HAL_STATUS_OK);
  hal_semaphore_t* done = nullptr;
  ASSERT_EQ(hal_semaphore_create(device_, nullptr, &done), HAL_STATUS_OK);
  const hal_timeline_point_t point = {done, 1};
  ASSERT_EQ(
      hal_device_queue_execute(device_, hal::SubmitParams({}, {&point, 1}), commands, hal_buffer_ref_list(&whole, 1)),
      HAL_STATUS_OK)
      << hal_last_error_message();
  EXPECT_EQ(hal_semaphore_wait(done, 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(0), (std::vector<float>{4, 8, 12, 16}));
  hal_semaphore_release(done);
  hal_command_buffer_release(commands);
}

// [z, y, x]: each workgroup writes all of its numbers to its own element.
constexpr FunctionSpec kCells = {"cells", "(memref<?xf32>, index, i32, index, i32, index, i64) -> ()"};
const Roles kCellRoles = {{1, HAL_ARGUMENT_ROLE_WORKGROUP_ID_X},    {2, HAL_ARGUMENT_ROLE_WORKGROUP_ID_Y},
                          {3, HAL_ARGUMENT_ROLE_WORKGROUP_ID_Z},    {4, HAL_ARGUMENT_ROLE_WORKGROUP_COUNT_X},
                          {5, HAL_ARGUMENT_ROLE_WORKGROUP_COUNT_Y}, {6, HAL_ARGUMENT_ROLE_WORKGROUP_COUNT_Z}};

std::vector<float> CellsOf(uint32_t x_count, uint32_t y_count, uint32_t z_count) {
  std::vector<float> cells;
  for (uint32_t z = 0; z < z_count; ++z) {
    for (uint32_t y = 0; y < y_count; ++y) {
      for (uint32_t x = 0; x < x_count; ++x) cells.push_back(static_cast<float>(1 + x + 10 * y + 100 * z));
    }
  }
  return cells;
}

TEST_P(FunctionDispatchTest, CountsOfAGridMayComeFromABuffer) {
  ASSERT_EQ(Load(kCells, kCellRoles), HAL_STATUS_OK) << hal_last_error_message();
  Bind(std::vector<float>(5 * 3 * 2));
  hal_dispatch_params_t params = Params(false);
  params.workgroup_count = hal_dim3(1, 1, 1);  // ignored
  MakeIndirect(hal_dim3(5, 3, 2), &params);
  ASSERT_EQ(Run(params), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(0), CellsOf(5, 3, 2));
}

TEST_P(FunctionDispatchTest, CountsAreReadWhenTheDispatchRuns) {
  ASSERT_EQ(Load(kCells, kCellRoles), HAL_STATUS_OK) << hal_last_error_message();
  Bind(std::vector<float>(6));
  hal_dispatch_params_t params = Params(false);
  MakeIndirect(hal_dim3(0, 3, 2), &params);
  ASSERT_EQ(RunRecorded(params), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(0), std::vector<float>(6));
  MakeIndirect(hal_dim3(1, 3, 2), &params);
  ASSERT_EQ(RunRecorded(params), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(0), CellsOf(1, 3, 2));
}

// Only running shows the counts, so it is the signals that fail.
TEST_P(FunctionDispatchTest, GridFromABufferFailsFunctionsWithoutWorkgroupIds) {
  ASSERT_EQ(Load(kScale), HAL_STATUS_OK);
  Bind({1, 2, 3, 4}, {2, 2});
  hal_dispatch_params_t params = Params(true, kFactor);
  const std::string message = "'scale' takes no workgroup id: dispatch it with 1 x 1 x 1 workgroups, not 2 x 1 x 1";
  MakeIndirect(hal_dim3(2, 1, 1), &params);
  ASSERT_EQ(Submit(params), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Wait(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas(message));
  EXPECT_EQ(RunRecorded(params), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas(message));
  EXPECT_EQ(Read(0), (std::vector<float>{1, 2, 3, 4}));
  MakeIndirect(hal_dim3(1, 1, 1), &params);
  ASSERT_EQ(Run(params), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(0), (std::vector<float>{10, 20, 30, 40}));
}

TEST_P(FunctionDispatchTest, ImpossibleResultFailsTheSignals) {
  ASSERT_EQ(Load({"broken", "(index) -> (memref<?xf32>, memref<*xf32>, memref<?xf32>)"}), HAL_STATUS_OK);
  for (int i = 0; i < 3; ++i) Bind(std::vector<float>(4));
  EXPECT_EQ(Run(Params(false, kCount)), HAL_STATUS_INTERNAL);
  EXPECT_TRUE(MessageHas("'broken': result 1: the function returned an unranked memref of rank -1"));
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(Read(i), std::vector<float>(4)) << i;
}

INSTANTIATE_TEST_SUITE_P(Local, FunctionDispatchTest, kLocalDevices, DeviceName);

}  // namespace
}  // namespace halyard::testing
