// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/queue/sim_residency.h"

#include "framework/sim_buffer.h"

using halyard::metal_sim::CallFails;
using halyard::metal_sim::ResidentBuffers;

@implementation SimResidencySet

- (instancetype)initWithDevice:(id<MTLDevice>)device {
  self = [super init];
  device_ = device;
  committed_ = std::make_shared<ResidentBuffers>();
  return self;
}

- (void)dealloc {
  for (id<MTLAllocation> allocation : changed_) [allocation release];
  changed_.clear();
  [super dealloc];
}

- (std::shared_ptr<const ResidentBuffers>)committed {
  const std::lock_guard lock(mutex_);
  return committed_;
}

- (id<MTLDevice>)device {
  return device_;
}
- (NSString*)label {
  return nil;
}
- (uint64_t)allocatedSize {
  return 0;
}
- (NSUInteger)allocationCount {
  const std::lock_guard lock(mutex_);
  return changed_.size();
}
- (void)requestResidency {
  CallFails(_cmd);
}
- (void)endResidency {
  CallFails(_cmd);
}

- (void)addAllocation:(id<MTLAllocation>)allocation {
  CallFails(_cmd);
  const std::lock_guard lock(mutex_);
  if (changed_.insert(allocation).second) [allocation retain];
}
- (void)addAllocations:(const id<MTLAllocation>[])allocations count:(NSUInteger)count {
  for (NSUInteger i = 0; i < count; ++i) [self addAllocation:allocations[i]];
}

- (void)removeAllocation:(id<MTLAllocation>)allocation {
  CallFails(_cmd);
  const std::lock_guard lock(mutex_);
  if (changed_.erase(allocation) > 0) [allocation autorelease];
}
- (void)removeAllocations:(const id<MTLAllocation>[])allocations count:(NSUInteger)count {
  for (NSUInteger i = 0; i < count; ++i) [self removeAllocation:allocations[i]];
}
- (void)removeAllAllocations {
  const std::lock_guard lock(mutex_);
  for (id<MTLAllocation> allocation : changed_) [allocation autorelease];
  changed_.clear();
}

- (BOOL)containsAllocation:(id<MTLAllocation>)allocation {
  const std::lock_guard lock(mutex_);
  return changed_.contains(allocation);
}

- (void)commit {
  CallFails(_cmd);
  const std::lock_guard lock(mutex_);
  auto committed = std::make_shared<ResidentBuffers>();
  for (id<MTLAllocation> allocation : changed_) committed->insert([(SimBuffer*)allocation storage].get());
  committed_ = std::move(committed);
}

@end

@implementation MTLResidencySetDescriptor
@synthesize initialCapacity = initialCapacity_;
- (NSString*)label {
  return nil;
}
- (void)setLabel:(NSString*)label {
  (void)label;
}
- (id)copyWithZone:(NSZone*)zone {
  (void)zone;
  return [self retain];
}
@end
