// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that take each buffer for itself, as hand-written source does: buffer index N is binding N of set 0.
#include "metal_test.h"

namespace halyard::metal {
namespace {

using cts::Buffer;
using cts::CommandBuffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::kNoWaits;
using cts::Ref;
using cts::Semaphore;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kAdd = R"(#include <metal_stdlib>
using namespace metal;
struct Scale { uint factor; uint addend; };
kernel void add(const device uint* a [[buffer(0)]], constant Scale& scale [[buffer(2)]],
                device uint* out [[buffer(5)]], constant uint& bias [[buffer(8)]],
                uint i [[thread_position_in_grid]]) {
  out[i] = a[i] * scale.factor + scale.addend + bias;
}
)";

hal_parameter_t At(uint32_t number, hal_binding_access_t access) { return hal_parameter_binding(number, access); }

const std::vector<hal_parameter_t> kAddParameters = {At(0, HAL_BINDING_ACCESS_READ), At(2, HAL_BINDING_ACCESS_READ),
                                                     At(5, HAL_BINDING_ACCESS_WRITE)};

class PlainBuffersTest : public MetalTest, public testing::WithParamInterface<const char*> {
 protected:
  // With a bias of 1000 as the constants.
  Executable Add() const {
    MetalSource source(kAdd);
    std::vector<hal_parameter_t> parameters = kAddParameters;
    parameters.push_back(hal_parameter_constant(0, 4));
    Executable kernel;
    EXPECT_OK(source.Export("add", parameters, 4).Create(device_, &kernel));
    return kernel;
  }
  void ExpectRefused(const char* text, const std::vector<hal_parameter_t>& parameters, uint32_t constants_size,
                     const std::string& words) const {
    MetalSource source(text);
    EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, source.Export("add", parameters, constants_size).Create(device_));
    EXPECT_THAT(hal_last_error_message(), HasSubstr(words));
  }

  const Device device_ = Open(GetParam());
  const Buffer a_ = device_.CreateBufferOf(std::vector<uint32_t>{1, 2, 3, 4});
  const Buffer scales_ = device_.CreateBufferOf(std::vector<uint32_t>{10, 7, 100, 1});
  const Buffer out_ = device_.CreateBufferOf(std::vector<uint32_t>(4));
  const Semaphore done_ = device_.CreateSemaphore();
};

TEST_P(PlainBuffersTest, AreBindingsByTheirIndex) {
  const Executable kernel = Add();
  EXPECT_EQ(hal_executable_export_info(kernel, 0)->binding_count, 3u);
  Dispatch dispatch;
  dispatch.Workgroups(3).Constant(uint32_t{1000}).Bind(a_).Bind(scales_).Bind(Ref(out_, 4, 12));
  ASSERT_OK(device_.QueueDispatch(kNoWaits, {{done_, 1}}, kernel, "add", dispatch));
  ASSERT_OK(done_.Wait(1));
  EXPECT_THAT(device_.Download<uint32_t>(out_), ElementsAre(0u, 1017u, 1027u, 1037u));
}

// Recorded once, with other memory in a slot each time, and with a change between two dispatches.
TEST_P(PlainBuffersTest, ComeFromBindingTables) {
  const Executable kernel = Add();
  hal_command_buffer_params_t reusable = HAL_INIT(hal_command_buffer_params_t);
  reusable.binding_capacity = 1;
  CommandBuffer commands;
  ASSERT_OK(hal_command_buffer_create(device_, &reusable, commands.out()));
  ASSERT_OK(commands.Begin());
  for (const uint32_t half : {0u, 1u}) {
    Dispatch dispatch;
    dispatch.Workgroups(2).Constant(uint32_t{0}).Bind(Ref(a_, 8 * half, 8)).Bind(Ref(scales_, 8 * half, 8));
    ASSERT_OK(commands.Dispatch(kernel, "add", dispatch.Bind(cts::Slot(0, 8 * half, 8))));
  }
  ASSERT_OK(commands.End());
  const Buffer other = device_.CreateBufferOf(std::vector<uint32_t>(4));
  ASSERT_OK(device_.QueueExecute(kNoWaits, {{done_, 1}}, commands, {Ref(out_)}));
  ASSERT_OK(device_.QueueExecute({{done_, 1}}, {{done_, 2}}, commands, {Ref(other)}));
  ASSERT_OK(done_.Wait(2));
  for (const Buffer* const one : {&out_, &other}) {
    EXPECT_THAT(device_.Download<uint32_t>(*one), ElementsAre(17u, 27u, 301u, 401u));
  }
}

TEST_P(PlainBuffersTest, MayBeEmpty) {
  MetalSource source(R"(struct Rows { uint values[40]; };
kernel void pick(const device Rows* rows [[buffer(0)]], device uint* out [[buffer(1)]]) {
  out[0] = rows ? 5 : 6;
})");
  Executable kernel;
  ASSERT_OK(source.Export("pick", {At(0, HAL_BINDING_ACCESS_READ), At(1, HAL_BINDING_ACCESS_WRITE)})
                .Create(device_, &kernel));
  Dispatch dispatch;
  dispatch.Bind(Ref(a_, 16, 0)).Bind(out_);
  ASSERT_OK(device_.QueueDispatch(kNoWaits, {{done_, 1}}, kernel, "pick", dispatch));
  ASSERT_OK(done_.Wait(1));
  EXPECT_EQ(device_.Download<uint32_t>(out_)[0], 5u);
}

// Nine buffers and more: the place of the constants is a binding of a kernel that has no constants.
TEST_P(PlainBuffersTest, MayBeAtEachIndexOfMetal) {
  MetalSource source(R"(kernel void add(const device uint* a [[buffer(8)]], device uint* out [[buffer(30)]]) {
  out[0] = a[1];
})");
  Executable kernel;
  ASSERT_OK(source.Export("add", {At(8, HAL_BINDING_ACCESS_READ), At(30, HAL_BINDING_ACCESS_WRITE)})
                .Create(device_, &kernel));
  ASSERT_OK(device_.QueueDispatch(kNoWaits, {{done_, 1}}, kernel, "add", Dispatch().Bind(a_).Bind(out_)));
  ASSERT_OK(done_.Wait(1));
  EXPECT_EQ(device_.Download<uint32_t>(out_)[0], 2u);
}

TEST_P(PlainBuffersTest, AreNamedIfTheListLacksThem) {
  ExpectRefused(kAdd, {At(0, HAL_BINDING_ACCESS_READ), At(5, HAL_BINDING_ACCESS_WRITE), hal_parameter_constant(0, 4)},
                4, "takes 'scale' at buffer index 2, and the export list has no binding 2 of set 0");
  std::vector<hal_parameter_t> both = kAddParameters;
  both.push_back(At(8, HAL_BINDING_ACCESS_READ));
  both.push_back(hal_parameter_constant(0, 4));
  ExpectRefused(kAdd, both, 4, "'bias' at buffer index 8, which the export list has both for binding 8 and for the");
}

TEST_P(PlainBuffersTest, BeginAtMultiplesOfFourBytes) {
  const Executable kernel = Add();
  Dispatch dispatch;
  dispatch.Constant(uint32_t{0}).Bind(Ref(a_, 2, 8)).Bind(scales_).Bind(out_);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, device_.QueueDispatch(kNoWaits, {{done_, 1}}, kernel, "add", dispatch));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("dispatch of 'add': bindings.refs[0] begins at byte 2 "));
}

INSTANTIATE_TEST_SUITE_P(Devices, PlainBuffersTest,
                         testing::Values("", "arguments=encoder&residency=use", "dispatch=serial"),
                         [](const auto& tried) {
                           const std::string parameters = tried.param;
                           return parameters.empty() ? "auto" : parameters.substr(0, parameters.find('='));
                         });

}  // namespace
}  // namespace halyard::metal
