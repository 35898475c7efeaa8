// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers: where their bytes are, who may use them, and which devices have them.
#include <cstdlib>
#include <cstring>

#include "control.h"
#include "work_test.h"

namespace halyard::metal_sim {
namespace {

constexpr MTLResourceOptions kManaged = MTLResourceStorageModeManaged | MTLResourceHazardTrackingModeUntracked;

class MemoryTest : public WorkTest {
 protected:
  // Runs `indirect` on an argument buffer that points to `data`, with what `prepare` does to its encoder.
  id<MTLCommandBuffer> RunIndirect(uint64_t address, const std::function<void(id<MTLComputeCommandEncoder>)>& prepare) {
    id<MTLBuffer> arguments = Buffer(16);
    std::memcpy([arguments contents], &address, sizeof(address));
    id<MTLCommandBuffer> commands = [queue_ commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    if (prepare) prepare(encoder);
    Dispatch(encoder, @"indirect", arguments);
    [encoder endEncoding];
    Run(commands);
    return commands;
  }
};

TEST_F(MemoryTest, PrivateMemoryHasNoContents) {
  EXPECT_EQ([Buffer(16, MTLResourceStorageModePrivate) contents], nullptr);
  EXPECT_NE([Buffer(16) contents], nullptr);
}

TEST_F(MemoryTest, EndsWithTheDevices) {
  EXPECT_EQ([device_ newBufferWithLength:[device_ maxBufferLength] + 1 options:kUntracked], nil);
}

TEST_F(MemoryTest, TakesWholePagesOfTheApplication) {
  constexpr size_t kPage = 4096;
  char* const pages = static_cast<char*>(std::aligned_alloc(kPage, 2 * kPage));
  __block bool called = false;
  id<MTLBuffer> buffer = [device_ newBufferWithBytesNoCopy:pages
                                                    length:kPage
                                                   options:kUntracked
                                               deallocator:^(void* pointer, NSUInteger length) {
                                                 called = pointer == pages && length == kPage;
                                               }];
  ASSERT_NE(buffer, nil);
  EXPECT_EQ([buffer contents], pages);
  [buffer release];
  EXPECT_TRUE(called);
  EXPECT_EQ([device_ newBufferWithBytesNoCopy:pages + 16 length:kPage options:kUntracked deallocator:nil], nil);
  EXPECT_EQ(TakeReports("alignment"), 1u);
  EXPECT_EQ([device_ newBufferWithBytesNoCopy:pages length:100 options:kUntracked deallocator:nil], nil);
  EXPECT_EQ(TakeReports("alignment"), 1u);
  std::free(pages);
}

TEST_F(MemoryTest, PointersInArgumentBuffersNeedResidency) {
  id<MTLBuffer> data = Buffer(16);
  Word(data) = 0;
  RunIndirect([data gpuAddress], nullptr);
  EXPECT_EQ(TakeReports("not-resident"), 1u);
  RunIndirect([data gpuAddress], [&](id<MTLComputeCommandEncoder> encoder) {
    [encoder useResource:data usage:MTLResourceUsageRead | MTLResourceUsageWrite];
  });
  EXPECT_EQ(Word(data), 2u);
}

TEST_F(MemoryTest, UseSaysWhetherKernelsWrite) {
  id<MTLBuffer> data = Buffer(16);
  RunIndirect([data gpuAddress],
              [&](id<MTLComputeCommandEncoder> encoder) { [encoder useResource:data usage:MTLResourceUsageRead]; });
  EXPECT_EQ(TakeReports("resource-usage"), 1u);
}

TEST_F(MemoryTest, ResidencySetsCountOnceTheyAreCommitted) {
  if (![device_ respondsToSelector:@selector(newResidencySetWithDescriptor:error:)]) GTEST_SKIP();
  NSError* error = nil;
  id<MTLResidencySet> set = [[device_ newResidencySetWithDescriptor:NEW(MTLResidencySetDescriptor)
                                                              error:&error] autorelease];
  [queue_ addResidencySet:set];
  id<MTLBuffer> data = Buffer(16);
  [set addAllocation:data];
  RunIndirect([data gpuAddress], nullptr);
  EXPECT_EQ(TakeReports("not-resident"), 1u);
  [set commit];
  RunIndirect([data gpuAddress], nullptr);
  EXPECT_EQ(TakeReports("not-resident"), 0u);
  [set removeAllocation:data];
  [set commit];
  RunIndirect([data gpuAddress], nullptr);
  EXPECT_EQ(TakeReports("not-resident"), 1u);
  [queue_ removeResidencySet:set];
}

TEST_F(MemoryTest, PointersToFreedMemoryFault) {
  id<MTLBuffer> data = [device_ newBufferWithLength:16 options:kUntracked];
  const uint64_t address = [data gpuAddress];
  [data release];
  Buffer(16);  // does not get the address
  id<MTLCommandBuffer> commands = RunIndirect(address, nullptr);
  EXPECT_EQ([[commands error] code], static_cast<NSInteger>(MTLCommandBufferErrorPageFault));
  EXPECT_EQ(TakeReports("invalid-argument-pointer"), 1u);
}

TEST_F(MemoryTest, ManagedMemoryIsForDiscreteDevices) {
  if (![device_ hasUnifiedMemory]) GTEST_SKIP();
  Buffer(16, kManaged);
  EXPECT_EQ(TakeReports("storage-mode"), 1u);
  [Buffer(16) didModifyRange:NSMakeRange(0, 16)];
  EXPECT_EQ(TakeReports("storage-mode"), 1u);
}

TEST_F(MemoryTest, DiscreteDevicesKeepACopyOfManagedMemory) {
  if ([device_ hasUnifiedMemory]) GTEST_SKIP() << "see metal-sim.discrete.";
  id<MTLBuffer> buffer = Buffer(16, kManaged);
  Word(buffer) = 1;
  [buffer didModifyRange:NSMakeRange(0, 4)];
  Word(buffer) = 10;  // which the device is not told
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  Encode(commands, @"add", buffer);
  Run(commands);
  EXPECT_EQ(Word(buffer), 10u);
  id<MTLCommandBuffer> reader = [queue_ commandBuffer];
  id<MTLBlitCommandEncoder> encoder = [reader blitCommandEncoder];
  [encoder synchronizeResource:buffer];
  [encoder endEncoding];
  Run(reader);
  EXPECT_EQ(Word(buffer), 2u);
  [buffer didModifyRange:NSMakeRange(8, 16)];
  EXPECT_EQ(TakeReports("range"), 1u);
}

TEST_F(MemoryTest, OlderFrameworksLackResidencySets) {
  const bool old = std::getenv("HALYARD_SIM_METAL_MACOS") != nullptr;
  EXPECT_EQ([device_ respondsToSelector:@selector(newResidencySetWithDescriptor:error:)], !old);
  EXPECT_EQ([device_ respondsToSelector:@selector(newLogStateWithDescriptor:error:)], !old);
  EXPECT_TRUE([device_ respondsToSelector:@selector(newSharedEvent)]);
}

TEST_F(MemoryTest, DevicesAreTheSameEachTime) {
  NSArray* all = [FRAMEWORK_CALL(MTLCopyAllDevices)() autorelease];
  ASSERT_EQ([all count], 2u);
  EXPECT_EQ([all objectAtIndex:0], device_);
  EXPECT_NE([[all objectAtIndex:0] registryID], [[all objectAtIndex:1] registryID]);
}

// Everything that makes an object can be refused once.
TEST_F(MemoryTest, CallsAreRefusedWhenATestWantsIt) {
  FailNext("newBufferWithLength:options:");
  EXPECT_EQ([device_ newBufferWithLength:16 options:kUntracked], nil);
  FailNext("newCommandQueue");
  EXPECT_EQ([device_ newCommandQueue], nil);
  FailNext("newCommandQueueWithMaxCommandBufferCount:");
  EXPECT_EQ([device_ newCommandQueueWithMaxCommandBufferCount:8], nil);
  FailNext("newFence");
  EXPECT_EQ([device_ newFence], nil);
  FailNext("newSharedEvent");
  EXPECT_EQ([device_ newSharedEvent], nil);
  FailNext("commandBuffer");
  EXPECT_EQ([queue_ commandBuffer], nil);
  FailNext("commandBufferWithUnretainedReferences");
  EXPECT_EQ([queue_ commandBufferWithUnretainedReferences], nil);
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  FailNext("computeCommandEncoder");
  EXPECT_EQ([commands computeCommandEncoder], nil);
  FailNext("blitCommandEncoder");
  EXPECT_EQ([commands blitCommandEncoder], nil);
  EXPECT_EQ(FRAMEWORK_CALL(halyardSimFailures)(), 9u);
  EXPECT_STREQ(FRAMEWORK_CALL(halyardSimFailedCall)(), "blitCommandEncoder");
  if (![device_ respondsToSelector:@selector(newResidencySetWithDescriptor:error:)]) return;
  FailNext("newResidencySetWithDescriptor:error:");
  NSError* error = nil;
  EXPECT_EQ([device_ newResidencySetWithDescriptor:NEW(MTLResidencySetDescriptor) error:&error], nil);
  EXPECT_NE(TextOf(error), "");
}

}  // namespace
}  // namespace halyard::metal_sim
