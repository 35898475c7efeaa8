// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <utility>

#import <objc/blocks_runtime.h>

#include "framework/queue/sim_encoders.h"
#include "framework/queue/sim_event.h"
#include "framework/queue/sim_queue.h"

using halyard::metal_sim::CallFails;
using halyard::metal_sim::CommandBufferWork;
using halyard::metal_sim::EncoderWork;
using halyard::metal_sim::Item;
using halyard::metal_sim::MakeError;
using halyard::metal_sim::Outcome;
using halyard::metal_sim::Report;
using halyard::metal_sim::ResidentBuffers;
using halyard::metal_sim::Scheduler;

NSString* const MTLCommandBufferErrorDomain = @"MTLCommandBufferErrorDomain";

@implementation SimCommandBuffer

- (instancetype)initWithQueue:(SimQueue*)queue retained:(BOOL)retained {
  self = [super init];
  queue_ = [queue retain];
  retained_ = retained;
  work_ = std::make_shared<CommandBufferWork>();
  resident_ = std::make_shared<std::vector<std::shared_ptr<const ResidentBuffers>>>();
  return self;
}

- (void)dealloc {
  if (encoder_) Report("open-encoder", "a command buffer goes with an open encoder");
  if (status_ == MTLCommandBufferStatusNotEnqueued) [queue_ commandBufferEnded];
  for (const MTLCommandBufferHandler handler : handlers_) Block_release(handler);
  [error_ release];
  [label_ release];
  [queue_ release];
  [super dealloc];
}

- (id<MTLDevice>)device {
  return [queue_ device];
}
- (id<MTLCommandQueue>)commandQueue {
  return queue_;
}
- (BOOL)retainedReferences {
  return retained_;
}
- (NSString*)label {
  return label_;
}
- (void)setLabel:(NSString*)label {
  [label_ autorelease];
  label_ = [label copy];
}
- (const std::shared_ptr<std::vector<std::shared_ptr<const ResidentBuffers>>>&)resident {
  return resident_;
}

- (MTLCommandBufferStatus)status {
  const std::lock_guard lock(mutex_);
  return status_;
}
- (NSError*)error {
  const std::lock_guard lock(mutex_);
  return error_;
}
- (CFTimeInterval)GPUStartTime {
  return start_;
}
- (CFTimeInterval)GPUEndTime {
  return end_;
}
- (CFTimeInterval)kernelStartTime {
  return start_;
}
- (CFTimeInterval)kernelEndTime {
  return end_;
}

- (bool)mayEncode:(const char*)what {
  if (status_ > MTLCommandBufferStatusEnqueued) {
    Report("encode-after-commit", what);
    return false;
  }
  if (!encoder_) return true;
  Report("two-encoders", std::string(what) + " while an encoder is open");
  return false;
}

- (id<MTLComputeCommandEncoder>)openCompute:(MTLComputePassDescriptor*)pass type:(MTLDispatchType)type {
  [self mayEncode:"computeCommandEncoder"];
  halyard::metal_sim::NeedsPool("computeCommandEncoder");
  SimComputeEncoder* const encoder = [[SimComputeEncoder alloc] initWithCommandBuffer:self type:type pass:pass];
  encoder_ = encoder;
  return [encoder autorelease];
}

- (id<MTLComputeCommandEncoder>)computeCommandEncoder {
  return CallFails(_cmd) ? nil : [self openCompute:nil type:MTLDispatchTypeSerial];
}
- (id<MTLComputeCommandEncoder>)computeCommandEncoderWithDispatchType:(MTLDispatchType)type {
  return CallFails(_cmd) ? nil : [self openCompute:nil type:type];
}
- (id<MTLComputeCommandEncoder>)computeCommandEncoderWithDescriptor:(MTLComputePassDescriptor*)descriptor {
  return CallFails(_cmd) ? nil : [self openCompute:descriptor type:[descriptor dispatchType]];
}

- (id<MTLBlitCommandEncoder>)openBlit:(MTLBlitPassDescriptor*)pass {
  [self mayEncode:"blitCommandEncoder"];
  halyard::metal_sim::NeedsPool("blitCommandEncoder");
  SimBlitEncoder* const encoder = [[SimBlitEncoder alloc] initWithCommandBuffer:self pass:pass];
  encoder_ = encoder;
  return [encoder autorelease];
}
- (id<MTLBlitCommandEncoder>)blitCommandEncoder {
  return CallFails(_cmd) ? nil : [self openBlit:nil];
}
- (id<MTLBlitCommandEncoder>)blitCommandEncoderWithDescriptor:(MTLBlitPassDescriptor*)descriptor {
  return CallFails(_cmd) ? nil : [self openBlit:descriptor];
}

- (void)encoderEnded:(id)encoder work:(std::shared_ptr<EncoderWork>)work {
  if (encoder_ == encoder) encoder_ = nil;
  if ([self status] > MTLCommandBufferStatusEnqueued) return Report("encode-after-commit", "endEncoding");
  work_->items.push_back({Item::Kind::kEncoder, std::move(work), nullptr, 0});
}

- (void)encodeWaitForEvent:(id<MTLEvent>)event value:(uint64_t)value {
  CallFails(_cmd);
  if (![self mayEncode:"encodeWaitForEvent:value:"]) return;
  work_->items.push_back({Item::Kind::kWait, nullptr, [(SimEvent*)event state], value});
}
- (void)encodeSignalEvent:(id<MTLEvent>)event value:(uint64_t)value {
  CallFails(_cmd);
  if (![self mayEncode:"encodeSignalEvent:value:"]) return;
  work_->items.push_back({Item::Kind::kSignal, nullptr, [(SimEvent*)event state], value});
}

- (void)useResidencySet:(id<MTLResidencySet>)set {
  halyard::metal_sim::NeedsMacos(15, _cmd);
  CallFails(_cmd);
  (void)set;
}
- (void)pushDebugGroup:(NSString*)string {
  CallFails(_cmd);
  (void)string;
}
- (void)popDebugGroup {
  CallFails(_cmd);
}

- (void)addScheduledHandler:(MTLCommandBufferHandler)block {
  (void)block;
}
- (void)addCompletedHandler:(MTLCommandBufferHandler)block {
  CallFails(_cmd);
  if (status_ > MTLCommandBufferStatusEnqueued) Report("encode-after-commit", "addCompletedHandler:");
  handlers_.push_back(Block_copy(block));
}

- (void)enqueue {
}

- (void)commit {
  CallFails(_cmd);
  if (encoder_) Report("open-encoder", "commit with an open encoder");
  {
    const std::lock_guard lock(mutex_);
    if (status_ > MTLCommandBufferStatusEnqueued) return Report("two-commits", "commit");
    status_ = MTLCommandBufferStatusCommitted;
  }
  *resident_ = [queue_ residentBuffers];
  SimCommandBuffer* const kept = [self retain];
  work_->on_end = [kept](const Outcome& outcome) {
    @autoreleasepool {
      [kept ended:outcome];
      [kept release];
    }
  };
  Scheduler::The().Commit([queue_ state], work_);
}

- (void)ended:(const Outcome&)outcome {
  {
    const std::lock_guard lock(mutex_);
    start_ = outcome.start;
    end_ = outcome.end;
    status_ = outcome.error == 0 ? MTLCommandBufferStatusCompleted : MTLCommandBufferStatusError;
    if (outcome.error != 0) {
      error_ = [MakeError(MTLCommandBufferErrorDomain, outcome.error,
                          [NSString stringWithUTF8String:outcome.text.c_str()]) retain];
    }
  }
  ended_.notify_all();
  [queue_ commandBufferEnded];
  for (const MTLCommandBufferHandler handler : handlers_) handler(self);
}

- (void)waitUntilScheduled {
  Report("caller-blocked", "waitUntilScheduled");
  [self waitForEnd];
}
- (void)waitUntilCompleted {
  Report("caller-blocked", "waitUntilCompleted");
  [self waitForEnd];
}
- (void)waitForEnd {
  std::unique_lock lock(mutex_);
  if (status_ < MTLCommandBufferStatusCommitted) return Report("wait-before-commit", "a wait for a command buffer");
  ended_.wait(lock, [self] { return status_ >= MTLCommandBufferStatusCompleted; });
}

@end
