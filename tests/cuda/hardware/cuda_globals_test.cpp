// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of a module as buffers, and scratch memory, as kernels of the real device see them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/hardware/cuda_test.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cuda {
namespace {

using testing::ElementsAre;

// gather: out = {weights[3], counter++}. borrow: each workgroup writes its number to its 64 bytes of scratch memory and
// reads it from there after a while; out[group] = what it read.
constexpr std::string_view kText = R"(
.version 6.0
.target sm_60
.address_size 64
.visible .const .align 4 .u32 weights[4] = {1, 2, 3, 4};
.visible .global .align 4 .u32 counter = 5;
.visible .entry gather(.param .u64 out) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  ld.const.u32 %r1, [weights+12];
  st.global.u32 [%rd2], %r1;
  ld.global.u32 %r2, [counter];
  st.global.u32 [%rd2+4], %r2;
  add.u32 %r3, %r2, 1;
  st.global.u32 [counter], %r3;
  ret;
}
.visible .entry borrow(.param .u64 out, .param .u64 scratch) {
  .reg .b64 %rd<8>;
  .reg .b32 %r<4>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [scratch];
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %rd5, %r1, 64;
  add.u64 %rd6, %rd4, %rd5;
  st.volatile.global.u32 [%rd6+60], %r1;
  mov.u32 %r2, 0;
again:
  add.u32 %r2, %r2, 1;
  ld.volatile.global.u32 %r3, [%rd6+60];
  setp.lt.u32 %p1, %r2, 100;
  @%p1 bra again;
  mul.wide.u32 %rd5, %r1, 4;
  add.u64 %rd7, %rd3, %rd5;
  st.global.u32 [%rd7], %r3;
  ret;
}
)";

class CudaGlobalsTest : public CudaDeviceTest {
 protected:
  void Use(const std::string& parameters) {
    device_ = {};
    ASSERT_EQ(Open(Uri(parameters), &device_), HAL_STATUS_OK) << hal_last_error_message();
    done_ = MakeSemaphore();
    value_ = 0;
  }
  Ref<hal_executable_t> Load(const char* name, std::vector<hal_parameter_t> parameters) const {
    hal_export_info_t info = HAL_EXPORT_INFO_INIT;
    info.name = hal_string_view(name);
    info.workgroup_size = hal_dim3(1, 1, 1);
    info.binding_count = 1;
    info.parameters = parameters.data();
    info.parameter_count = static_cast<uint32_t>(parameters.size());
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.format = hal_string_view("ptx");
    params.data = kText.data();
    params.data_size = kText.size();
    params.exports = &info;
    params.export_count = 1;
    Ref<hal_executable_t> executable;
    EXPECT_EQ(hal_executable_create(device_.get(), &params, executable.out()), HAL_STATUS_OK)
        << hal_last_error_message();
    return executable;
  }
  Ref<hal_buffer_t> MakeBuffer(uint64_t length) const {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE;
    params.usage = HAL_BUFFER_USAGE_ALL;
    Ref<hal_buffer_t> buffer;
    EXPECT_EQ(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, length, buffer.out()),
              HAL_STATUS_OK);
    return buffer;
  }
  void Finish(hal_status_t submitted) {
    ASSERT_EQ(submitted, HAL_STATUS_OK) << hal_last_error_message();
    ASSERT_EQ(hal_semaphore_wait(done_.get(), value_, kTenSeconds), HAL_STATUS_OK) << hal_last_error_message();
  }
  Points Next() { return {{done_.get(), ++value_}}; }

  Ref<hal_semaphore_t> done_;
  uint64_t value_ = 0;
};

TEST_F(CudaGlobalsTest, KernelsAndTheHostShareVariables) {
  Use("");
  const Ref<hal_executable_t> gather = Load("gather", {hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE)});
  Ref<hal_buffer_t> weights;
  Ref<hal_buffer_t> counter;
  ASSERT_EQ(hal_executable_find_global(gather.get(), 0, hal_string_view("weights"), weights.out()), HAL_STATUS_OK)
      << hal_last_error_message();
  ASSERT_EQ(hal_executable_find_global(gather.get(), 0, hal_string_view("counter"), counter.out()), HAL_STATUS_OK);
  EXPECT_EQ(hal_buffer_length(weights.get()), 16u);
  EXPECT_EQ(hal_buffer_length(counter.get()), 4u);
  Ref<hal_buffer_t> none;
  for (const char* name : {"gather", "nothing", ""}) {
    EXPECT_EQ(hal_executable_find_global(gather.get(), 0, hal_string_view(name), none.out()), HAL_STATUS_NOT_FOUND)
        << name << ": " << hal_last_error_message();
  }

  const Ref<hal_buffer_t> out = MakeBuffer(8);
  const hal_buffer_ref_t binding = hal_buffer_ref(out.get(), 0, 8);
  const auto run = [&] {
    hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    params.bindings = hal_buffer_ref_list(&binding, 1);
    Finish(hal_device_queue_dispatch(device_.get(), hal::SubmitParams(List({}), List(Next()), 1), gather.get(), 0,
                                     &params));
    std::array<uint32_t, 2> words = {};
    EXPECT_EQ(hal_buffer_read(out.get(), 0, words.data(), sizeof(words)), HAL_STATUS_OK);
    return words;
  };
  EXPECT_THAT(run(), ElementsAre(4, 5));
  const uint32_t weight = 400;
  Finish(hal_device_queue_update(device_.get(), hal::SubmitParams(List({}), List(Next()), 1), &weight,
                                 hal_buffer_ref(weights.get(), 12, 4)));
  EXPECT_THAT(run(), ElementsAre(400, 6));
  Finish(hal_device_queue_copy(device_.get(), hal::SubmitParams(List({}), List(Next()), 1),
                               hal_buffer_ref(counter.get(), 0, 4), hal_buffer_ref(out.get(), 0, 4)));
  uint32_t count = 0;
  EXPECT_EQ(hal_buffer_read(out.get(), 0, &count, sizeof(count)), HAL_STATUS_OK);
  EXPECT_EQ(count, 7u);
}

// Dispatches of several queues and of nodes of a graph that run at once do not share their scratch memory.
TEST_F(CudaGlobalsTest, WorkgroupsHaveScratchMemoryOfTheirOwn) {
  constexpr uint32_t kWorkgroups = 3000;
  constexpr uint32_t kBorrowers = 8;
  for (const char* mode : {"stream", "graph"}) {
    Use(std::string("queues=4&command_buffer=") + mode);
    hal_parameter_t scratch = {};
    scratch.kind = HAL_PARAMETER_KIND_SCRATCH;
    scratch.size = 64;
    scratch.offset = 64;
    const Ref<hal_executable_t> borrow = Load("borrow", {hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE), scratch});
    const Ref<hal_buffer_t> out = MakeBuffer(kBorrowers * kWorkgroups * 4);
    const hal_command_buffer_params_t reusable = HAL_INIT(hal_command_buffer_params_t);
    Ref<hal_command_buffer_t> commands;
    ASSERT_EQ(hal_command_buffer_create(device_.get(), &reusable, commands.out()), HAL_STATUS_OK);
    ASSERT_EQ(hal_command_buffer_begin(commands.get()), HAL_STATUS_OK);
    for (uint32_t i = 0; i < kBorrowers; ++i) {
      const hal_buffer_ref_t part = hal_buffer_ref(out.get(), uint64_t{i} * kWorkgroups * 4, kWorkgroups * 4);
      hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
      params.workgroup_count = hal_dim3(kWorkgroups, 1, 1);
      params.bindings = hal_buffer_ref_list(&part, 1);
      ASSERT_EQ(hal_command_buffer_dispatch(commands.get(), borrow.get(), 0, &params), HAL_STATUS_OK);
    }
    ASSERT_EQ(hal_command_buffer_end(commands.get()), HAL_STATUS_OK);
    for (uint32_t round = 0; round < 20; ++round) {
      Finish(hal_device_queue_execute(device_.get(),
                                      hal::SubmitParams(List({}), List(Next()), hal_queue_mask_t{1} << round % 4),
                                      commands.get(), hal_buffer_ref_list(nullptr, 0)));
      std::vector<uint32_t> words(kBorrowers * kWorkgroups);
      ASSERT_EQ(hal_buffer_read(out.get(), 0, words.data(), words.size() * 4), HAL_STATUS_OK);
      for (uint32_t i = 0; i < words.size(); ++i) ASSERT_EQ(words[i], i % kWorkgroups) << mode << ", " << i;
    }
  }
}

}  // namespace
}  // namespace halyard::cuda
