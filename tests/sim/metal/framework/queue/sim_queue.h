// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command queues and command buffers.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_SIM_QUEUE_H_
#define HALYARD_SIM_METAL_FRAMEWORK_SIM_QUEUE_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "execution/scheduler.h"
#include "framework/base.h"
#include "framework/queue/sim_residency.h"

@class SimDevice;

@interface SimQueue : SimObject <MTLCommandQueue> {
 @private
  SimDevice* device_;
  NSString* label_;
  NSUInteger most_;
  id logState_;
  std::mutex mutex_;  // protects what follows
  std::condition_variable fewer_;
  NSUInteger outstanding_;  // command buffers that are made and have not ended
  std::vector<SimResidencySet*> sets_;
  std::shared_ptr<halyard::metal_sim::QueueState> state_;
}
- (instancetype)initWithDevice:(SimDevice*)device count:(NSUInteger)count;
- (instancetype)initWithDevice:(SimDevice*)device descriptor:(MTLCommandQueueDescriptor*)descriptor;
- (const std::shared_ptr<halyard::metal_sim::QueueState>&)state;
- (void)commandBufferEnded;
// What is resident for a command buffer that is committed now; null without a set.
- (std::vector<std::shared_ptr<const halyard::metal_sim::ResidentBuffers>>)residentBuffers;
@end

@interface SimCommandBuffer : SimObject <MTLCommandBuffer> {
 @private
  SimQueue* queue_;
  NSString* label_;
  BOOL retained_;
  MTLCommandBufferStatus status_;
  NSError* error_;
  double start_;
  double end_;
  id encoder_;        // the one that is open
  std::mutex mutex_;  // protects status_ and what comes with an end
  std::condition_variable ended_;
  std::vector<MTLCommandBufferHandler> handlers_;
  std::shared_ptr<halyard::metal_sim::CommandBufferWork> work_;
  // Set by the commit, read by commands when they run.
  std::shared_ptr<std::vector<std::shared_ptr<const halyard::metal_sim::ResidentBuffers>>> resident_;
}
- (instancetype)initWithQueue:(SimQueue*)queue retained:(BOOL)retained;
- (void)encoderEnded:(id)encoder work:(std::shared_ptr<halyard::metal_sim::EncoderWork>)work;
- (const std::shared_ptr<std::vector<std::shared_ptr<const halyard::metal_sim::ResidentBuffers>>>&)resident;
@end

#endif  // HALYARD_SIM_METAL_FRAMEWORK_SIM_QUEUE_H_
