// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <cstring>
#include <vector>

#include "framework_test.h"

namespace halyard::metal_sim {
namespace {

class CountersTest : public FrameworkTest {
 protected:
  MTLCounterSampleBufferDescriptor* Descriptor(NSUInteger samples) {
    auto* descriptor = NEW(MTLCounterSampleBufferDescriptor);
    descriptor.counterSet = [device_.counterSets objectAtIndex:0];
    descriptor.sampleCount = samples;
    return descriptor;
  }

  id<MTLCounterSampleBuffer> Samples(MTLCounterSampleBufferDescriptor* descriptor) {
    NSError* error = nil;
    id<MTLCounterSampleBuffer> samples = [device_ newCounterSampleBufferWithDescriptor:descriptor error:&error];
    EXPECT_EQ(samples == nil, error != nil || TakeReports("invalid-argument") != 0);
    return [samples autorelease];
  }
};

TEST_F(CountersTest, HasTimestampsAtStageBoundaries) {
  ASSERT_EQ(device_.counterSets.count, 1u);
  id<MTLCounterSet> set = [device_.counterSets objectAtIndex:0];
  EXPECT_TRUE([set.name isEqualToString:@"timestamp"]);
  EXPECT_TRUE([[[set.counters objectAtIndex:0] name] isEqualToString:@"GPUTimestamp"]);
  EXPECT_TRUE([device_ supportsCounterSampling:MTLCounterSamplingPointAtStageBoundary]);
  EXPECT_FALSE([device_ supportsCounterSampling:MTLCounterSamplingPointAtDrawBoundary]);
}

TEST_F(CountersTest, ClocksRunAtDifferentRates) {
  MTLTimestamp cpu[2];
  MTLTimestamp gpu[2];
  [device_ sampleTimestamps:&cpu[0] gpuTimestamp:&gpu[0]];
  do {
    [device_ sampleTimestamps:&cpu[1] gpuTimestamp:&gpu[1]];
  } while (cpu[1] - cpu[0] < 100'000);
  const double ticks = static_cast<double>(gpu[1] - gpu[0]);
  EXPECT_NEAR(ticks / static_cast<double>(cpu[1] - cpu[0]), 0.024, 0.001);
}

TEST_F(CountersTest, SaysWhichSamplesWereNotTaken) {
  id<MTLCounterSampleBuffer> samples = Samples(Descriptor(4));
  EXPECT_EQ(samples.sampleCount, 4u);
  NSData* data = [samples resolveCounterRange:NSMakeRange(1, 3)];
  ASSERT_EQ(data.length, 3 * sizeof(MTLCounterResultTimestamp));
  MTLCounterResultTimestamp results[3];
  std::memcpy(results, data.bytes, sizeof(results));
  for (const MTLCounterResultTimestamp& result : results) EXPECT_EQ(result.timestamp, MTLCounterErrorValue);
}

TEST_F(CountersTest, EncodersLeaveTheirTimes) {
  id<MTLCounterSampleBuffer> samples = Samples(Descriptor(3));
  auto* pass = NEW(MTLComputePassDescriptor);
  MTLComputePassSampleBufferAttachmentDescriptor* attachment =
      [pass.sampleBufferAttachments objectAtIndexedSubscript:0];
  attachment.sampleBuffer = samples;
  attachment.startOfEncoderSampleIndex = 2;
  attachment.endOfEncoderSampleIndex = 0;
  MTLTimestamp cpu = 0;
  MTLTimestamp before = 0;
  MTLTimestamp after = 0;
  [device_ sampleTimestamps:&cpu gpuTimestamp:&before];
  Run(^(id<MTLCommandBuffer> commands) {
    [[commands computeCommandEncoderWithDescriptor:pass] endEncoding];
  });
  [device_ sampleTimestamps:&cpu gpuTimestamp:&after];
  MTLCounterResultTimestamp results[3];
  std::memcpy(results, [samples resolveCounterRange:NSMakeRange(0, 3)].bytes, sizeof(results));
  EXPECT_LE(before, results[2].timestamp);
  EXPECT_LE(results[2].timestamp, results[0].timestamp);
  EXPECT_LE(results[0].timestamp, after);
  EXPECT_EQ(results[1].timestamp, MTLCounterErrorValue);
}

class DispatchCountersTest : public CountersTest {};

// metal-sim.dispatch_counters has the other kind of device.
TEST_F(DispatchCountersTest, EncodersNeedADeviceThatSamplesAtTheirEnds) {
  const bool at_dispatches = std::getenv("HALYARD_SIM_METAL_SAMPLE_DISPATCHES") != nullptr;
  EXPECT_EQ([device_ supportsCounterSampling:MTLCounterSamplingPointAtStageBoundary], !at_dispatches);
  EXPECT_EQ([device_ supportsCounterSampling:MTLCounterSamplingPointAtDispatchBoundary], at_dispatches);
  auto* pass = NEW(MTLComputePassDescriptor);
  [[pass.sampleBufferAttachments objectAtIndexedSubscript:0] setSampleBuffer:Samples(Descriptor(2))];
  Run(^(id<MTLCommandBuffer> commands) {
    [[commands computeCommandEncoderWithDescriptor:pass] endEncoding];
  });
  EXPECT_EQ(TakeReports("missing-call"), at_dispatches ? 1u : 0u);
}

TEST_F(CountersTest, ReportsMisuse) {
  auto* descriptor = Descriptor(0);
  EXPECT_EQ(Samples(descriptor), nil);  // no samples
  descriptor.sampleCount = 2;
  [Samples(descriptor) resolveCounterRange:NSMakeRange(1, 2)];
  EXPECT_EQ(TakeReports("invalid-argument"), 1u);  // beyond the last one
  descriptor.storageMode = MTLStorageModePrivate;
  EXPECT_EQ([Samples(descriptor) resolveCounterRange:NSMakeRange(0, 1)], nil);
  EXPECT_EQ(TakeReports("invalid-argument"), 1u);  // out of the host's reach
}

TEST_F(CountersTest, FailWhenATestWantsIt) {
  FailNext("newCounterSampleBufferWithDescriptor:error:");
  EXPECT_EQ(Samples(Descriptor(2)), nil);
}

TEST_F(CountersTest, PassesKeepTheirAttachmentsWhenCopied) {
  auto* pass = NEW(MTLComputePassDescriptor);
  pass.dispatchType = MTLDispatchTypeConcurrent;
  id<MTLCounterSampleBuffer> samples = Samples(Descriptor(2));
  MTLComputePassSampleBufferAttachmentDescriptor* attachment =
      [pass.sampleBufferAttachments objectAtIndexedSubscript:0];
  attachment.sampleBuffer = samples;
  attachment.startOfEncoderSampleIndex = 1;
  attachment.endOfEncoderSampleIndex = MTLCounterDontSample;
  MTLComputePassDescriptor* copy = [[pass copy] autorelease];
  attachment.sampleBuffer = nil;
  MTLComputePassSampleBufferAttachmentDescriptor* copied = [copy.sampleBufferAttachments objectAtIndexedSubscript:0];
  EXPECT_EQ(copy.dispatchType, MTLDispatchTypeConcurrent);
  EXPECT_EQ(copied.sampleBuffer, samples);
  EXPECT_EQ(copied.startOfEncoderSampleIndex, 1u);
  EXPECT_EQ(copied.endOfEncoderSampleIndex, MTLCounterDontSample);
  EXPECT_EQ([pass.sampleBufferAttachments objectAtIndexedSubscript:4], nil);
  EXPECT_EQ(TakeReports("invalid-argument"), 1u);
}

}  // namespace
}  // namespace halyard::metal_sim
