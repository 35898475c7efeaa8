// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each parameter of a device changes what it says: that shows in the calls of Metal.
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

constexpr uint64_t kLarge = 64 << 10;  // bytes: from here on a recorded transfer is a blit by itself

class ParameterEffectTest : public MetalTest {
 protected:
  /// Opens a device, and records and executes what `record` says. Counts from before the recording on.
  template <class Record>
  void Run(const std::string& parameters, const Record& record) {
    const Device device = Open(parameters);
    const Executable kernels = device.LoadKernels("basic");
    const Buffer data = device.CreateBufferOf(std::vector<uint32_t>(kLarge / 4, 5));
    const Semaphore done = device.CreateSemaphore();
    sim().Reset();
    const CommandBuffer commands =
        device.Record([&](const CommandBuffer& recording) { record(recording, kernels, data); });
    ASSERT_OK(device.QueueExecute({}, {{done, 1}}, commands));
    ASSERT_OK(done.Wait(1));
    blits_ = sim().Calls("fillBuffer:range:value:");
    dispatches_ = sim().Calls("dispatchThreadgroups:threadsPerThreadgroup:");
    result_ = device.Download<uint32_t>(data)[0];
  }
  /// Two dispatches in order, each of which adds one to the first number.
  void RunDispatches(const std::string& parameters) {
    Run(parameters, [](const CommandBuffer& recording, const Executable& kernels, const Buffer& data) {
      const Dispatch dispatch = Dispatch().Bind(Ref(data, 0, 256));
      Check(recording.Dispatch(kernels, "add_one", dispatch), "add_one");
      Check(recording.Barrier(), "barrier");
      Check(recording.Dispatch(kernels, "add_one", dispatch), "add_one");
    });
    EXPECT_EQ(result_, 7u) << parameters;
  }
  /// A fill that a blit can do. Returns whether one did; else a kernel.
  bool FillsByBlit(const std::string& parameters, uint64_t length) {
    Run(parameters, [&](const CommandBuffer& recording, const Executable&, const Buffer& data) {
      Check(recording.Fill(Ref(data, 0, length), uint8_t{9}), "fill");
    });
    EXPECT_EQ(blits_ + dispatches_, 1u) << parameters;
    EXPECT_EQ(result_, 0x09090909u) << parameters;
    return blits_ == 1;
  }

  // Of the recording.
  uint64_t blits_ = 0;
  uint64_t dispatches_ = 0;
  uint32_t result_ = 0;
};

TEST_F(ParameterEffectTest, SerialEncodersNeedNoBarriers) {
  RunDispatches("dispatch=serial");
  EXPECT_EQ(sim().Calls("memoryBarrierWithScope:"), 0u);
  RunDispatches("dispatch=concurrent");
  EXPECT_EQ(sim().Calls("memoryBarrierWithScope:"), 1u);
}

TEST_F(ParameterEffectTest, ArgumentsAreWrittenByEncodersOrAsAddresses) {
  RunDispatches("arguments=encoder");
  EXPECT_EQ(sim().Calls("setArgumentBuffer:offset:"), 2u);
  for (const char* parameters : {"arguments=direct", "arguments=auto"}) {
    RunDispatches(parameters);
    EXPECT_EQ(sim().Calls("setArgumentBuffer:offset:"), 0u) << parameters;
  }
}

TEST_F(ParameterEffectTest, MemoryIsInASetOrNamed) {
  RunDispatches("residency=use");
  EXPECT_EQ(sim().Calls("useResource:usage:"), 1u);
  for (const char* parameters : {"residency=set", "residency=auto"}) {
    RunDispatches(parameters);
    EXPECT_EQ(sim().Calls("useResource:usage:"), 0u) << parameters;
  }
}

TEST_F(ParameterEffectTest, TransfersAreBlitsOrKernels) {
  EXPECT_TRUE(FillsByBlit("transfers=blit", 64));
  EXPECT_TRUE(FillsByBlit("transfers=blit", kLarge));
  EXPECT_FALSE(FillsByBlit("transfers=kernel", 64));
  EXPECT_FALSE(FillsByBlit("transfers=kernel", kLarge));
  EXPECT_FALSE(FillsByBlit("transfers=auto", 64));
  EXPECT_FALSE(FillsByBlit("transfers=auto", kLarge - 4));
  EXPECT_TRUE(FillsByBlit("transfers=auto", kLarge));
}

TEST_F(ParameterEffectTest, CommittedCommandBuffersAreAsManyAsInFlight) {
  for (const uint64_t in_flight : {1, 2}) {
    const Device device = Open("in_flight=" + std::to_string(in_flight));
    const Executable kernels = device.LoadKernels("basic");
    const Semaphore done = device.CreateSemaphore();
    HeldDispatch held(device);
    sim().Reset();
    ASSERT_OK(device.QueueDispatch({}, {{done, 1}}, kernels, "noop", Dispatch()));
    EXPECT_EQ(sim().Calls("commandBufferWithUnretainedReferences"), in_flight - 1);
    held.Release();
    ASSERT_OK(done.Wait(1));
  }
}

TEST_F(ParameterEffectTest, MemoryOfQueueAllocationsIsKeptInThePool) {
  for (const char* parameters : {"pool=0", "pool=1MiB"}) {
    const Device device = Open(parameters);
    const Semaphore done = device.CreateSemaphore();
    Buffer first;
    Buffer second;
    ASSERT_OK(device.QueueAlloca({}, {{done, 1}}, kLarge, &first));
    ASSERT_OK(device.QueueDealloca({{done, 1}}, {{done, 2}}, first));
    ASSERT_OK(done.Wait(2));
    sim().Reset();
    ASSERT_OK(device.QueueAlloca({}, {{done, 3}}, kLarge, &second));
    ASSERT_OK(done.Wait(3));
    EXPECT_EQ(sim().Calls("newBufferWithLength:options:"), std::string_view(parameters) == "pool=0" ? 1u : 0u);
  }
}

}  // namespace
}  // namespace halyard::metal
