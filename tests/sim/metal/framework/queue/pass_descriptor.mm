// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a caller says of an encoder before it is made.
#include "framework/base.h"

namespace {
constexpr NSUInteger kAttachments = 4;  // as many as Apple's passes have
}  // namespace

@implementation MTLComputePassSampleBufferAttachmentDescriptor
@end

@implementation MTLComputePassSampleBufferAttachmentDescriptorArray

- (instancetype)init {
  return [self initWithType:[MTLComputePassSampleBufferAttachmentDescriptor class] count:kAttachments];
}

- (MTLComputePassSampleBufferAttachmentDescriptor*)objectAtIndexedSubscript:(NSUInteger)index {
  return [super objectAtIndexedSubscript:index];
}
@end

@implementation MTLBlitPassSampleBufferAttachmentDescriptor
@end

@implementation MTLBlitPassSampleBufferAttachmentDescriptorArray

- (instancetype)init {
  return [self initWithType:[MTLBlitPassSampleBufferAttachmentDescriptor class] count:kAttachments];
}

- (MTLBlitPassSampleBufferAttachmentDescriptor*)objectAtIndexedSubscript:(NSUInteger)index {
  return [super objectAtIndexedSubscript:index];
}
@end

@implementation MTLComputePassDescriptor
@synthesize dispatchType = dispatchType_;
@synthesize sampleBufferAttachments = sampleBufferAttachments_;

+ (MTLComputePassDescriptor*)computePassDescriptor {
  return [[[MTLComputePassDescriptor alloc] init] autorelease];
}

- (instancetype)init {
  self = [super init];
  sampleBufferAttachments_ = [[MTLComputePassSampleBufferAttachmentDescriptorArray alloc] init];
  return self;
}

- (void)dealloc {
  [sampleBufferAttachments_ release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone*)zone {
  MTLComputePassDescriptor* copy = [[MTLComputePassDescriptor allocWithZone:zone] init];
  copy.dispatchType = dispatchType_;
  [copy->sampleBufferAttachments_ release];
  copy->sampleBufferAttachments_ =
      [[MTLComputePassSampleBufferAttachmentDescriptorArray alloc] initWithCopiesOf:sampleBufferAttachments_];
  return copy;
}
@end

@implementation MTLBlitPassDescriptor
@synthesize sampleBufferAttachments = sampleBufferAttachments_;

+ (MTLBlitPassDescriptor*)blitPassDescriptor {
  return [[[MTLBlitPassDescriptor alloc] init] autorelease];
}

- (instancetype)init {
  self = [super init];
  sampleBufferAttachments_ = [[MTLBlitPassSampleBufferAttachmentDescriptorArray alloc] init];
  return self;
}

- (void)dealloc {
  [sampleBufferAttachments_ release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone*)zone {
  MTLBlitPassDescriptor* copy = [[MTLBlitPassDescriptor allocWithZone:zone] init];
  [copy->sampleBufferAttachments_ release];
  copy->sampleBufferAttachments_ =
      [[MTLBlitPassSampleBufferAttachmentDescriptorArray alloc] initWithCopiesOf:sampleBufferAttachments_];
  return copy;
}
@end
