// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps, made of a binding and of numbers among the constants. The kernel "copy_tensor" copies the tensor of a
// map, without what lies between its rows.
#include <cstddef>
#include <functional>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "interop_test.h"
#include "test_kernel.h"
#include "unit/cuda_api.h"

namespace halyard::interop {
namespace {

using testing::HasSubstr;
using namespace cuda::abi;

constexpr uint32_t kRows = 3;
constexpr uint32_t kColumns = 5;
constexpr uint32_t kStride = 8;  // elements
constexpr uint64_t kTensorLength = 4 * kRows * kStride;
constexpr uint64_t kCopyLength = 4 * kRows * kColumns;

/// What a dispatch gives: none of it is a parameter of the kernel.
struct Shape {
  uint32_t rows = kRows;
  uint32_t columns = kColumns;
  uint64_t stride = kStride;
};

hal_tensor_map_t MapOfWords() {
  hal_tensor_map_t map = {};
  map.data_type = HAL_TENSOR_DATA_TYPE_UINT32;
  map.rank = 2;
  map.box[0] = 2;
  map.box[1] = 4;
  map.sizes[0] = {offsetof(Shape, rows), 4, 0};
  map.sizes[1] = {offsetof(Shape, columns), 4, 0};
  map.strides[0] = {offsetof(Shape, stride), 8, 0};
  map.strides[1] = {0, 0, 1};
  return map;
}

class TensorMapTest : public InteropTest {
 protected:
  void SetUp() override {
    InteropTest::SetUp();
    done_ = MakeSemaphore();
  }
  void TearDown() override {
    sim().SetAttribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9);
    done_ = {};
    InteropTest::TearDown();
  }

  static hal_status_t Load(const Ref<hal_device_t>& device, const hal_tensor_map_t& map,
                           Ref<hal_executable_t>* out_executable) {
    hal_parameter_t parameters[] = {hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE),
                                    hal_parameter_binding(1, HAL_BINDING_ACCESS_READ)};
    parameters[1].kind = HAL_PARAMETER_KIND_TENSOR_MAP;
    const std::string image = vendor::Image();
    hal_export_info_t info = HAL_EXPORT_INFO_INIT;
    info.name = hal_string_view("copy_tensor");
    info.constants_size = sizeof(Shape);
    info.parameters = parameters;
    info.parameter_count = 2;
    info.tensor_maps = &map;
    info.tensor_map_count = 1;
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.format = hal_string_view("ptx");
    params.data = image.data();
    params.data_size = image.size();
    params.exports = &info;
    params.export_count = 1;
    return hal_executable_create(device.get(), &params, out_executable->out());
  }
  Ref<hal_executable_t> Load() const {
    Ref<hal_executable_t> executable;
    EXPECT_OK(Load(device_, MapOfWords(), &executable));
    return executable;
  }

  Ref<hal_buffer_t> MakeBuffer(uint64_t length) const {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE;
    params.usage = HAL_BUFFER_USAGE_ALL;
    Ref<hal_buffer_t> buffer;
    EXPECT_OK(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, length, buffer.out()));
    return buffer;
  }
  /// A tensor whose elements count from `first` on, those between its rows included.
  Ref<hal_buffer_t> MakeTensor(uint32_t first) const {
    std::vector<uint32_t> words(kRows * kStride);
    for (uint32_t& word : words) word = first++;
    const Ref<hal_buffer_t> buffer = MakeBuffer(kTensorLength);
    EXPECT_OK(hal_buffer_write(buffer.get(), 0, words.data(), kTensorLength));
    return buffer;
  }
  static std::vector<uint32_t> Expected(uint32_t first) {
    std::vector<uint32_t> words;
    for (uint32_t row = 0; row < kRows; ++row) {
      for (uint32_t i = 0; i < kColumns; ++i) words.push_back(first + row * kStride + i);
    }
    return words;
  }
  static std::vector<uint32_t> WordsOf(const Ref<hal_buffer_t>& copy) {
    std::vector<uint32_t> words(kRows * kColumns);
    EXPECT_OK(hal_buffer_read(copy.get(), 0, words.data(), kCopyLength));
    return words;
  }

  static hal_dispatch_params_t ParamsOf(const Shape& shape, const hal_buffer_ref_t (&bindings)[2]) {
    hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    params.workgroup_count = hal_dim3(1, 1, 1);
    params.constants = &shape;
    params.constants_size = sizeof(shape);
    params.bindings = hal_buffer_ref_list(bindings, 2);
    return params;
  }
  hal_status_t Dispatch(const Ref<hal_executable_t>& executable, const Shape& shape, const Ref<hal_buffer_t>& copy,
                        const Ref<hal_buffer_t>& tensor) {
    const hal_buffer_ref_t bindings[] = {hal_buffer_ref(copy.get(), 0, HAL_WHOLE_SIZE),
                                         hal_buffer_ref(tensor.get(), 0, HAL_WHOLE_SIZE)};
    const hal_dispatch_params_t params = ParamsOf(shape, bindings);
    const Points signals = {{done_.get(), ++value_}};
    return hal_device_queue_dispatch(device_.get(), hal::SubmitParams(List({}), List(signals), 1), executable.get(), 0,
                                     &params);
  }

  Ref<hal_semaphore_t> done_;
  uint64_t value_ = 0;
};

TEST_P(TensorMapTest, IsMadeForADispatch) {
  const Ref<hal_executable_t> executable = Load();
  const Ref<hal_buffer_t> copy = MakeBuffer(kCopyLength);
  for (const uint32_t first : {100U, 5000U}) {
    const Ref<hal_buffer_t> tensor = MakeTensor(first);
    ASSERT_OK(Dispatch(executable, {}, copy, tensor));
    ASSERT_OK(Wait(done_, value_));
    EXPECT_EQ(WordsOf(copy), Expected(first));
  }
}

TEST_P(TensorMapTest, FollowsTheTableOfAGraph) {
  const Ref<hal_device_t> device = device_ = OpenDevice(0, "&command_buffer=graph");
  done_ = MakeSemaphore();
  value_ = 0;
  const Ref<hal_executable_t> executable = Load();
  hal_command_buffer_params_t reusable = HAL_INIT(hal_command_buffer_params_t);
  reusable.binding_capacity = 2;
  Ref<hal_command_buffer_t> commands;
  ASSERT_OK(hal_command_buffer_create(device.get(), &reusable, commands.out()));
  ASSERT_OK(hal_command_buffer_begin(commands.get()));
  {
    const Shape shape;  // not needed afterwards
    const hal_buffer_ref_t bindings[] = {hal_slot_ref(0, 0, kCopyLength), hal_slot_ref(1, 0, kTensorLength)};
    const hal_dispatch_params_t params = ParamsOf(shape, bindings);
    ASSERT_OK(hal_command_buffer_dispatch(commands.get(), executable.get(), 0, &params));
  }
  ASSERT_OK(hal_command_buffer_end(commands.get()));
  const uint64_t patches = sim().Calls("cuGraphExecKernelNodeSetParams_v2");
  std::vector<Ref<hal_buffer_t>> kept;  // so that no buffer has the address of an earlier one
  for (const uint32_t first : {7U, 700U, 70000U}) {
    const Ref<hal_buffer_t> copy = kept.emplace_back(MakeBuffer(kCopyLength));
    const Ref<hal_buffer_t> tensor = kept.emplace_back(MakeTensor(first));
    const hal_buffer_ref_t table[] = {hal_buffer_ref(copy.get(), 0, HAL_WHOLE_SIZE),
                                      hal_buffer_ref(tensor.get(), 0, HAL_WHOLE_SIZE)};
    const Points signals = {{done_.get(), ++value_}};
    ASSERT_OK(hal_device_queue_execute(device.get(), hal::SubmitParams(List({}), List(signals), 1), commands.get(),
                                       hal_buffer_ref_list(table, 2)));
    ASSERT_OK(Wait(done_, value_));
    EXPECT_EQ(WordsOf(copy), Expected(first));
  }
  EXPECT_GE(sim().Calls("cuGraphExecKernelNodeSetParams_v2") - patches, 2U);
}

TEST_P(TensorMapTest, WhatCannotBeMappedIsToldBeforehand) {
  const Ref<hal_executable_t> executable = Load();
  const Ref<hal_buffer_t> copy = MakeBuffer(kCopyLength);
  const Ref<hal_buffer_t> tensor = MakeTensor(1);
  const uint64_t maps = sim().Calls("cuTensorMapEncodeTiled");
  EXPECT_EQ(Dispatch(executable, {.rows = 0}, copy, tensor), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("parameter 1 of \"copy_tensor\": dimension 0 has 0 elements"));
  EXPECT_EQ(Dispatch(executable, {.stride = 5}, copy, tensor), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("a stride of 5 elements of 4 bytes; a tensor map takes a multiple"));
  EXPECT_EQ(Dispatch(executable, {.stride = uint64_t{1} << 38}, copy, tensor), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Dispatch(executable, {.rows = kRows + 1}, copy, tensor), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the tensor reaches over 116 bytes, but its binding has 96"));
  EXPECT_EQ(sim().Calls("cuTensorMapEncodeTiled"), maps);
}

// What a slot holds is known when the command buffer runs.
TEST_P(TensorMapTest, SlotsThatHoldTooLittleAreTold) {
  const Ref<hal_executable_t> executable = Load();
  const Ref<hal_buffer_t> copy = MakeBuffer(kCopyLength);
  const Ref<hal_buffer_t> small = MakeBuffer(kTensorLength - 16);
  hal_command_buffer_params_t reusable = HAL_INIT(hal_command_buffer_params_t);
  reusable.binding_capacity = 1;
  Ref<hal_command_buffer_t> commands;
  ASSERT_OK(hal_command_buffer_create(device_.get(), &reusable, commands.out()));
  ASSERT_OK(hal_command_buffer_begin(commands.get()));
  const Shape shape;
  const hal_buffer_ref_t bindings[] = {hal_buffer_ref(copy.get(), 0, HAL_WHOLE_SIZE),
                                       hal_slot_ref(0, 0, HAL_WHOLE_SIZE)};
  const hal_dispatch_params_t params = ParamsOf(shape, bindings);
  ASSERT_OK(hal_command_buffer_dispatch(commands.get(), executable.get(), 0, &params));
  ASSERT_OK(hal_command_buffer_end(commands.get()));
  const hal_buffer_ref_t table = hal_buffer_ref(small.get(), 0, HAL_WHOLE_SIZE);
  const Points signals = {{done_.get(), ++value_}};
  hal_status_t status = hal_device_queue_execute(device_.get(), hal::SubmitParams(List({}), List(signals), 1),
                                                 commands.get(), hal_buffer_ref_list(&table, 1));
  if (status == HAL_STATUS_OK) status = Wait(done_, value_);
  EXPECT_EQ(status, HAL_STATUS_OUT_OF_RANGE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("reaches over 84 bytes, but its binding has 80"));
}

TEST_P(TensorMapTest, DescriptionsAreChecked) {
  const auto refusal = [&](const std::function<void(hal_tensor_map_t&)>& change) {
    hal_tensor_map_t map = MapOfWords();
    change(map);
    Ref<hal_executable_t> executable;
    EXPECT_EQ(Load(device_, map, &executable), HAL_STATUS_INVALID_ARGUMENT);
    return std::string(hal_last_error_message());
  };
  EXPECT_THAT(refusal([](auto& map) { map.data_type = 13; }), HasSubstr("tensor_maps[0].data_type: 13 is unknown"));
  EXPECT_THAT(refusal([](auto& map) { map.rank = 6; }), HasSubstr("rank: 6; it must be from 1 to 5"));
  EXPECT_THAT(refusal([](auto& map) { map.rank = 1; }), HasSubstr("there are numbers of dimension 1"));
  EXPECT_THAT(refusal([](auto& map) { map.box[0] = 257; }), HasSubstr("box[0]: 257; it must be from 1 to 256"));
  EXPECT_THAT(refusal([](auto& map) { map.box[1] = 3; }), HasSubstr("12 bytes in the last dimension"));
  EXPECT_THAT(refusal([](auto& map) { map.box[1] = 16, map.swizzle = 1; }), HasSubstr("swizzle 1 takes at most 32"));
  EXPECT_THAT(refusal([](auto& map) { map.sizes[1].offset = 13; }), HasSubstr("sizes[1]: offset 13 + size 4 exceeds"));
  EXPECT_THAT(refusal([](auto& map) { map.strides[1].value = 0; }), HasSubstr("strides[1]: fixed at 0"));
}

TEST_P(TensorMapTest, OlderDevicesHaveNone) {
  ASSERT_NE(sim().SetAttribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 8), 0);
  const Ref<hal_device_t> older = OpenDevice(0);
  Ref<hal_executable_t> executable;
  EXPECT_EQ(Load(older, MapOfWords(), &executable), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_THAT(hal_last_error_message(),
              HasSubstr("export 0 (\"copy_tensor\"): parameter 1 is a tensor map, which the device cannot pass"));
}

INSTANTIATE_TEST_SUITE_P(Completion, TensorMapTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
