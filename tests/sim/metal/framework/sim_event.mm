// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/sim_event.h"

#include <condition_variable>
#include <mutex>

#import <objc/blocks_runtime.h>

using halyard::metal_sim::CallFails;
using halyard::metal_sim::EventState;
using halyard::metal_sim::FenceState;
using halyard::metal_sim::Report;
using halyard::metal_sim::Scheduler;

@implementation SimEvent

- (instancetype)initWithDevice:(id<MTLDevice>)device {
  self = [super init];
  device_ = device;
  state_ = std::make_shared<EventState>();
  return self;
}

- (void)dealloc {
  [label_ release];
  [super dealloc];
}

- (const std::shared_ptr<EventState>&)state {
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

- (uint64_t)signaledValue {
  CallFails(_cmd);
  return Scheduler::The().ValueOf(*state_);
}

- (void)setSignaledValue:(uint64_t)value {
  CallFails(_cmd);
  Scheduler::The().SetEvent(*state_, value);
}

- (void)notifyListener:(MTLSharedEventListener*)listener
               atValue:(uint64_t)value
                 block:(MTLSharedEventNotificationBlock)block {
  CallFails(_cmd);
  (void)listener;
  const MTLSharedEventNotificationBlock kept = Block_copy(block);
  SimEvent* const event = [self retain];
  Scheduler::The().Notify(*state_, value, [kept, event, value] {
    @autoreleasepool {
      kept(event, value);
      Block_release(kept);
      [event release];
    }
  });
}

- (BOOL)waitUntilSignaledValue:(uint64_t)value timeoutMS:(uint64_t)milliseconds {
  CallFails(_cmd);
  (void)milliseconds;
  Report("caller-blocked", "waitUntilSignaledValue:timeoutMS:");
  return Scheduler::The().ValueOf(*state_) >= value;
}

@end

@implementation SimFence

- (instancetype)initWithDevice:(id<MTLDevice>)device {
  self = [super init];
  device_ = device;
  state_ = std::make_shared<FenceState>();
  return self;
}

- (void)dealloc {
  [label_ release];
  [super dealloc];
}

- (const std::shared_ptr<FenceState>&)state {
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

@end

@implementation MTLSharedEventListener

- (instancetype)init {
  return [super init];
}
- (instancetype)initWithDispatchQueue:(dispatch_queue_t)queue {
  (void)queue;
  return [super init];
}
- (dispatch_queue_t)dispatchQueue {
  return nullptr;
}

@end
