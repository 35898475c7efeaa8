// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Commands that are refused while recording: half a recording never becomes executable.
#include <cstdint>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"

namespace halyard::cts {
namespace {

using testing::Each;

/// A command that cannot be recorded, on a buffer of 256 bytes.
struct BadCommand {
  const char* name;
  hal_status_t status;
  hal_status_t (*record)(const CommandBuffer& commands, const Device& device, const Buffer& buffer);
};
void PrintTo(const BadCommand& bad, std::ostream* out) { *out << bad.name; }

hal_status_t RecordDispatch(const CommandBuffer& commands, const Device& device, uint32_t ordinal,
                            const Dispatch& dispatch) {
  return hal_command_buffer_dispatch(commands, device.LoadKernels("basic"), ordinal, dispatch.params());
}

const BadCommand kBadCommands[] = {
    // A buffer that was forgotten is no slot.
    {"FillOfNoBuffer", HAL_STATUS_INVALID_ARGUMENT,
     [](const CommandBuffer& c, const Device&, const Buffer&) {
       const uint32_t pattern = 1;
       return hal_command_buffer_fill(c, hal_buffer_ref(nullptr, 0, 4), &pattern, sizeof(pattern));
     }},
    {"CopyFromNoBuffer", HAL_STATUS_INVALID_ARGUMENT,
     [](const CommandBuffer& c, const Device&, const Buffer& b) {
       return hal_command_buffer_copy(c, hal_buffer_ref(nullptr, 0, 4), Ref(b, 0, 4));
     }},
    {"FillPastTheEnd", HAL_STATUS_OUT_OF_RANGE,
     [](const CommandBuffer& c, const Device&, const Buffer& b) { return c.Fill(Ref(b, 0, 260), uint32_t{1}); }},
    {"FillWithOddPattern", HAL_STATUS_INVALID_ARGUMENT,
     [](const CommandBuffer& c, const Device&, const Buffer& b) {
       return hal_command_buffer_fill(c, Ref(b), "abc", 3);
     }},
    {"UpdateWithoutUsage", HAL_STATUS_PERMISSION_DENIED,
     [](const CommandBuffer& c, const Device& d, const Buffer&) {
       const uint32_t data = 0;
       return c.Update(&data, Ref(d.CreateBuffer(4, DeviceLocal(HAL_BUFFER_USAGE_STORAGE)), 0, 4));
     }},
    {"UpdateOfWholeSlot", HAL_STATUS_INVALID_ARGUMENT,
     [](const CommandBuffer& c, const Device&, const Buffer&) { return c.Update("data", Slot(0)); }},
    {"CopyOntoItself", HAL_STATUS_INVALID_ARGUMENT,
     [](const CommandBuffer& c, const Device&, const Buffer& b) { return c.Copy(b, b); }},
    {"FillOfAnotherDevicesBuffer", HAL_STATUS_INVALID_ARGUMENT,
     [](const CommandBuffer& c, const Device&, const Buffer&) {
       return c.Fill(OpenDevice(SecondDeviceUri()).CreateBuffer(256), uint32_t{1});
     }},
    {"CopyBetweenBuffersOfAnotherDevice", HAL_STATUS_INVALID_ARGUMENT,
     [](const CommandBuffer& c, const Device&, const Buffer&) {
       const Device other = OpenDevice(SecondDeviceUri());
       return c.Copy(other.CreateBuffer(256), other.CreateBuffer(256));
     }},
    {"SlotBeyondTheCapacity", HAL_STATUS_OUT_OF_RANGE,
     [](const CommandBuffer& c, const Device&, const Buffer&) { return c.Fill(Slot(1, 0, 4), uint32_t{1}); }},
    {"SlotFarBeyondTheCapacity", HAL_STATUS_OUT_OF_RANGE,
     [](const CommandBuffer& c, const Device&, const Buffer&) {
       return c.Fill(Slot(UINT32_MAX - 1, 0, 4), uint32_t{1});
     }},
    {"ReservedFieldSet", HAL_STATUS_INVALID_ARGUMENT,
     [](const CommandBuffer& c, const Device&, const Buffer& b) {
       hal_buffer_ref_t ref = Ref(b);
       ref.reserved = 1;
       return c.Fill(ref, uint32_t{1});
     }},
    {"OrdinalOutOfRange", HAL_STATUS_OUT_OF_RANGE,
     [](const CommandBuffer& c, const Device& d, const Buffer& b) {
       return RecordDispatch(c, d, 1000, Dispatch().Bind(b));
     }},
    {"TooFewBindings", HAL_STATUS_INVALID_ARGUMENT,
     [](const CommandBuffer& c, const Device& d, const Buffer&) {
       return c.Dispatch(d.LoadKernels("basic"), "add_one", Dispatch());
     }},
    {"UnknownDispatchFlags", HAL_STATUS_INVALID_ARGUMENT,
     [](const CommandBuffer& c, const Device& d, const Buffer&) {
       hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
       params.flags = UINT64_C(1) << 40;
       const Executable kernels = d.LoadKernels("basic");
       return hal_command_buffer_dispatch(c, kernels, kernels.Export("noop"), &params);
     }},
    {"UnsignalledEvent", HAL_STATUS_FAILED_PRECONDITION,
     [](const CommandBuffer& c, const Device& d, const Buffer&) { return c.WaitEvents({d.CreateEvent()}); }},
    {"NoGroupToClose", HAL_STATUS_FAILED_PRECONDITION,
     [](const CommandBuffer& c, const Device&, const Buffer&) { return c.EndDebugGroup(); }},
};

class CommandRefusalTest : public DeviceTestWith<BadCommand> {
 protected:
  /// A recording with one slot that fills, is refused a command, and fills again.
  CommandBuffer RecordWithRefusal() const {
    const CommandBuffer commands = device().CreateCommandBuffer(0, 1);
    Check(commands.Begin(), "hal_command_buffer_begin");
    EXPECT_OK(commands.Fill(buffer_, uint32_t{1}));
    EXPECT_STATUS(GetParam().status, GetParam().record(commands, device(), buffer_));
    return commands;
  }

  const Buffer buffer_ = device().CreateBufferOf(std::vector<uint32_t>(64, 0));
};

TEST_P(CommandRefusalTest, EndSaysTheSameAgain) {
  const CommandBuffer commands = RecordWithRefusal();
  const std::string message = hal_last_error_message();
  EXPECT_NE(message, "");
  EXPECT_OK(commands.Fill(buffer_, uint32_t{2}));
  hal_set_error_message(View("something else in between"));
  EXPECT_STATUS(GetParam().status, commands.End());
  EXPECT_EQ(hal_last_error_message(), message);
}

TEST_P(CommandRefusalTest, NothingOfTheRecordingRuns) {
  const CommandBuffer commands = RecordWithRefusal();
  EXPECT_STATUS(GetParam().status, commands.End());
  const Semaphore done = CreateSemaphore();
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, device().QueueExecute(kNoWaits, {{done, 1}}, commands, {buffer_}));
  EXPECT_OK(done.Query());
  EXPECT_THAT(Download<uint32_t>(buffer_), Each(0u));
}

INSTANTIATE_TEST_SUITE_P(Commands, CommandRefusalTest, testing::ValuesIn(kBadCommands), ByName);

class CommandRefusalsTest : public DeviceTest {};

TEST_F(CommandRefusalsTest, FirstOneStays) {
  const Buffer buffer = CreateBuffer(64);
  const CommandBuffer commands = device().CreateCommandBuffer();
  ASSERT_OK(commands.Begin());
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, commands.Fill(Ref(buffer, 0, 68), uint32_t{1}));
  const std::string first = hal_last_error_message();
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, commands.Copy(buffer, buffer));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, commands.End());
  EXPECT_EQ(hal_last_error_message(), first);
}

TEST_F(CommandRefusalsTest, OtherRecordingsAreUntouched) {
  const Buffer buffer = device().CreateBufferOf(Counting(4));
  const CommandBuffer bad = device().CreateCommandBuffer();
  const CommandBuffer good = device().CreateCommandBuffer();
  ASSERT_OK(bad.Begin());
  ASSERT_OK(good.Begin());
  EXPECT_NE(bad.Fill(Ref(buffer, 0, 1000), uint32_t{1}), HAL_STATUS_OK);
  EXPECT_OK(good.Fill(buffer, uint32_t{4}));
  EXPECT_NE(bad.End(), HAL_STATUS_OK);
  EXPECT_OK(good.End());
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, good));
  ASSERT_OK(done.Wait(1));
  EXPECT_THAT(Download<uint32_t>(buffer), Each(4u));
}

}  // namespace
}  // namespace halyard::cts
