// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rule of command buffers and encoders is broken once.
#include <cstdlib>
#include <thread>

#include "control.h"
#include "work_test.h"

namespace halyard::metal_sim {
namespace {

constexpr MTLSize kOne = {1, 1, 1};

class RulesTest : public WorkTest {
 protected:
  // What `encode` breaks in an encoder with a pipeline and a buffer that suit each other.
  void ExpectInCompute(const char* rule, const std::function<void(id<MTLComputeCommandEncoder>)>& encode) {
    id<MTLComputeCommandEncoder> encoder = [[queue_ commandBuffer] computeCommandEncoder];
    [encoder setComputePipelineState:Pipeline(@"add")];
    [encoder setBuffer:Buffer(16) offset:0 atIndex:0];
    encode(encoder);
    [encoder endEncoding];
    EXPECT_EQ(TakeReports(rule), 1u) << rule;
  }

  void ExpectInBlit(const char* rule, const std::function<void(id<MTLBlitCommandEncoder>)>& encode) {
    id<MTLBlitCommandEncoder> encoder = [[queue_ commandBuffer] blitCommandEncoder];
    encode(encoder);
    [encoder endEncoding];
    EXPECT_EQ(TakeReports(rule), 1u) << rule;
  }

  // Commits a command buffer whose commands fault with this report.
  void ExpectFault(const char* rule, id<MTLCommandBuffer> commands) {
    Run(commands);
    EXPECT_EQ([commands status], MTLCommandBufferStatusError);
    EXPECT_EQ([[commands error] code], static_cast<NSInteger>(MTLCommandBufferErrorPageFault));
    EXPECT_EQ(TakeReports(rule), 1u) << rule;
  }

  // Work whose buffer goes before it runs.
  void ExpectGone(const std::function<void(id<MTLCommandBuffer>, id<MTLBuffer>)>& encode) {
    id<MTLCommandBuffer> commands = [queue_ commandBufferWithUnretainedReferences];
    id<MTLBuffer> buffer = [device_ newBufferWithLength:16 options:kUntracked];
    encode(commands, buffer);
    [buffer release];
    ExpectFault("buffer-gone", commands);
  }
};

TEST_F(RulesTest, EncodersEndOnce) {
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  id<MTLBlitCommandEncoder> encoder = [commands blitCommandEncoder];
  [encoder endEncoding];
  [encoder fillBuffer:Buffer(4) range:NSMakeRange(0, 4) value:0];
  EXPECT_EQ(TakeReports("encode-after-end"), 1u);
}

TEST_F(RulesTest, OneEncoderIsOpen) {
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  id<MTLBlitCommandEncoder> first = [commands blitCommandEncoder];
  id<MTLBlitCommandEncoder> second = [commands blitCommandEncoder];
  EXPECT_EQ(TakeReports("two-encoders"), 1u);
  [second endEncoding];
  [first endEncoding];
  id<MTLBlitCommandEncoder> third = [commands blitCommandEncoder];
  [commands encodeSignalEvent:Event() value:1];
  EXPECT_EQ(TakeReports("two-encoders"), 1u);
  [third endEncoding];
}

TEST_F(RulesTest, CommitsComeAfterTheLastEncoder) {
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  id<MTLBlitCommandEncoder> encoder = [commands blitCommandEncoder];
  Run(commands);
  EXPECT_EQ(TakeReports("open-encoder"), 1u);
  [encoder endEncoding];
  EXPECT_EQ(TakeReports("encode-after-commit"), 1u);
}

TEST_F(RulesTest, EncodersEndBeforeTheyGo) {
  @autoreleasepool {
    [[queue_ commandBuffer] blitCommandEncoder];
  }
  EXPECT_EQ(TakeReports("open-encoder"), 2u);  // one is the command buffer's
}

TEST_F(RulesTest, CommandBuffersAreCommittedOnce) {
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  Run(commands);
  [commands commit];
  EXPECT_EQ(TakeReports("two-commits"), 1u);
  [commands encodeSignalEvent:Event() value:1];
  EXPECT_EQ(TakeReports("encode-after-commit"), 1u);
}

TEST_F(RulesTest, WaitsAreForWhatIsCommitted) {
  [[queue_ commandBuffer] waitUntilCompleted];
  EXPECT_EQ(FRAMEWORK_CALL(halyardSimReports)("wait-before-commit"), 1u);
  EXPECT_EQ(TakeReports("caller-blocked"), 1u);
}

TEST_F(RulesTest, CallersThatWaitAreReported) {
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  const Done done = Commit(commands);
  [commands waitUntilCompleted];
  EXPECT_EQ([commands status], MTLCommandBufferStatusCompleted);
  EXPECT_EQ(TakeReports("caller-blocked"), 1u);
  done->acquire();
}

TEST_F(RulesTest, QueuesHandOutSoManyCommandBuffers) {
  id<MTLCommandQueue> small = [[device_ newCommandQueueWithMaxCommandBufferCount:1] autorelease];
  id<MTLSharedEvent> event = Event();
  FRAMEWORK_CALL(halyardSimIgnore)("wait-before-signal");
  id<MTLCommandBuffer> first = [small commandBuffer];
  [first encodeWaitForEvent:event value:1];
  const Done done = Commit(first);
  std::thread other([&] {
    while (FRAMEWORK_CALL(halyardSimReports)("caller-blocked") == 0) std::this_thread::yield();
    @autoreleasepool {
      [event setSignaledValue:1];
    }
  });
  EXPECT_NE([small commandBuffer], nil);  // once the first one has ended
  other.join();
  done->acquire();
  EXPECT_EQ(TakeReports("caller-blocked"), 1u);
  FRAMEWORK_CALL(halyardSimIgnore)("");
}

TEST_F(RulesTest, OneThreadUsesAnEncoder) {
  id<MTLBlitCommandEncoder> encoder = [[queue_ commandBuffer] blitCommandEncoder];
  std::thread([&] { [encoder endEncoding]; }).join();
  EXPECT_EQ(TakeReports("encoder-thread"), 1u);
}

TEST_F(RulesTest, CallsThatAutoreleaseNeedAPool) {
  std::thread([this] { [[queue_ commandBuffer] release]; }).join();
  EXPECT_EQ(TakeReports("no-pool"), 1u);
}

TEST_F(RulesTest, DebugGroupsArePaired) {
  ExpectInBlit("debug-groups", [](id<MTLBlitCommandEncoder> encoder) { [encoder popDebugGroup]; });
  ExpectInBlit("debug-groups", [](id<MTLBlitCommandEncoder> encoder) { [encoder pushDebugGroup:@"open"]; });
  ExpectInBlit("debug-groups", [](id<MTLBlitCommandEncoder> encoder) {
    [encoder pushDebugGroup:[NSString stringWithUTF8String:"\xff"]];
    [encoder popDebugGroup];
  });
}

TEST_F(RulesTest, BlitsTakeWordsInsideTheirBuffers) {
  id<MTLBuffer> buffer = Buffer(16);
  const auto fill = [buffer](NSUInteger offset, NSUInteger length) {
    return [=](id<MTLBlitCommandEncoder> encoder) {
      [encoder fillBuffer:buffer range:NSMakeRange(offset, length) value:0];
    };
  };
  const auto copy = [buffer](NSUInteger from, NSUInteger to, NSUInteger length) {
    return [=](id<MTLBlitCommandEncoder> encoder) {
      [encoder copyFromBuffer:buffer sourceOffset:from toBuffer:buffer destinationOffset:to size:length];
    };
  };
  ExpectInBlit("alignment", fill(2, 4));
  ExpectInBlit("alignment", fill(4, 6));
  ExpectInBlit("range", fill(12, 8));
  ExpectInBlit("range", fill(0, 0));
  ExpectInBlit("alignment", copy(1, 8, 4));
  ExpectInBlit("alignment", copy(0, 9, 4));
  ExpectInBlit("range", copy(12, 0, 8));
  ExpectInBlit("range", copy(NSUIntegerMax - 3, 0, 8));
  ExpectInBlit("range", copy(0, 12, 8));
  Buffer(0);
  EXPECT_EQ(TakeReports("range"), 1u);
}

TEST_F(RulesTest, ManagedMemoryAloneIsSynchronized) {
  ExpectInBlit("storage-mode", [this](id<MTLBlitCommandEncoder> encoder) { [encoder synchronizeResource:Buffer(16)]; });
}

TEST_F(RulesTest, ArgumentsAreInRange) {
  id<MTLBuffer> buffer = Buffer(16);
  static char bytes[4100];
  using Encoder = id<MTLComputeCommandEncoder>;
  ExpectInCompute("range", [](Encoder encoder) { [encoder setBytes:bytes length:sizeof(bytes) atIndex:1]; });
  ExpectInCompute("range", [](Encoder encoder) { [encoder setBytes:bytes length:4 atIndex:31]; });
  ExpectInCompute("range", [](Encoder encoder) { [encoder setBytes:bytes length:0 atIndex:1]; });
  ExpectInCompute("range", [&](Encoder encoder) { [encoder setBuffer:buffer offset:0 atIndex:31]; });
  ExpectInCompute("range", [&](Encoder encoder) { [encoder setBuffer:buffer offset:16 atIndex:1]; });
  ExpectInCompute("alignment", [&](Encoder encoder) { [encoder setBuffer:buffer offset:2 atIndex:1]; });
  ExpectInCompute("range", [](Encoder encoder) { [encoder setBufferOffset:0 atIndex:1]; });
  ExpectInCompute("alignment", [](Encoder encoder) { [encoder setBufferOffset:2 atIndex:0]; });
  ExpectInCompute("alignment", [](Encoder encoder) { [encoder setThreadgroupMemoryLength:8 atIndex:0]; });
  ExpectInCompute("alignment", [&](Encoder encoder) {
    [encoder dispatchThreadgroupsWithIndirectBuffer:buffer indirectBufferOffset:2 threadsPerThreadgroup:kOne];
  });
  ExpectInCompute("range", [&](Encoder encoder) {
    [encoder dispatchThreadgroupsWithIndirectBuffer:buffer indirectBufferOffset:8 threadsPerThreadgroup:kOne];
  });
}

TEST_F(RulesTest, DispatchesHaveThreads) {
  ExpectInCompute("zero-grid", [](id<MTLComputeCommandEncoder> encoder) {
    [encoder dispatchThreadgroups:MTLSizeMake(1, 0, 1) threadsPerThreadgroup:kOne];
  });
  ExpectInCompute("threadgroup-size", [](id<MTLComputeCommandEncoder> encoder) {
    [encoder dispatchThreadgroups:kOne threadsPerThreadgroup:MTLSizeMake(1024, 2, 1)];
  });
  id<MTLComputeCommandEncoder> encoder = [[queue_ commandBuffer] computeCommandEncoder];
  [encoder dispatchThreadgroups:kOne threadsPerThreadgroup:kOne];
  EXPECT_EQ(TakeReports("no-pipeline"), 1u);
  [encoder endEncoding];
}

TEST_F(RulesTest, TooManyThreadsRunNothing) {
  id<MTLBuffer> buffer = Buffer(4);
  Word(buffer) = 0;
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:Pipeline(@"count")];
  [encoder setBuffer:buffer offset:0 atIndex:0];
  [encoder dispatchThreadgroups:kOne threadsPerThreadgroup:MTLSizeMake(1025, 1, 1)];
  [encoder endEncoding];
  Run(commands);
  EXPECT_EQ([commands status], MTLCommandBufferStatusCompleted);
  EXPECT_EQ(Word(buffer), 0u);
  EXPECT_EQ(TakeReports("threadgroup-size"), 1u);
}

TEST_F(RulesTest, ArgumentsAreAsLongAsTheirTypes) {
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  const uint32_t bytes[3] = {};
  [encoder setBytes:bytes length:sizeof(bytes) atIndex:1];  // of 16
  Dispatch(encoder, @"pair", Buffer(4));
  [encoder endEncoding];
  ExpectFault("short-argument", commands);
}

TEST_F(RulesTest, ArgumentsAreBound) {
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  Encode(commands, @"add", nil);
  ExpectFault("unbound-argument", commands);
}

// metal-sim.tier1 has a device whose argument buffers an encoder alone can write.
TEST_F(RulesTest, ArgumentBuffersComeFromAnEncoder) {
  if ([device_ argumentBuffersSupport] == MTLArgumentBuffersTier2) GTEST_SKIP() << "see metal-sim.tier1.";
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  Encode(commands, @"indirect", Buffer(64));
  ExpectFault("argument-buffer", commands);
}

TEST_F(RulesTest, ThreadgroupMemoryHasALength) {
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  Encode(commands, @"share", Buffer(4));
  ExpectFault("threadgroup-length", commands);
}

TEST_F(RulesTest, BuffersOutliveTheirWork) {
  ExpectGone([this](id<MTLCommandBuffer> commands, id<MTLBuffer> buffer) { Encode(commands, @"add", buffer); });
}

TEST_F(RulesTest, BuffersOutliveTheirBlits) {
  ExpectGone([](id<MTLCommandBuffer> commands, id<MTLBuffer> buffer) {
    id<MTLBlitCommandEncoder> encoder = [commands blitCommandEncoder];
    [encoder fillBuffer:buffer range:NSMakeRange(0, 16) value:0];
    [encoder endEncoding];
  });
}

TEST_F(RulesTest, CountsOutliveTheirDispatch) {
  ExpectGone([this](id<MTLCommandBuffer> commands, id<MTLBuffer> counts) {
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setComputePipelineState:Pipeline(@"add")];
    [encoder setBuffer:Buffer(16) offset:0 atIndex:0];
    [encoder dispatchThreadgroupsWithIndirectBuffer:counts indirectBufferOffset:0 threadsPerThreadgroup:kOne];
    [encoder endEncoding];
  });
}

// metal-sim.macos13 has the older system.
TEST_F(RulesTest, OlderSystemsLackCalls) {
  const uint64_t missing = std::getenv("HALYARD_SIM_METAL_MACOS") ? 1 : 0;
  const auto expect = [this, missing](id made) {
    [made release];
    EXPECT_EQ(TakeReports("missing-call"), missing);
  };
  expect([device_ newResidencySetWithDescriptor:NEW(MTLResidencySetDescriptor) error:nullptr]);
  expect([device_ newLogStateWithDescriptor:NEW(MTLLogStateDescriptor) error:nullptr]);
  expect([device_ newCommandQueueWithDescriptor:NEW(MTLCommandQueueDescriptor)]);
  expect([device_ architecture]);
  [NEW(MTLCompileOptions) setMathMode:MTLMathModeSafe];
  expect(nil);
  [NEW(MTLCompileOptions) setEnableLogging:YES];
  expect(nil);
}

// metal-sim.metal2 has such a device.
TEST_F(RulesTest, DevicesBeforeMetal3TellNoAddresses) {
  [Buffer(16) gpuAddress];
  EXPECT_EQ(TakeReports("missing-call"), std::getenv("HALYARD_SIM_METAL_METAL3") ? 1u : 0u);
}

TEST_F(RulesTest, WhatExistsInTheEndIsALeak) {
  @autoreleasepool {
    Buffer(4);
    FRAMEWORK_CALL(halyardSimCheckLeaks)();
  }
  std::string text(200, '\0');
  FRAMEWORK_CALL(halyardSimReport)(text.data(), text.size());
  EXPECT_THAT(text, testing::HasSubstr("1 SimBuffer"));
  EXPECT_THAT(text, testing::HasSubstr("1 SimQueue"));
  EXPECT_EQ(TakeReports("leak"), 1u);
}

}  // namespace
}  // namespace halyard::metal_sim
