// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/queue/sim_encoders.h"

#include <algorithm>

#include "framework/queue/counters.h"
#include "framework/queue/sim_event.h"
#include "framework/queue/sim_queue.h"

using halyard::metal_sim::CallFails;
using halyard::metal_sim::EncoderWork;
using halyard::metal_sim::Report;
using halyard::metal_sim::SampleTarget;
using halyard::metal_sim::Storage;

@implementation SimEncoder

- (instancetype)initWithCommandBuffer:(SimCommandBuffer*)commands {
  self = [super init];
  commands_ = commands;  // which lives longer
  thread_ = std::this_thread::get_id();
  work_ = std::make_shared<EncoderWork>();
  return self;
}

- (void)dealloc {
  if (!ended_) Report("open-encoder", "an encoder goes without endEncoding");
  [label_ release];
  [super dealloc];
}

- (bool)mayEncode:(SEL)selector {
  CallFails(selector);
  if (std::this_thread::get_id() != thread_) Report("encoder-thread", sel_getName(selector));
  if (!ended_) return true;
  Report("encode-after-end", sel_getName(selector));
  return false;
}

// What is tracked orders the encoders that use it.
- (void)uses:(const std::shared_ptr<Storage>&)storage {
  if (!storage->hazards() || std::ranges::find(work_->updates, storage->hazards()) != work_->updates.end()) return;
  work_->waits.push_back(storage->hazards());
  work_->updates.push_back(storage->hazards());
}

- (id<MTLDevice>)device {
  return [commands_ device];
}
- (NSString*)label {
  return label_;
}
- (void)setLabel:(NSString*)label {
  [label_ autorelease];
  label_ = [label copy];
}

- (void)endEncoding {
  if (![self mayEncode:_cmd]) return;
  if (groups_ != 0) Report("debug-groups", "endEncoding with open debug groups");
  ended_ = YES;
  [commands_ encoderEnded:self work:work_];
}

- (void)updateFence:(id<MTLFence>)fence {
  if ([self mayEncode:_cmd]) work_->updates.push_back([(SimFence*)fence state]);
}
- (void)waitForFence:(id<MTLFence>)fence {
  if ([self mayEncode:_cmd]) work_->waits.push_back([(SimFence*)fence state]);
}

- (void)insertDebugSignpost:(NSString*)string {
  (void)string;
  [self mayEncode:_cmd];
}
- (void)pushDebugGroup:(NSString*)string {
  if (!string) Report("debug-groups", "pushDebugGroup without a text");
  if ([self mayEncode:_cmd]) ++groups_;
}
- (void)popDebugGroup {
  if (![self mayEncode:_cmd]) return;
  if (groups_ == 0) return Report("debug-groups", "popDebugGroup without a group");
  --groups_;
}

- (void)sampleCountersInBuffer:(id<MTLCounterSampleBuffer>)buffer
                 atSampleIndex:(NSUInteger)index
                   withBarrier:(BOOL)barrier {
  (void)barrier;
  if (![self mayEncode:_cmd]) return;
  work_->steps.push_back({true, [target = SampleTarget(buffer), index] {
                            target.Store(index);
                            return std::string();
                          }});
}

@end
