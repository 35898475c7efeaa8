// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many calls of Metal, objects of Metal and allocations the driver needs.
#include <algorithm>

#include "allocations/counting_allocator.h"
#include "metal_test.h"

namespace halyard::metal {
namespace {

using cts::Buffer;
using cts::Check;
using cts::CommandBuffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::Ref;
using cts::Semaphore;

constexpr uint64_t kGroup = 256;  // bytes that a workgroup of add_one works on

class CallCountsTest : public MetalTest {
 protected:
  /// @param parameters  of the device
  explicit CallCountsTest(const std::string& parameters = "") : device_(Open(parameters)) {
    // Not uploaded: the buffer of an upload may go later than its wait ends, with calls of its own.
    RunAndWait(
        [&](const auto& waits, const auto& signals) { return device_.QueueFill(waits, signals, data_, uint32_t{0}); });
    // The driver's own kernels are compiled on another thread, for which the first odd fill waits.
    RunAndWait([&](const auto& waits, const auto& signals) {
      return device_.QueueFill(waits, signals, Ref(data_, 1, 3), uint8_t{0});
    });
  }

  hal_timeline_point_t Now() const { return {timeline_, value_}; }
  hal_timeline_point_t Next() { return {timeline_, ++value_}; }
  Dispatch AddOne(uint64_t group) const { return Dispatch().Bind(Ref(data_, group * kGroup, kGroup)); }
  hal_status_t SubmitAddOne(const cts::Points& waits, const cts::Points& signals) const {
    return device_.QueueDispatch(waits, signals, kernels_, "add_one", AddOne(0));
  }

  template <class Submit>
  void RunAndWait(const Submit& submit) {
    const cts::Points waits = {Now()};
    const cts::Points signals = {Next()};
    ASSERT_OK(submit(waits, signals));
    ASSERT_OK(timeline_.Wait(value_));
  }
  void Execute(const CommandBuffer& commands) {
    RunAndWait([&](const auto& waits, const auto& signals) { return device_.QueueExecute(waits, signals, commands); });
  }

  void BeginCounting() const {
    EXPECT_EQ(sim().Reports(), "");
    sim().Reset();
  }
  uint64_t Calls(const char* selector = nullptr) const { return sim().Calls(selector); }
  uint64_t ComputeEncoders() const { return Calls("computeCommandEncoderWithDispatchType:"); }
  uint64_t BlitEncoders() const { return Calls("blitCommandEncoder"); }
  uint64_t StagingBlocks() const { return Calls("newBufferWithLength:options:"); }
  uint64_t Barriers() const { return Calls("memoryBarrierWithScope:"); }

  const Device device_;
  const Executable kernels_ = device_.LoadKernels("basic");
  const Semaphore timeline_ = device_.CreateSemaphore();
  const Buffer data_ = device_.CreateBuffer(1'000 * kGroup);
  uint64_t value_ = 0;
};

/// The same with parameters of the device.
class CallCountsWith : public CallCountsTest, public testing::WithParamInterface<const char*> {
 protected:
  CallCountsWith() : CallCountsTest(GetParam()) {}
};

class WarmDispatchTest : public CallCountsWith {
 protected:
  /// Calls for a dispatch of "mix_cells", which has constants and one set of three bindings, behind work
  /// that goes on. Two of the bindings are in one buffer.
  uint64_t CallsOfADispatch() {
    const Buffer other = device_.CreateBuffer(kGroup);
    const Dispatch dispatch =
        Dispatch().Constant(uint32_t{3}).Bind(Ref(data_, 0, 4)).Bind(Ref(data_, 4, 4)).Bind(other);
    const auto submit = [&](const cts::Points& waits, const cts::Points& signals) {
      return device_.QueueDispatch(waits, signals, kernels_, "mix_cells", dispatch);
    };
    RunAndWait(submit);
    HeldDispatch held(device_);
    BeginCounting();
    EXPECT_OK(submit({held.end()}, {Next()}));
    held.Release();
    EXPECT_OK(timeline_.Wait(value_));
    return Calls();  // before the buffers go
  }
};

TEST_P(WarmDispatchTest, MakesElevenCallsAndOneForEachBufferThatEncodersHearOf) {
  const uint64_t calls = CallsOfADispatch();
  const uint64_t named = std::string_view(GetParam()) == "residency=use" ? 2 : 0;
  EXPECT_EQ(calls, 11u + named);
  EXPECT_EQ(Calls("encodeWaitForEvent:value:"), 1u);
  EXPECT_EQ(Calls("useResource:usage:"), named);
}
INSTANTIATE_TEST_SUITE_P(Metal, WarmDispatchTest, testing::Values("residency=set", "residency=use"), ByParameters);

class RecordingCallCountsTest : public CallCountsWith {};

TEST_P(RecordingCallCountsTest, DispatchesOfOnePipelineWriteNothingWhenExecutedAgain) {
  const CommandBuffer commands = device_.Record([&](const CommandBuffer& recording) {
    for (uint64_t i = 0; i < 1'000; ++i) Check(recording.Dispatch(kernels_, "add_one", AddOne(i)), "add_one");
  });
  // Nothing was staged before, so the first arguments that an execution writes would need a block of staging.
  BeginCounting();
  Execute(commands);
  EXPECT_EQ(StagingBlocks(), 0u) << "the arguments were written when the recording ended";
  BeginCounting();
  Execute(commands);
  EXPECT_EQ(StagingBlocks(), 0u);
  EXPECT_EQ(ComputeEncoders(), 1u);
  EXPECT_EQ(BlitEncoders(), 0u);
  EXPECT_EQ(Barriers(), 0u);
  EXPECT_EQ(Calls("setComputePipelineState:"), 1u);
  EXPECT_EQ(Calls("dispatchThreadgroups:threadsPerThreadgroup:"), 1'000u);
  for (const char* writes : {"setArgumentBuffer:offset:", "setBytes:length:atIndex:", "contents", "gpuAddress"}) {
    EXPECT_EQ(Calls(writes), 0u) << writes;
  }
  EXPECT_EQ(Calls("setBuffer:offset:atIndex:"), 1u) << "one buffer has the arguments of all";
  EXPECT_THAT(device_.Download<uint32_t>(data_), testing::Each(2u));
}

// What the test above counts can be there.
TEST_P(RecordingCallCountsTest, ArgumentsOnSlotsAreWrittenAtEachExecution) {
  const auto record = [&](const CommandBuffer& recording) {
    const Dispatch dispatch = Dispatch().Bind(cts::Slot(0, 0, kGroup));
    Check(recording.Dispatch(kernels_, "add_one", dispatch), "add_one");
  };
  const CommandBuffer commands = device_.Record(record, 0, 1);
  BeginCounting();
  RunAndWait([&](const auto& w, const auto& s) { return device_.QueueExecute(w, s, commands, {data_}); });
  EXPECT_EQ(StagingBlocks(), 1u);
  EXPECT_EQ(Calls("setArgumentBuffer:offset:"), std::string_view(GetParam()) == "arguments=encoder" ? 1u : 0u);
}
INSTANTIATE_TEST_SUITE_P(Metal, RecordingCallCountsTest, testing::Values("arguments=direct", "arguments=encoder"),
                         ByParameters);

TEST_F(CallCountsTest, SmallFillsBetweenDispatchesNeedNoOtherEncoder) {
  const CommandBuffer commands = device_.Record([&](const CommandBuffer& recording) {
    for (uint32_t i = 0; i < 1'000; ++i) {
      Check(recording.Fill(Ref(data_, 0, kGroup), i), "fill");
      Check(recording.Barrier(), "barrier");
      Check(recording.Dispatch(kernels_, "add_one", AddOne(0)), "add_one");
      Check(recording.Barrier(), "barrier");
    }
  });
  BeginCounting();
  Execute(commands);
  EXPECT_EQ(ComputeEncoders(), 1u);
  EXPECT_EQ(BlitEncoders(), 0u);
  EXPECT_EQ(Barriers(), 1'999u);
  EXPECT_THAT(device_.Download<uint32_t>(data_, 0, kGroup / 4), testing::Each(1'000u));
}

TEST_F(CallCountsTest, LargeCopiesBesideDispatchesNeedOneOtherEncoder) {
  constexpr uint64_t kLarge = 64 << 10;  // bytes
  const Buffer source = device_.CreateBuffer(kLarge);
  const Buffer target = device_.CreateBuffer(1'000 * kLarge);
  const CommandBuffer commands = device_.Record([&](const CommandBuffer& recording) {
    for (uint64_t i = 0; i < 1'000; ++i) {
      Check(recording.Copy(source, Ref(target, i * kLarge, kLarge)), "copy");
      Check(recording.Dispatch(kernels_, "add_one", AddOne(i)), "add_one");
    }
  });
  BeginCounting();
  Execute(commands);
  EXPECT_EQ(ComputeEncoders(), 1u);
  EXPECT_EQ(BlitEncoders(), 1u);
  EXPECT_EQ(Barriers(), 0u);
}

// Sizes of workgroups and of dynamic memory are arguments.
TEST_F(CallCountsTest, NothingIsCompiledAtADispatch) {
  const Executable kernels = device_.LoadKernels("dispatch");
  const Buffer numbers = device_.CreateBufferOf(std::vector<uint32_t>(1'024, 1));
  BeginCounting();
  for (const uint32_t size : {1, 7, 64, 256}) {
    RunAndWait([&](const auto& waits, const auto& signals) {
      return device_.QueueDispatch(waits, signals, kernels, "report_workgroup",
                                   Dispatch().WorkgroupSize(size).Bind(data_));
    });
    EXPECT_EQ(device_.Download<uint32_t>(data_, 24, 4)[0], size);
    RunAndWait([&](const auto& waits, const auto& signals) {
      const Dispatch dispatch = Dispatch().LocalMemory(size * 4).Constant(size).Bind(numbers).Bind(data_);
      return device_.QueueDispatch(waits, signals, kernels, "reverse_dynamic", dispatch);
    });
  }
  EXPECT_EQ(sim().CompiledFunctions(), 0u);
  for (const char* call : {"newLibraryWithSource:options:error:", "newFunctionWithName:",
                           "newFunctionWithName:constantValues:error:", "newComputePipelineStateWithFunction:error:",
                           "newComputePipelineStateWithDescriptor:options:completionHandler:"}) {
    EXPECT_EQ(Calls(call), 0u) << call;
  }
}

// The other device's command buffer is committed while the work that it waits for goes on.
TEST_F(CallCountsTest, ADeviceWaitsForAnotherOneByItsEvent) {
  const Device other = cts::OpenDevice("metal://1");
  const Buffer target = other.CreateBuffer(64);
  const Semaphore done = other.CreateSemaphore();
  HeldDispatch held(device_);
  BeginCounting();
  ASSERT_OK(other.QueueFill({held.end()}, {{done, 1}}, target, uint8_t{3}));
  EXPECT_EQ(Calls("encodeWaitForEvent:value:"), 1u);
  EXPECT_EQ(Calls("addCompletedHandler:"), 1u);
  held.Release();
  ASSERT_OK(done.Wait(1));
  EXPECT_THAT(other.Download<uint8_t>(target), testing::Each(3));
}

TEST_F(CallCountsTest, AHostWaitMakesNoCall) {
  HeldDispatch held(device_);
  ASSERT_OK(SubmitAddOne({held.end()}, {Next()}));
  BeginCounting();
  held.Release();
  EXPECT_OK(timeline_.Wait(value_));
  EXPECT_OK(timeline_.Wait(1));
  EXPECT_EQ(Calls(), 0u);
}

TEST_F(CallCountsTest, ABarrierBehindNothingUnfinishedMakesNoCall) {
  BeginCounting();
  RunAndWait([&](const auto& waits, const auto& signals) { return device_.QueueBarrier(waits, signals); });
  EXPECT_EQ(Calls(), 0u);
}

TEST_F(CallCountsTest, AllocatingAKeptSizeMakesNoCall) {
  Buffer first;
  Buffer second;
  RunAndWait(
      [&](const auto& waits, const auto& signals) { return device_.QueueAlloca(waits, signals, 64 << 10, &first); });
  RunAndWait([&](const auto& waits, const auto& signals) { return device_.QueueDealloca(waits, signals, first); });
  BeginCounting();
  RunAndWait(
      [&](const auto& waits, const auto& signals) { return device_.QueueAlloca(waits, signals, 64 << 10, &second); });
  EXPECT_EQ(Calls(), 0u);
  RunAndWait([&](const auto& waits, const auto& signals) { return device_.QueueDealloca(waits, signals, second); });
  EXPECT_EQ(Calls(), 0u);
}

TEST_F(CallCountsTest, DeferredOperationsMakeNoObject) {
  constexpr uint64_t kOperations = 10'000;
  const Semaphore gate = device_.CreateSemaphore();
  BeginCounting();
  const uint64_t objects = sim().Objects();
  for (uint64_t i = 0; i < kOperations; ++i) {
    const hal_timeline_point_t before = i == 0 ? hal_timeline_point_t{gate, 1} : Now();
    ASSERT_OK(SubmitAddOne({before}, {Next()}));
  }
  EXPECT_LE(sim().Objects(), objects) << "what went before may still free some";
  EXPECT_EQ(Calls(), 0u);
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(timeline_.Wait(value_));
  EXPECT_THAT(device_.Download<uint32_t>(data_, 0, kGroup / 4), testing::Each(kOperations));
}

class WarmAllocationTest : public CallCountsWith {
 protected:
  /// The library's allocations while one of each operation runs, without the buffer that one makes.
  uint64_t AllocationsOfARound(const CommandBuffer& commands) {
    const uint32_t word = 7;
    Buffer scratch;
    const uint64_t count = allocations::LibraryAllocations();
    const auto step = [&](const auto& submit) {
      const cts::Points waits = {Now()};
      const cts::Points signals = {Next()};
      EXPECT_OK(submit(waits, signals));
    };
    step([&](const auto& w, const auto& s) { return device_.QueueBarrier(w, s); });
    step([&](const auto& w, const auto& s) { return device_.QueueFill(w, s, Ref(data_, 0, 64), word); });
    step([&](const auto& w, const auto& s) { return device_.QueueUpdate(w, s, &word, Ref(data_, 1, 4)); });
    step([&](const auto& w, const auto& s) { return device_.QueueCopy(w, s, Ref(data_, 0, 64), Ref(data_, 128, 64)); });
    step([&](const auto& w, const auto& s) { return SubmitAddOne(w, s); });
    step([&](const auto& w, const auto& s) { return device_.QueueExecute(w, s, commands); });
    step([&](const auto& w, const auto& s) { return device_.QueueAlloca(w, s, 4096, &scratch); });
    step([&](const auto& w, const auto& s) { return device_.QueueDealloca(w, s, scratch); });
    EXPECT_OK(timeline_.Wait(value_));
    return allocations::LibraryAllocations() - count - 1;
  }
};

// A list may grow once more when threads come in another order than before, but no operation allocates every few
// rounds.
TEST_P(WarmAllocationTest, OnceWarmSubmissionsAllocateNothing) {
  const CommandBuffer commands = device_.Record([&](const CommandBuffer& recording) {
    Check(recording.Fill(Ref(data_, 512, 64), uint32_t{1}), "fill");
    Check(recording.Barrier(), "barrier");
    Check(recording.Dispatch(kernels_, "add_one", AddOne(2)), "add_one");
  });
  for (int i = 0; i < 100; ++i) AllocationsOfARound(commands);
  constexpr uint64_t kRounds = 128;
  uint64_t least = UINT64_MAX;
  uint64_t all = 0;
  for (uint64_t i = 0; i < kRounds; ++i) {
    const uint64_t count = AllocationsOfARound(commands);
    least = std::min(least, count);
    all += count;
  }
  EXPECT_EQ(least, 0u);
  EXPECT_LT(all, kRounds / 8) << "an operation allocates in some of its rounds";
}
INSTANTIATE_TEST_SUITE_P(Metal, WarmAllocationTest,
                         testing::Values("arguments=direct", "arguments=encoder", "residency=use", "queues=4"),
                         ByParameters);

}  // namespace
}  // namespace halyard::metal
