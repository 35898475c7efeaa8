// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs, and in which order.
#include <cstring>

#include "control.h"
#include "work_test.h"

namespace halyard::metal_sim {
namespace {

class ExecutionTest : public WorkTest {
 protected:
  // What `triple` after `add` leaves of 0; `add` after `triple` leaves 1.
  static constexpr uint32_t kInOrder = 3;

  // Runs both in encoders of their own, on a new buffer.
  uint32_t AddThenTriple(id<MTLFence> fence, MTLResourceOptions options = kUntracked) {
    id<MTLBuffer> buffer = Buffer(4, options);
    Word(buffer) = 0;
    id<MTLCommandBuffer> commands = [queue_ commandBuffer];
    Encode(commands, add_, buffer, nil, fence);
    Encode(commands, triple_, buffer, fence);
    Run(commands);
    return Word(buffer);
  }

  // Runs both in one encoder.
  uint32_t AddThenTriple(MTLDispatchType type, bool barrier) {
    id<MTLBuffer> buffer = Buffer(4);
    Word(buffer) = 0;
    id<MTLCommandBuffer> commands = [queue_ commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoderWithDispatchType:type];
    Dispatch(encoder, add_, buffer);
    if (barrier) [encoder memoryBarrierWithScope:MTLBarrierScopeBuffers];
    Dispatch(encoder, triple_, buffer);
    [encoder endEncoding];
    Run(commands);
    return Word(buffer);
  }

  // Runs both in command buffers of their own.
  uint32_t AddThenTripleApart(id<MTLFence> fence, MTLResourceOptions options = kUntracked) {
    id<MTLBuffer> buffer = Buffer(4, options);
    Word(buffer) = 0;
    id<MTLCommandBuffer> first = [queue_ commandBuffer];
    id<MTLCommandBuffer> second = [queue_ commandBuffer];
    Encode(first, add_, buffer, nil, fence);
    Encode(second, triple_, buffer, fence);
    const Done done = Commit(first);
    Run(second);
    done->acquire();
    return Word(buffer);
  }

  // What follows may overlap.
  void Race() {
    add_ = @"add_apart";
    triple_ = @"triple_apart";
  }

  NSString* add_ = @"add";
  NSString* triple_ = @"triple";
};

TEST_F(ExecutionTest, EndsACommandBuffer) {
  id<MTLBuffer> buffer = Buffer(4);
  Word(buffer) = 41;
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  EXPECT_EQ([commands status], MTLCommandBufferStatusNotEnqueued);
  Encode(commands, @"add", buffer);
  Run(commands);
  EXPECT_EQ(Word(buffer), 42u);
  EXPECT_EQ([commands status], MTLCommandBufferStatusCompleted);
  EXPECT_EQ([commands error], nil);
  EXPECT_GT([commands GPUStartTime], 0);
  EXPECT_GE([commands GPUEndTime], [commands GPUStartTime]);
}

TEST_F(ExecutionTest, EndsWithoutWork) {
  id<MTLCommandBuffer> commands = [queue_ commandBufferWithUnretainedReferences];
  Run(commands);
  EXPECT_EQ([commands status], MTLCommandBufferStatusCompleted);
}

TEST_F(ExecutionTest, TakesBytesWhenTheyAreSet) {
  struct {
    uint32_t a = 1;
    uint64_t b = 2;
  } pair;
  id<MTLBuffer> buffer = Buffer(4);
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setBytes:&pair length:sizeof(pair) atIndex:1];
  pair.a = 100;
  Dispatch(encoder, @"pair", buffer);
  [encoder endEncoding];
  Run(commands);
  EXPECT_EQ(Word(buffer), 3u);
}

TEST_F(ExecutionTest, ReadsCountsWhenADispatchRuns) {
  id<MTLBuffer> counts = Buffer(16);
  id<MTLBuffer> buffer = Buffer(4);
  Word(buffer) = 0;
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:Pipeline(@"count")];
  [encoder setBuffer:buffer offset:0 atIndex:0];
  [encoder dispatchThreadgroupsWithIndirectBuffer:counts
                             indirectBufferOffset:4
                            threadsPerThreadgroup:MTLSizeMake(2, 1, 1)];
  [encoder endEncoding];
  const uint32_t groups[] = {0, 3, 2, 1};
  std::memcpy([counts contents], groups, sizeof(groups));
  Run(commands);
  EXPECT_EQ(Word(buffer), 12u);
}

TEST_F(ExecutionTest, FillsAndCopies) {
  id<MTLBuffer> source = Buffer(16);
  id<MTLBuffer> target = Buffer(16);
  id<MTLFence> fence = Fence();
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  id<MTLBlitCommandEncoder> fill = [commands blitCommandEncoder];
  [fill fillBuffer:source range:NSMakeRange(0, 16) value:7];
  [fill updateFence:fence];
  [fill endEncoding];
  id<MTLBlitCommandEncoder> copy = [commands blitCommandEncoder];
  [copy waitForFence:fence];
  [copy copyFromBuffer:source sourceOffset:4 toBuffer:target destinationOffset:0 size:8];
  [copy endEncoding];
  Run(commands);
  EXPECT_EQ(Word(target), 0x07070707u);
}

TEST_F(ExecutionTest, FencesOrderEncoders) {
  for (int i = 0; i < kAttempts; ++i) ASSERT_EQ(AddThenTriple(Fence()), kInOrder);
}

TEST_F(ExecutionTest, EncodersWithoutFencesComeInAnyOrder) {
  Race();
  EXPECT_TRUE(Happens([this] { return AddThenTriple(nil) != kInOrder; }));
}

TEST_F(ExecutionTest, TrackedMemoryOrdersEncoders) {
  for (int i = 0; i < kAttempts; ++i) {
    ASSERT_EQ(AddThenTriple(nil, MTLResourceHazardTrackingModeTracked), kInOrder);
    ASSERT_EQ(AddThenTripleApart(nil, MTLResourceHazardTrackingModeDefault), kInOrder);
  }
}

TEST_F(ExecutionTest, FencesOrderCommandBuffers) {
  for (int i = 0; i < kAttempts; ++i) ASSERT_EQ(AddThenTripleApart(Fence()), kInOrder);
}

TEST_F(ExecutionTest, CommandBuffersWithoutFencesComeInAnyOrder) {
  Race();
  // Until both are committed, neither may run.
  id<MTLSharedEvent> event = Event();
  EXPECT_TRUE(Happens([&] {
    id<MTLCommandBuffer> gate = [queue_ commandBuffer];
    const uint64_t value = [event signaledValue] + 1;
    FRAMEWORK_CALL(halyardSimIgnore)("wait-before-signal");
    [gate encodeWaitForEvent:event value:value];
    const Done opened = Commit(gate);
    id<MTLBuffer> buffer = Buffer(4);
    Word(buffer) = 0;
    id<MTLCommandBuffer> first = [queue_ commandBuffer];
    id<MTLCommandBuffer> second = [queue_ commandBuffer];
    Encode(first, add_, buffer);
    Encode(second, triple_, buffer);
    const Done ends[] = {opened, Commit(first), Commit(second)};
    [event setSignaledValue:value];
    for (const Done& end : ends) end->acquire();
    return Word(buffer) != kInOrder;
  }));
  FRAMEWORK_CALL(halyardSimIgnore)("");
}

TEST_F(ExecutionTest, SerialEncodersRunInOrder) {
  for (int i = 0; i < kAttempts; ++i) ASSERT_EQ(AddThenTriple(MTLDispatchTypeSerial, false), kInOrder);
}

TEST_F(ExecutionTest, BarriersOrderConcurrentDispatches) {
  for (int i = 0; i < kAttempts; ++i) ASSERT_EQ(AddThenTriple(MTLDispatchTypeConcurrent, true), kInOrder);
}

TEST_F(ExecutionTest, ConcurrentDispatchesComeInAnyOrder) {
  Race();
  EXPECT_TRUE(Happens([this] { return AddThenTriple(MTLDispatchTypeConcurrent, false) != kInOrder; }));
}

}  // namespace
}  // namespace halyard::metal_sim
