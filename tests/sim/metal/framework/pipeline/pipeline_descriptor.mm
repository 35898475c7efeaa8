// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a caller says of a pipeline before it is made.
#include "framework/base.h"
#include "msl/msl_host.h"

@implementation MTLPipelineBufferDescriptor
@synthesize mutability = mutability_;

- (id)copyWithZone:(NSZone*)zone {
  MTLPipelineBufferDescriptor* copy = [[MTLPipelineBufferDescriptor allocWithZone:zone] init];
  copy.mutability = mutability_;
  return copy;
}
@end

@implementation MTLPipelineBufferDescriptorArray

- (instancetype)init {
  return [self initWithType:[MTLPipelineBufferDescriptor class] count:halyard::msl_host::kBufferIndices];
}

- (MTLPipelineBufferDescriptor*)objectAtIndexedSubscript:(NSUInteger)index {
  return [super objectAtIndexedSubscript:index];
}
@end

@implementation MTLComputePipelineDescriptor
@synthesize label = label_;
@synthesize computeFunction = computeFunction_;
@synthesize threadGroupSizeIsMultipleOfThreadExecutionWidth = threadGroupSizeIsMultipleOfThreadExecutionWidth_;
@synthesize maxTotalThreadsPerThreadgroup = maxTotalThreadsPerThreadgroup_;
@synthesize buffers = buffers_;
@synthesize binaryArchives = binaryArchives_;

- (instancetype)init {
  self = [super init];
  buffers_ = [[MTLPipelineBufferDescriptorArray alloc] init];
  return self;
}

- (void)dealloc {
  [label_ release];
  [computeFunction_ release];
  [buffers_ release];
  [binaryArchives_ release];
  [super dealloc];
}

- (void)takeBuffers:(MTLPipelineBufferDescriptorArray*)buffers {
  [buffers_ release];
  buffers_ = buffers;
}

- (id)copyWithZone:(NSZone*)zone {
  MTLComputePipelineDescriptor* copy = [[MTLComputePipelineDescriptor allocWithZone:zone] init];
  copy.label = label_;
  copy.computeFunction = computeFunction_;
  copy.threadGroupSizeIsMultipleOfThreadExecutionWidth = threadGroupSizeIsMultipleOfThreadExecutionWidth_;
  copy.maxTotalThreadsPerThreadgroup = maxTotalThreadsPerThreadgroup_;
  copy.binaryArchives = binaryArchives_;
  [copy takeBuffers:[[MTLPipelineBufferDescriptorArray alloc] initWithCopiesOf:buffers_]];
  return copy;
}

- (void)reset {
  self.label = nil;
  self.computeFunction = nil;
  self.threadGroupSizeIsMultipleOfThreadExecutionWidth = NO;
  self.maxTotalThreadsPerThreadgroup = 0;
  self.binaryArchives = nil;
  [self takeBuffers:[[MTLPipelineBufferDescriptorArray alloc] init]];
}
@end
