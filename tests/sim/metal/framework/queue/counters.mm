// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/queue/counters.h"

#include <atomic>
#include <chrono>

#include "framework/refusal.h"

using namespace halyard::metal_sim;

MTLCommonCounterSet const MTLCommonCounterSetTimestamp = @"timestamp";

namespace {

NSString* const kDomain = @"MTLCounterErrorDomain";
constexpr NSInteger kInternal = 2;

// Nanoseconds, as the host's clock for Metal counts them.
MTLTimestamp HostTimestamp() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<MTLTimestamp>(std::chrono::nanoseconds(now).count());
}

// 24 ticks in a microsecond.
MTLTimestamp DeviceTime(MTLTimestamp host) { return host / 1000 * 24 + host % 1000 * 24 / 1000 + 1'000'000; }

bool IsBeyond(NSRange range, NSUInteger count) {
  return range.location > count || range.length > count - range.location;
}

}  // namespace

namespace halyard::metal_sim {

MTLTimestamp GpuTimestamp() { return DeviceTime(HostTimestamp()); }

SampleTarget::SampleTarget(id<MTLCounterSampleBuffer> buffer)
    : buffer_([buffer retain], [](const void* kept) { [(id)kept release]; }) {}

void SampleTarget::Store(NSUInteger index) const {
  if (index == MTLCounterDontSample) return;
  [(SimCounterSampleBuffer*)buffer_.get() store:GpuTimestamp() at:index];
}

}  // namespace halyard::metal_sim

@interface SimTimestampCounter : SimObject <MTLCounter>
@end

@implementation SimTimestampCounter
- (NSString*)name {
  return @"GPUTimestamp";
}
@end

@interface SimTimestampSet : SimObject <MTLCounterSet>
@end

@implementation SimTimestampSet
- (NSString*)name {
  return MTLCommonCounterSetTimestamp;
}

- (NSArray*)counters {
  return [NSArray arrayWithObject:[[[SimTimestampCounter alloc] init] autorelease]];
}
@end

@implementation MTLCounterSampleBufferDescriptor
@synthesize counterSet = counterSet_;
@synthesize label = label_;
@synthesize storageMode = storageMode_;
@synthesize sampleCount = sampleCount_;

- (void)dealloc {
  [counterSet_ release];
  [label_ release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone*)zone {
  MTLCounterSampleBufferDescriptor* copy = [[MTLCounterSampleBufferDescriptor allocWithZone:zone] init];
  copy.counterSet = counterSet_;
  copy.label = label_;
  copy.storageMode = storageMode_;
  copy.sampleCount = sampleCount_;
  return copy;
}
@end

@implementation SimCounterSampleBuffer
@synthesize device = device_;
@synthesize label = label_;

- (instancetype)initWithDevice:(SimDevice*)device descriptor:(MTLCounterSampleBufferDescriptor*)descriptor {
  self = [super init];
  device_ = [device retain];
  label_ = [descriptor.label copy];
  storage_ = descriptor.storageMode;
  samples_.resize(descriptor.sampleCount, {MTLCounterErrorValue});
  return self;
}

- (void)dealloc {
  [device_ release];
  [label_ release];
  [super dealloc];
}

- (NSUInteger)sampleCount {
  return samples_.size();
}

- (void)store:(MTLTimestamp)timestamp at:(NSUInteger)index {
  if (Misused(index >= samples_.size(), _cmd, "the index is beyond the last sample")) return;
  std::atomic_ref(samples_[index].timestamp).store(timestamp);
}

- (NSData*)samplesInRange:(NSRange)range {
  std::vector<MTLCounterResultTimestamp> copy(range.length);
  for (NSUInteger i = 0; i < range.length; ++i) {
    copy[i].timestamp = std::atomic_ref(samples_[range.location + i].timestamp).load();
  }
  return [NSData dataWithBytes:copy.data() length:copy.size() * sizeof(copy[0])];
}

- (NSData*)resolveCounterRange:(NSRange)range {
  if (CallFails(_cmd)) return nil;
  if (Misused(storage_ != MTLStorageModeShared, _cmd, "the host cannot read this buffer")) return nil;
  if (Misused(IsBeyond(range, samples_.size()), _cmd, "the range ends beyond the last sample")) return nil;
  return [self samplesInRange:range];
}
@end

@implementation SimDevice (Counters)

- (NSArray*)counterSets {
  return [NSArray arrayWithObject:[[[SimTimestampSet alloc] init] autorelease]];
}

- (BOOL)supportsCounterSampling:(MTLCounterSamplingPoint)point {
  const bool at_dispatches = TheSettings().sample_dispatches;
  if (point == MTLCounterSamplingPointAtDispatchBoundary) return at_dispatches;
  return point == MTLCounterSamplingPointAtStageBoundary && !at_dispatches;
}

- (void)sampleTimestamps:(MTLTimestamp*)cpu gpuTimestamp:(MTLTimestamp*)gpu {
  *cpu = HostTimestamp();
  *gpu = DeviceTime(*cpu);
}

- (id<MTLCounterSampleBuffer>)newCounterSampleBufferWithDescriptor:(MTLCounterSampleBufferDescriptor*)descriptor
                                                             error:(NSError**)error {
  if (Refused(_cmd, error, kDomain, kInternal)) return nil;
  const bool known = [(id)descriptor.counterSet isKindOfClass:[SimTimestampSet class]];
  if (Misused(!known, _cmd, "expected a counter set of the device")) return nil;
  if (Misused(descriptor.sampleCount == 0, _cmd, "expected at least one sample")) return nil;
  return [[SimCounterSampleBuffer alloc] initWithDevice:self descriptor:descriptor];
}
@end
