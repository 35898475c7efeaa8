// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The life of a command buffer: recording, execution, what it captures and keeps alive. Executing once and many times
// is in command_buffer_reuse_test.cpp, refused commands in command_refusal_test.cpp, binding tables in
// binding_table_test.cpp, order in command_order_test.cpp.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"

namespace halyard::cts {
namespace {

using testing::Each;
using testing::HasSubstr;

/// What a command needs to be recorded.
struct Resources {
  explicit Resources(const Device& device)
      : buffer(device.CreateBufferOf(std::vector<uint32_t>(64, 0))),
        other(device.CreateBufferOf(std::vector<uint32_t>(64, 5))),
        kernels(device.LoadKernels("basic")),
        event(device.CreateEvent()) {}

  Buffer buffer;
  Buffer other;
  Executable kernels;
  Event event;
};

/// A command of each kind, recorded as it should be.
struct CommandKind {
  const char* name;
  hal_status_t (*record)(const CommandBuffer& commands, const Resources& resources);
};
void PrintTo(const CommandKind& kind, std::ostream* out) { *out << kind.name; }

const CommandKind kCommandKinds[] = {
    {"Barrier", [](const CommandBuffer& c, const Resources&) { return c.Barrier(); }},
    {"Fill", [](const CommandBuffer& c, const Resources& r) { return c.Fill(r.buffer, uint32_t{1}); }},
    {"Update",
     [](const CommandBuffer& c, const Resources& r) {
       const uint32_t data = 1;
       return c.Update(&data, Ref(r.buffer, 0, 4));
     }},
    {"Copy", [](const CommandBuffer& c, const Resources& r) { return c.Copy(r.other, r.buffer); }},
    {"Dispatch", [](const CommandBuffer& c,
                    const Resources& r) { return c.Dispatch(r.kernels, "add_one", Dispatch().Bind(r.buffer)); }},
    {"SignalEvent", [](const CommandBuffer& c, const Resources& r) { return c.SignalEvent(r.event); }},
    {"WaitNoEvents", [](const CommandBuffer& c, const Resources&) { return c.WaitEvents({}); }},
    {"BeginDebugGroup", [](const CommandBuffer& c, const Resources&) { return c.BeginDebugGroup("group"); }},
    {"EndDebugGroup", [](const CommandBuffer& c, const Resources&) { return c.EndDebugGroup(); }},
};

class CommandKindTest : public DeviceTestWith<CommandKind> {
 protected:
  const Resources resources_{device()};
};

TEST_P(CommandKindTest, BeforeBeginIsAFailedPrecondition) {
  const CommandBuffer commands = device().CreateCommandBuffer();
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, GetParam().record(commands, resources_));
}

TEST_P(CommandKindTest, AfterEndIsAFailedPreconditionAndChangesNothing) {
  const CommandBuffer commands = device().Record([](const CommandBuffer&) {});
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, GetParam().record(commands, resources_));
  const Semaphore done = CreateSemaphore();
  EXPECT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands));
  EXPECT_OK(done.Wait(1));
  EXPECT_THAT(Download<uint32_t>(resources_.buffer), Each(0u));
}

INSTANTIATE_TEST_SUITE_P(Kinds, CommandKindTest, testing::ValuesIn(kCommandKinds), ByName);

class CommandBufferTest : public DeviceTest {
 protected:
  /// Executes without waits and waits for the end.
  hal_status_t Run(const CommandBuffer& commands, const std::vector<Ref>& table = {}) const {
    const Semaphore done = CreateSemaphore();
    const hal_status_t status = device().QueueExecute(kNoWaits, {{done, 1}}, commands, table);
    return status == HAL_STATUS_OK ? done.Wait(1) : status;
  }
};

// --- Begin and end ---

TEST_F(CommandBufferTest, IsRecordedOnce) {
  const CommandBuffer commands = device().CreateCommandBuffer();
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, commands.End());
  ASSERT_OK(commands.Begin());
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, commands.Begin());
  ASSERT_OK(commands.End());
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, commands.End());
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, commands.Begin());
  EXPECT_OK(Run(commands));
}

TEST_F(CommandBufferTest, CannotBeExecutedBeforeItsEnd) {
  const CommandBuffer commands = device().CreateCommandBuffer();
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, Run(commands));
  ASSERT_OK(commands.Begin());
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, Run(commands));
  ASSERT_OK(commands.End());
  EXPECT_OK(Run(commands));
}

TEST_F(CommandBufferTest, MayBeDroppedInAnyState) {
  const Resources resources(device());
  device().CreateCommandBuffer();
  CommandBuffer commands = device().CreateCommandBuffer();
  ASSERT_OK(commands.Begin());
  ASSERT_OK(commands.Fill(resources.buffer, uint8_t{1}));
  ASSERT_OK(commands.BeginDebugGroup("open"));
  commands.reset();
  commands = device().Record([&](const CommandBuffer& c) { Check(c.Fill(resources.buffer, uint8_t{1}), "fill"); });
  commands.reset();
  EXPECT_THAT(Download<uint32_t>(resources.buffer), Each(0u));
}

TEST_F(CommandBufferTest, UnknownFlagsAreInvalid) {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  CommandBuffer commands;
  for (const uint64_t flags : {UINT64_C(8), UINT64_C(1) << 63}) {
    params.flags = flags;
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_command_buffer_create(device(), &params, commands.out()));
    EXPECT_EQ(commands.get(), nullptr);
  }
}

// --- What it can be ---

/// The flags of a command buffer, all of which execute alike.
class CommandBufferFlagsTest : public DeviceTestWith<Number> {};

TEST_P(CommandBufferFlagsTest, EmptyRecordingSignals) {
  const CommandBuffer commands = device().Record([](const CommandBuffer&) {}, GetParam());
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands));
  EXPECT_OK(done.Wait(1));
}

TEST_P(CommandBufferFlagsTest, MixedCommandsDoTheirWork) {
  const Resources r(device());
  const std::vector<uint32_t> data = Counting(16, 100);
  const CommandBuffer commands = device().Record(
      [&](const CommandBuffer& c) {
        Check(c.Fill(Slot(0), uint32_t{10}), "fill");
        Check(c.Barrier(), "barrier");
        Check(c.Dispatch(r.kernels, "add_one", Dispatch().Bind(Slot(0))), "dispatch");
        Check(c.Barrier(), "barrier");
        Check(c.Copy(Slot(0), r.other), "copy");
        Check(c.Barrier(), "barrier");
        Check(c.Update(data.data(), Ref(r.other, 0, 64)), "update");
      },
      GetParam(), 1);
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands, {r.buffer}));
  ASSERT_OK(done.Wait(1));
  EXPECT_THAT(Download<uint32_t>(r.buffer), Each(11u));
  std::vector<uint32_t> expected(64, 11);
  std::copy(data.begin(), data.end(), expected.begin());
  EXPECT_TRUE(SameElements(Download<uint32_t>(r.other), expected));
}

TEST_P(CommandBufferFlagsTest, IsSkippedIfAWaitFails) {
  const Resources r(device());
  const CommandBuffer commands =
      device().Record([&](const CommandBuffer& c) { Check(c.Fill(r.buffer, uint32_t{1}), "fill"); }, GetParam());
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueExecute({{gate, 1}}, {{done, 1}}, commands));
  ASSERT_OK(gate.Fail(HAL_STATUS_UNAVAILABLE, "no gate"));
  EXPECT_STATUS(HAL_STATUS_UNAVAILABLE, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("no gate"));
  EXPECT_THAT(Download<uint32_t>(r.buffer), Each(0u));
}

INSTANTIATE_TEST_SUITE_P(Flags, CommandBufferFlagsTest,
                         testing::Values(Number{"Reusable", 0}, Number{"OneShot", HAL_COMMAND_BUFFER_ONE_SHOT},
                                         Number{"Unvalidated", HAL_COMMAND_BUFFER_UNVALIDATED},
                                         Number{"OneShotUnvalidated",
                                                HAL_COMMAND_BUFFER_ONE_SHOT | HAL_COMMAND_BUFFER_UNVALIDATED}),
                         ByNameOf);

// --- Length ---

TEST_F(CommandBufferTest, TenThousandIndependentCommands) {
  constexpr uint32_t kCommands = 10'000;
  const Buffer buffer = device().CreateBufferOf(std::vector<uint32_t>(kCommands, 0));
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    for (uint32_t i = 0; i < kCommands; ++i) Check(c.Fill(Ref(buffer, 4 * i, 4), i), "fill");
  });
  ASSERT_OK(Run(commands));
  EXPECT_TRUE(SameElements(Download<uint32_t>(buffer), Counting(kCommands)));
}

// A value walks through the buffer, one cell and one barrier at a time.
TEST_F(CommandBufferTest, TenThousandDependentCommands) {
  constexpr uint32_t kCommands = 10'000;
  const Buffer buffer = device().CreateBufferOf(Counting(kCommands + 1, 77));
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    for (uint32_t i = 0; i < kCommands; ++i) {
      Check(c.Copy(Ref(buffer, 4 * i, 4), Ref(buffer, 4 * i + 4, 4)), "copy");
      Check(c.Barrier(), "barrier");
    }
  });
  ASSERT_OK(Run(commands));
  EXPECT_THAT(Download<uint32_t>(buffer), Each(77u));
}

TEST_F(CommandBufferTest, TenThousandDispatchesSlow) {
  const Executable kernels = LoadKernels("basic");
  const Buffer buffer = device().CreateBufferOf(Counting(64));
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    for (int i = 0; i < 10'000; ++i) {
      Check(c.Dispatch(kernels, "add_one", Dispatch().Bind(buffer)), "dispatch");
      Check(c.Barrier(), "barrier");
    }
  });
  ASSERT_OK(Run(commands));
  EXPECT_TRUE(SameElements(Download<uint32_t>(buffer), Counting(64, 10'000)));
}

TEST_F(CommandBufferTest, MegabytesOfUpdates) {
  constexpr uint64_t kUpdates = 64;
  const std::vector<uint8_t> data = MixedBytes(kUpdates * HAL_UPDATE_MAX_LENGTH);
  const Buffer buffer = CreateBuffer(data.size());
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    for (uint64_t i = 0; i < kUpdates; ++i) {
      const uint64_t offset = i * HAL_UPDATE_MAX_LENGTH;
      Check(c.Update(data.data() + offset, Ref(buffer, offset, HAL_UPDATE_MAX_LENGTH)), "update");
    }
  });
  ASSERT_OK(Run(commands));
  EXPECT_TRUE(SameElements(Download<uint8_t>(buffer), data));
}

// --- Debug groups ---

class DebugGroupTest : public CommandBufferTest {};

TEST_F(DebugGroupTest, NestAndChangeNothing) {
  const Buffer buffer = device().CreateBufferOf(std::vector<uint32_t>(4, 0));
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    for (int i = 0; i < 100; ++i) Check(c.BeginDebugGroup("level " + std::to_string(i)), "begin_debug_group");
    Check(c.Fill(buffer, uint32_t{8}), "fill");
    for (int i = 0; i < 100; ++i) Check(c.EndDebugGroup(), "end_debug_group");
    for (const std::string_view label : {std::string_view(""), std::string_view("\xff\xc0 \0 \x1b \xe4", 8)}) {
      Check(c.BeginDebugGroup(label), "begin_debug_group");
      Check(c.EndDebugGroup(), "end_debug_group");
    }
  });
  EXPECT_OK(Run(commands));
  EXPECT_THAT(Download<uint32_t>(buffer), Each(8u));
}

TEST_F(DebugGroupTest, OpenAtTheEndIsAFailedPrecondition) {
  const CommandBuffer commands = device().CreateCommandBuffer();
  ASSERT_OK(commands.Begin());
  ASSERT_OK(commands.BeginDebugGroup("outer"));
  ASSERT_OK(commands.BeginDebugGroup("inner"));
  ASSERT_OK(commands.EndDebugGroup());
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, commands.End());
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, Run(commands));
}

TEST_F(DebugGroupTest, ClosingWhatIsNotOpenIsAFailedPrecondition) {
  const CommandBuffer commands = device().CreateCommandBuffer();
  ASSERT_OK(commands.Begin());
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, commands.EndDebugGroup());
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, commands.End());
}

TEST_F(DebugGroupTest, LabelIsCapturedAndTakenByItsLength) {
  const CommandBuffer commands = device().CreateCommandBuffer();
  ASSERT_OK(commands.Begin());
  {
    std::string label = "label that is gone";
    ASSERT_OK(commands.BeginDebugGroup(std::string_view(label).substr(0, 5)));
    label.assign(label.size(), '#');
  }
  ASSERT_OK(commands.EndDebugGroup());
  ASSERT_OK(commands.End());
  EXPECT_OK(Run(commands));
}

// --- What a command buffer copies and retains ---

TEST_F(CommandBufferTest, CapturesWhatCommandsPointTo) {
  const Executable kernels = LoadKernels("basic");
  const Buffer buffer = device().CreateBufferOf(Counting(64));
  const Buffer target = CreateBuffer(256);
  const CommandBuffer commands = device().CreateCommandBuffer();
  ASSERT_OK(commands.Begin());
  std::vector<uint32_t> data = Counting(64, 500);
  ASSERT_OK(commands.Update(data.data(), Ref(buffer, 0, 256)));
  data.assign(64, 0);
  ASSERT_OK(commands.Barrier());
  std::vector<hal_buffer_ref_t> bindings = {Ref(buffer), Ref(target)};
  uint32_t constant = 7;
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  params.constants = &constant;
  params.constants_size = sizeof(constant);
  params.bindings = hal_buffer_ref_list(bindings.data(), bindings.size());
  ASSERT_OK(hal_command_buffer_dispatch(commands, kernels, kernels.Export("add_constant"), &params));
  constant = 0;
  bindings.assign(2, hal_buffer_ref(nullptr, 0, 0));
  params.workgroup_count = hal_dim3(0, 0, 0);
  ASSERT_OK(commands.End());
  ASSERT_OK(Run(commands));
  EXPECT_TRUE(SameElements(Download<uint32_t>(target), Counting(64, 507)));
}

TEST_F(CommandBufferTest, KeepsWhatItWasRecordedWith) {
  const Buffer result = CreateBuffer(256);
  CommandBuffer commands;
  {
    const Resources r(device());
    commands = device().Record([&](const CommandBuffer& c) {
      Check(c.Dispatch(r.kernels, "add_one", Dispatch().Bind(r.other)), "dispatch");
      Check(c.SignalEvent(r.event), "signal_event");
      Check(c.WaitEvents({r.event}), "wait_events");
      Check(c.Barrier(), "barrier");
      Check(c.Copy(r.other, result), "copy");
    });
  }
  for (uint32_t i = 1; i <= 3; ++i) {
    ASSERT_OK(Run(commands));
    EXPECT_THAT(Download<uint32_t>(result), Each(5 + i));
  }
}

TEST_F(CommandBufferTest, SubmittedWorkKeepsTheRecording) {
  const Buffer result = device().CreateBufferOf(std::vector<uint32_t>(64, 0));
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  uint64_t step = 0;
  for (const uint64_t flags : {0ull, HAL_COMMAND_BUFFER_ONE_SHOT}) {
    const Resources r(device());
    const CommandBuffer commands =
        device().Record([&](const CommandBuffer& c) { Check(c.Copy(r.other, result), "copy"); }, flags);
    ASSERT_OK(device().QueueExecute({{gate, 1}, {done, step}}, {{done, step + 1}}, commands));
    ++step;
  }
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(2));
  EXPECT_THAT(Download<uint32_t>(result), Each(5u));
}

TEST_F(CommandBufferTest, KeepsItsDevice) {
  CommandBuffer commands;
  Semaphore done;
  Buffer buffer;
  {
    const Device other = OpenSecondDevice();
    buffer = other.CreateBuffer(16, Mappable());
    commands = other.Record([&](const CommandBuffer& c) { Check(c.Fill(buffer, uint32_t{6}), "fill"); });
    done = other.CreateSemaphore();
    ASSERT_OK(other.QueueExecute(kNoWaits, {{done, 1}}, commands));
  }
  ASSERT_OK(done.Wait(1));
  uint32_t value = 0;
  ASSERT_OK(hal_buffer_read(buffer, 0, &value, sizeof(value)));
  EXPECT_EQ(value, 6u);
}

TEST_F(CommandBufferTest, OfAnotherDeviceIsInvalid) {
  const Device other = OpenSecondDevice();
  const CommandBuffer commands = other.Record([](const CommandBuffer&) {});
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Run(commands));
}

}  // namespace
}  // namespace halyard::cts
