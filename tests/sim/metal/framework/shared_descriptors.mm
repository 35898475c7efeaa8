// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/refusal.h"

using namespace halyard::metal_sim;

@implementation SimDescriptorArray

- (instancetype)initWithType:(Class)type count:(NSUInteger)count {
  self = [super init];
  descriptors_ = [[NSMutableArray alloc] init];
  for (NSUInteger i = 0; i < count; ++i) {
    id descriptor = [[type alloc] init];
    [descriptors_ addObject:descriptor];
    [descriptor release];
  }
  return self;
}

- (instancetype)initWithCopiesOf:(SimDescriptorArray*)other {
  self = [super init];
  descriptors_ = [[NSMutableArray alloc] initWithArray:other->descriptors_ copyItems:YES];
  return self;
}

- (void)dealloc {
  [descriptors_ release];
  [super dealloc];
}

- (id)objectAtIndexedSubscript:(NSUInteger)index {
  if (Misused(index >= descriptors_.count, _cmd, "the index is beyond the last descriptor")) return nil;
  return [descriptors_ objectAtIndex:index];
}
@end

@implementation SimSampleAttachment
@synthesize sampleBuffer = sampleBuffer_;
@synthesize startOfEncoderSampleIndex = startOfEncoderSampleIndex_;
@synthesize endOfEncoderSampleIndex = endOfEncoderSampleIndex_;

- (void)dealloc {
  [sampleBuffer_ release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone*)zone {
  SimSampleAttachment* copy = [[[self class] allocWithZone:zone] init];
  copy.sampleBuffer = sampleBuffer_;
  copy.startOfEncoderSampleIndex = startOfEncoderSampleIndex_;
  copy.endOfEncoderSampleIndex = endOfEncoderSampleIndex_;
  return copy;
}
@end
