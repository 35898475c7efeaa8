// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/queue/sim_event.h"

#include <chrono>
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
  if (CallFails(_cmd)) return;  // as users of Metal have seen it: the listener never hears of the value
  // The block keeps the event and the caller's block.
  const dispatch_block_t notify = Block_copy(^{
    @autoreleasepool {
      block(self, value);
    }
  });
  const dispatch_queue_t queue = [listener dispatchQueue];
  if (queue) dispatch_retain(queue);
  Scheduler::The().Notify(*state_, value, [notify, queue] {
    if (queue) {
      dispatch_async(queue, notify);
      dispatch_release(queue);
    } else {
      notify();
    }
    Block_release(notify);
  });
}

- (BOOL)waitUntilSignaledValue:(uint64_t)value timeoutMS:(uint64_t)milliseconds {
  CallFails(_cmd);
  Report("caller-blocked", "waitUntilSignaledValue:timeoutMS:");
  // The notification may come after the wait has given up.
  struct Waiter {
    std::mutex mutex;  // protects what follows
    std::condition_variable changed;
    bool reached = false;
  };
  const auto waiter = std::make_shared<Waiter>();
  Scheduler::The().Notify(*state_, value, [waiter] {
    const std::lock_guard lock(waiter->mutex);
    waiter->reached = true;
    waiter->changed.notify_all();
  });
  std::unique_lock lock(waiter->mutex);
  return waiter->changed.wait_for(lock, std::chrono::milliseconds(milliseconds), [&] { return waiter->reached; });
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
  self = [super init];
  if (queue) dispatch_retain(queue);
  dispatchQueue_ = queue;
  return self;
}
- (void)dealloc {
  if (dispatchQueue_) dispatch_release(dispatchQueue_);
  [super dealloc];
}
- (dispatch_queue_t)dispatchQueue {
  return dispatchQueue_;
}

@end
