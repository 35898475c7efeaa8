// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dispatches that are refused, with the numbers that are wrong, and kernels that fail.
#include <cstdint>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "cts/routes.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cts {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// --- Wrong numbers ---

/// Calls with the right and with wrong numbers of something.
class DispatchCountTest : public DeviceTestWith<Route> {
 protected:
  static constexpr uint32_t kGiven[] = {0, 1, 2, 3, 4, 7, 8, 9, 16};

  /// Expects that `given` is accepted if it is what the export takes; else a message with both numbers.
  void ExpectOnly(uint32_t taken, uint32_t given, std::string_view kernel, const Dispatch& dispatch) const {
    const hal_status_t status = Submitter(device(), GetParam()).Dispatch(kernels_, kernel, dispatch);
    EXPECT_STATUS(given == taken ? HAL_STATUS_OK : HAL_STATUS_INVALID_ARGUMENT, status) << given;
    if (given == taken) return;
    EXPECT_THAT(hal_last_error_message(), AllOf(HasSubstr(std::to_string(given)), HasSubstr(std::to_string(taken))));
  }

  const Executable kernels_ = LoadKernels("dispatch");
  const Buffer buffer_ = device().CreateBufferOf(std::vector<uint32_t>(16 * 16, 0));
};

TEST_P(DispatchCountTest, OfBindingsMustBeTheExports) {
  for (const uint32_t given : kGiven) {
    Dispatch dispatch;
    for (uint32_t i = 0; i < given; ++i) dispatch.Bind(Ref(buffer_, device().BindingOffset(64) * i, 64));
    ExpectOnly(3, given, "bindings_3", dispatch);
  }
}

TEST_P(DispatchCountTest, OfConstantBytesMustBeTheExports) {
  for (const uint32_t given : kGiven) {
    Dispatch dispatch;
    for (uint32_t i = 0; i < given; ++i) dispatch.Constant(uint8_t{1});
    ExpectOnly(8, given, "constants_8", dispatch.Bind(buffer_));
  }
}

INSTANTIATE_TEST_SUITE_P(Route, DispatchCountTest, Routes(), ByNameOf);

// --- Other refusals ---

struct BadDispatch {
  const char* name;
  hal_status_t status;
  /// Makes a dispatch of `add_one` over `data` invalid.
  void (*make_invalid)(hal_dispatch_params_t* params, hal_buffer_ref_t* binding, const hal_device_limits_t& limits);
};
void PrintTo(const BadDispatch& bad, std::ostream* out) { *out << bad.name; }

const BadDispatch kBadDispatches[] = {
    {"NoStructSize", HAL_STATUS_INVALID_ARGUMENT, [](auto* p, auto*, const auto&) { p->struct_size = 0; }},
    {"UnknownFlags", HAL_STATUS_INVALID_ARGUMENT, [](auto* p, auto*, const auto&) { p->flags = UINT64_C(1) << 20; }},
    {"ConstantsWithoutBytes", HAL_STATUS_INVALID_ARGUMENT, [](auto* p, auto*, const auto&) { p->constants_size = 4; }},
    {"BindingsWithoutRefs", HAL_STATUS_INVALID_ARGUMENT,
     [](auto* p, auto*, const auto&) { p->bindings.refs = nullptr; }},
    {"BindingWithoutBuffer", HAL_STATUS_INVALID_ARGUMENT, [](auto*, auto* b, const auto&) { b->buffer = nullptr; }},
    {"BindingPastTheEnd", HAL_STATUS_OUT_OF_RANGE, [](auto*, auto* b, const auto&) { b->length = 260; }},
    {"BindingBeginsPastTheEnd", HAL_STATUS_OUT_OF_RANGE, [](auto*, auto* b, const auto&) { b->offset = 260; }},
    {"BindingSumOverflows", HAL_STATUS_OUT_OF_RANGE,
     [](auto*, auto* b, const auto&) {
       b->offset = 128;
       b->length = UINT64_MAX - 64;
     }},
    {"BindingReservedSet", HAL_STATUS_INVALID_ARGUMENT, [](auto*, auto* b, const auto&) { b->reserved = 7; }},
    {"TooManyWorkgroups", HAL_STATUS_OUT_OF_RANGE,
     [](auto* p, auto*, const auto& limits) { p->workgroup_count.x = limits.max_workgroup_count.x + 1; }},
    {"TooManyWorkgroupsInZ", HAL_STATUS_OUT_OF_RANGE,
     [](auto* p, auto*, const auto& limits) { p->workgroup_count.z = limits.max_workgroup_count.z + 1; }},
    {"WorkgroupTooLarge", HAL_STATUS_OUT_OF_RANGE,
     [](auto* p, auto*, const auto& limits) { p->workgroup_size = hal_dim3(limits.max_workgroup_size.x + 1, 1, 1); }},
    {"WorkgroupWithoutY", HAL_STATUS_INVALID_ARGUMENT,
     [](auto* p, auto*, const auto&) { p->workgroup_size = hal_dim3(8, 0, 1); }},
    {"TooMuchLocalMemory", HAL_STATUS_OUT_OF_RANGE,
     [](auto* p, auto*, const auto& limits) { p->dynamic_local_memory = limits.max_local_memory + 1; }},
    {"AbsurdLocalMemory", HAL_STATUS_OUT_OF_RANGE,
     [](auto* p, auto*, const auto&) { p->dynamic_local_memory = UINT32_MAX; }},
};

class DispatchRefusalTest : public DeviceTestWith<BadDispatch> {
 protected:
  DispatchRefusalTest() {
    params_.bindings = hal_buffer_ref_list(&binding_, 1);
    GetParam().make_invalid(&params_, &binding_, device().limits());
  }
  void TearDown() override {
    EXPECT_TRUE(SameElements(Download<uint32_t>(data_), Counting(64)));
    DeviceTest::TearDown();
  }
  /// Where the device sets no bound there is no number above it.
  bool IsInvalid() const {
    const hal_dispatch_params_t valid = HAL_DISPATCH_PARAMS_INIT;
    return GetParam().status != HAL_STATUS_OUT_OF_RANGE || binding_.length != HAL_WHOLE_SIZE || binding_.offset != 0 ||
           params_.workgroup_count.x > valid.workgroup_count.x || params_.workgroup_count.z > valid.workgroup_count.z ||
           params_.workgroup_size.x != 0 || params_.dynamic_local_memory != 0;
  }

  const Executable kernels_ = LoadKernels("basic");
  const Buffer data_ = device().CreateBufferOf(Counting(64));
  hal_buffer_ref_t binding_ = Ref(data_);
  hal_dispatch_params_t params_ = HAL_DISPATCH_PARAMS_INIT;
};

TEST_P(DispatchRefusalTest, ByTheQueue) {
  if (!IsInvalid()) GTEST_SKIP() << "the device sets no bound";
  const Semaphore done = CreateSemaphore();
  EXPECT_STATUS(GetParam().status, hal_device_queue_dispatch(device(), hal::SubmitParams(kNoWaits, Points({{done, 1}})),
                                                             kernels_, kernels_.Export("add_one"), &params_));
  EXPECT_STRNE(hal_last_error_message(), "");
  EXPECT_OK(done.Query());
  EXPECT_EQ(done.Value(), 0u);
}

TEST_P(DispatchRefusalTest, ByTheRecording) {
  if (!IsInvalid()) GTEST_SKIP() << "the device sets no bound";
  const CommandBuffer commands = device().CreateCommandBuffer();
  ASSERT_OK(commands.Begin());
  const hal_status_t status = hal_command_buffer_dispatch(commands, kernels_, kernels_.Export("add_one"), &params_);
  // Without a buffer it is slot 0, of which there is none.
  EXPECT_STATUS(binding_.buffer || !params_.bindings.refs ? GetParam().status : HAL_STATUS_OUT_OF_RANGE, status);
  EXPECT_STATUS(status, commands.End());
}

INSTANTIATE_TEST_SUITE_P(Params, DispatchRefusalTest, testing::ValuesIn(kBadDispatches), ByName);

class DispatchFailureTest : public DeviceTestWith<Route> {
 protected:
  const Submitter submitter_{device(), GetParam()};
};

TEST_P(DispatchFailureTest, OrdinalOutOfRangeIsRefused) {
  const Executable kernels = LoadKernels("dispatch");
  for (const uint32_t ordinal : {hal_executable_export_count(kernels), UINT32_MAX}) {
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_device_queue_dispatch(device(), hal::SubmitParams(kNoWaits, kNoSignals),
                                                                     kernels, ordinal, Dispatch().params()));
  }
}

TEST_P(DispatchFailureTest, ExecutableOfAnotherDeviceIsRefused) {
  const Device other = OpenSecondDevice();
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, submitter_.Dispatch(other.LoadKernels("basic"), "noop", Dispatch()));
}

INSTANTIATE_TEST_SUITE_P(Route, DispatchFailureTest, Routes(), ByNameOf);

// --- Kernels that fail ---

class KernelFailureTest : public DeviceTestWith<Route> {
 protected:
  void SetUp() override {
    if (!HasKernels(device(), "host")) GTEST_SKIP() << "kernels of the device cannot fail";
    kernels_ = LoadKernels("host");
  }
  /// Runs eight workgroups, of which number `where` fails with `code`; the others add one to their cell.
  Dispatch Failing(int32_t code, uint32_t where, const Buffer& cells) const {
    return Dispatch().Workgroups(8).Constant(code).Constant(where).Bind(cells);
  }
  hal_status_t Fail(const Points& waits, const Points& signals) const {
    return submitter_.SubmitDispatch(waits, signals, kernels_, "fail_in_workgroup", Failing(13, 5, cells_));
  }

  const Submitter submitter_{device(), GetParam()};
  Executable kernels_;
  const Buffer cells_ = device().CreateBufferOf(std::vector<uint32_t>(8, 0));
};

TEST_P(KernelFailureTest, KernelThatSucceedsIsTheControl) {
  ASSERT_OK(submitter_.Dispatch(kernels_, "fail_in_workgroup", Failing(0, 8, cells_)));
  EXPECT_THAT(Download<uint32_t>(cells_), testing::Each(1u));
}

TEST_P(KernelFailureTest, FailingKernelAbortsAndSaysWhere) {
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Fail(kNoWaits, {{done, 1}}));
  EXPECT_STATUS(HAL_STATUS_ABORTED, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("13"));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("5"));
}

TEST_P(KernelFailureTest, EveryCodeButZeroIsAFailure) {
  for (const int32_t code : {1, -1, INT32_MAX, INT32_MIN}) {
    EXPECT_STATUS(HAL_STATUS_ABORTED, submitter_.Dispatch(kernels_, "fail_in_workgroup", Failing(code, 0, cells_)));
    EXPECT_THAT(hal_last_error_message(), HasSubstr(std::to_string(code)));
  }
}

TEST_P(KernelFailureTest, OnlyDependentsFail) {
  const Semaphore gate = CreateSemaphore();
  const Semaphore failed = CreateSemaphore();
  const Semaphore dependent = CreateSemaphore();
  const Semaphore second_dependent = CreateSemaphore();
  const Semaphore bystander = CreateSemaphore();
  const Buffer untouched = device().CreateBufferOf(Counting(16));
  const Buffer written = device().CreateBufferOf(Counting(16));
  const uint32_t pattern = 9;
  ASSERT_OK(Fail({{gate, 1}}, {{failed, 1}}));
  ASSERT_OK(submitter_.SubmitFill({{failed, 1}}, {{dependent, 1}}, untouched, &pattern, 4));
  ASSERT_OK(submitter_.SubmitFill({{dependent, 1}}, {{second_dependent, 1}}, untouched, &pattern, 4));
  ASSERT_OK(submitter_.SubmitFill({{gate, 1}}, {{bystander, 1}}, written, &pattern, 4));
  ASSERT_OK(gate.Signal(1));
  EXPECT_STATUS(HAL_STATUS_ABORTED, second_dependent.Wait(1));
  EXPECT_STATUS(HAL_STATUS_ABORTED, dependent.Wait(1));
  EXPECT_OK(bystander.Wait(1));
  EXPECT_OK(gate.Query());
  EXPECT_TRUE(SameElements(Download<uint32_t>(untouched), Counting(16)));
  EXPECT_THAT(Download<uint32_t>(written), testing::Each(9u));
}

TEST_P(KernelFailureTest, DeviceCarriesOn) {
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Fail(kNoWaits, {{done, 1}}));
  ASSERT_STATUS(HAL_STATUS_ABORTED, done.Wait(1));
  EXPECT_OK(hal_device_query_health(device()));
  const Buffer fresh = device().CreateBufferOf(std::vector<uint32_t>(8, 0));
  ASSERT_OK(submitter_.Dispatch(kernels_, "fail_in_workgroup", Failing(0, 8, fresh)));
  EXPECT_THAT(Download<uint32_t>(fresh), testing::Each(1u));
}

INSTANTIATE_TEST_SUITE_P(Route, KernelFailureTest, Routes(), ByNameOf);

class RecordingFailureTest : public DeviceTest {};

TEST_F(RecordingFailureTest, WhatFollowsTheFailureDoesNotRun) {
  if (!HasKernels(device(), "host")) GTEST_SKIP() << "kernels of the device cannot fail";
  const Executable kernels = LoadKernels("host");
  const Buffer cells = device().CreateBufferOf(std::vector<uint32_t>(8, 0));
  const Buffer before = device().CreateBufferOf(Counting(16));
  const Buffer after = device().CreateBufferOf(Counting(16));
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    Check(c.Fill(before, uint32_t{1}), "fill");
    Check(c.Barrier(), "barrier");
    Check(c.Dispatch(kernels, "fail_in_workgroup",
                     Dispatch().Workgroups(8).Constant(int32_t{1}).Constant(uint32_t{2}).Bind(cells)),
          "dispatch");
    Check(c.Barrier(), "barrier");
    Check(c.Fill(after, uint32_t{1}), "fill");
  });
  for (int execution = 0; execution < 2; ++execution) {
    const Semaphore failed = CreateSemaphore();
    ASSERT_OK(device().QueueExecute(kNoWaits, {{failed, 1}}, commands));
    EXPECT_STATUS(HAL_STATUS_ABORTED, failed.Wait(1));
  }
  EXPECT_THAT(Download<uint32_t>(before), testing::Each(1u));
  EXPECT_TRUE(SameElements(Download<uint32_t>(after), Counting(16)));
}

TEST_F(RecordingFailureTest, NextExecutionMaySucceed) {
  const Executable kernels = LoadKernels("dispatch");
  const Buffer counts = device().CreateBufferOf<uint32_t>({UINT32_MAX, 1, 1});
  const Buffer cells = device().CreateBufferOf(std::vector<uint32_t>(8, 0));
  if (device().limits().max_workgroup_count.x == UINT32_MAX) GTEST_SKIP() << "no count is too large";
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    Check(c.Dispatch(kernels, "count_visits", Dispatch().Indirect(counts).Constant(uint32_t{8}).Bind(cells)),
          "dispatch");
  });
  const Semaphore failed = CreateSemaphore();
  ASSERT_OK(device().QueueExecute(kNoWaits, {{failed, 1}}, commands));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, failed.Wait(1));
  Upload(counts, std::vector<uint32_t>{8, 1, 1});
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands));
  EXPECT_OK(done.Wait(1));
  EXPECT_THAT(Download<uint32_t>(cells), testing::Each(1u));
}

}  // namespace
}  // namespace halyard::cts
