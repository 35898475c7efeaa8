// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/queue/sim_queue.h"

#include <algorithm>

#include "framework/sim_device.h"

using halyard::metal_sim::CallFails;
using halyard::metal_sim::QueueState;
using halyard::metal_sim::Report;
using halyard::metal_sim::ResidentBuffers;

@implementation SimQueue

- (instancetype)initWithDevice:(SimDevice*)device count:(NSUInteger)count {
  self = [super init];
  device_ = [device retain];
  most_ = count;
  state_ = std::make_shared<QueueState>();
  state_->device = [device ordinal];
  return self;
}

- (instancetype)initWithDevice:(SimDevice*)device descriptor:(MTLCommandQueueDescriptor*)descriptor {
  self = [self initWithDevice:device count:descriptor.maxCommandBufferCount];
  logState_ = [descriptor.logState retain];
  return self;
}

- (void)dealloc {
  [logState_ release];
  for (SimResidencySet* set : sets_) [set release];
  [device_ release];
  [label_ release];
  [super dealloc];
}

- (const std::shared_ptr<QueueState>&)state {
  return state_;
}
- (id<MTLDevice>)device {
  return device_;
}
- (NSString*)label {
  return label_;
}
- (void)setLabel:(NSString*)label {
  [label_ autorelease];
  label_ = [label copy];
}

- (void)takePlace {
  halyard::metal_sim::NeedsPool("commandBuffer");
  std::unique_lock lock(mutex_);
  if (outstanding_ >= most_) Report("caller-blocked", "commandBuffer: the queue has no more of them");
  fewer_.wait(lock, [self] { return outstanding_ < most_; });
  ++outstanding_;
}

- (void)commandBufferEnded {
  {
    const std::lock_guard lock(mutex_);
    --outstanding_;
  }
  fewer_.notify_all();
}

- (id<MTLCommandBuffer>)commandBuffer {
  if (CallFails(_cmd)) return nil;
  [self takePlace];
  return [[[SimCommandBuffer alloc] initWithQueue:self retained:YES] autorelease];
}
- (id<MTLCommandBuffer>)commandBufferWithDescriptor:(MTLCommandBufferDescriptor*)descriptor {
  if (CallFails(_cmd)) return nil;
  [self takePlace];
  return [[[SimCommandBuffer alloc] initWithQueue:self retained:[descriptor retainedReferences]] autorelease];
}
- (id<MTLCommandBuffer>)commandBufferWithUnretainedReferences {
  if (CallFails(_cmd)) return nil;
  [self takePlace];
  return [[[SimCommandBuffer alloc] initWithQueue:self retained:NO] autorelease];
}

- (void)addResidencySet:(id<MTLResidencySet>)set {
  halyard::metal_sim::NeedsMacos(15, _cmd);
  CallFails(_cmd);
  const std::lock_guard lock(mutex_);
  sets_.push_back([(SimResidencySet*)set retain]);
}
- (void)removeResidencySet:(id<MTLResidencySet>)set {
  halyard::metal_sim::NeedsMacos(15, _cmd);
  CallFails(_cmd);
  const std::lock_guard lock(mutex_);
  const auto found = std::find(sets_.begin(), sets_.end(), (SimResidencySet*)set);
  if (found == sets_.end()) return;
  [*found release];
  sets_.erase(found);
}

- (std::vector<std::shared_ptr<const ResidentBuffers>>)residentBuffers {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const ResidentBuffers>> resident;
  for (SimResidencySet* set : sets_) resident.push_back([set committed]);
  return resident;
}

@end
