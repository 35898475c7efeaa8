// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a caller says of queues, command buffers and heaps before they are made.
#include "framework/base.h"

@implementation MTLCommandBufferDescriptor
@synthesize retainedReferences = retainedReferences_;
@synthesize errorOptions = errorOptions_;
@synthesize logState = logState_;
- (void)dealloc {
  [logState_ release];
  [super dealloc];
}
- (id)copyWithZone:(NSZone*)zone {
  (void)zone;
  return [self retain];
}
@end

@implementation MTLCommandQueueDescriptor
@synthesize maxCommandBufferCount = maxCommandBufferCount_;
@synthesize logState = logState_;
- (instancetype)init {
  self = [super init];
  maxCommandBufferCount_ = 64;
  return self;
}
- (void)dealloc {
  [logState_ release];
  [super dealloc];
}
- (id)copyWithZone:(NSZone*)zone {
  (void)zone;
  return [self retain];
}
@end

@implementation MTLHeapDescriptor
@synthesize size = size_;
@synthesize resourceOptions = resourceOptions_;
@synthesize type = type_;
- (MTLStorageMode)storageMode {
  return static_cast<MTLStorageMode>(resourceOptions_ >> 4 & 0xf);
}
- (void)setStorageMode:(MTLStorageMode)mode {
  resourceOptions_ = (resourceOptions_ & ~static_cast<NSUInteger>(0xf0)) | static_cast<NSUInteger>(mode) << 4;
}
- (MTLCPUCacheMode)cpuCacheMode {
  return static_cast<MTLCPUCacheMode>(resourceOptions_ & 0xf);
}
- (void)setCpuCacheMode:(MTLCPUCacheMode)mode {
  resourceOptions_ = (resourceOptions_ & ~static_cast<NSUInteger>(0xf)) | static_cast<NSUInteger>(mode);
}
- (MTLHazardTrackingMode)hazardTrackingMode {
  return static_cast<MTLHazardTrackingMode>(resourceOptions_ >> 8 & 0x3);
}
- (void)setHazardTrackingMode:(MTLHazardTrackingMode)mode {
  resourceOptions_ = (resourceOptions_ & ~static_cast<NSUInteger>(0x300)) | static_cast<NSUInteger>(mode) << 8;
}
- (id)copyWithZone:(NSZone*)zone {
  (void)zone;
  return [self retain];
}
@end
