// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Encoders: each call becomes a command that runs later.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_SIM_ENCODERS_H_
#define HALYARD_SIM_METAL_FRAMEWORK_SIM_ENCODERS_H_

#include <array>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "execution/dispatch.h"
#include "execution/scheduler.h"
#include "framework/base.h"

@class SimCommandBuffer;
@class SimPipeline;

// What both kinds have.
@interface SimEncoder : SimObject {
 @protected
  SimCommandBuffer* commands_;
  NSString* label_;
  BOOL ended_;
  int groups_;
  std::thread::id thread_;
  std::shared_ptr<halyard::metal_sim::EncoderWork> work_;
}
- (instancetype)initWithCommandBuffer:(SimCommandBuffer*)commands;
// Whether a call may encode; reports what forbids it.
- (bool)mayEncode:(SEL)selector;
// A command of the encoder uses a buffer.
- (void)uses:(const std::shared_ptr<halyard::metal_sim::Storage>&)storage;
- (void)updateFence:(id<MTLFence>)fence;
- (void)waitForFence:(id<MTLFence>)fence;
@end

@interface SimComputeEncoder : SimEncoder <MTLComputeCommandEncoder> {
 @private
  SimPipeline* pipeline_;
  BOOL barrier_;
  MTLDispatchType type_;
  halyard::metal_sim::DispatchState state_;
}
- (instancetype)initWithCommandBuffer:(SimCommandBuffer*)commands
                                 type:(MTLDispatchType)type
                                 pass:(MTLComputePassDescriptor*)pass;
@end

@interface SimBlitEncoder : SimEncoder <MTLBlitCommandEncoder>
- (instancetype)initWithCommandBuffer:(SimCommandBuffer*)commands pass:(MTLBlitPassDescriptor*)pass;
@end

#endif  // HALYARD_SIM_METAL_FRAMEWORK_SIM_ENCODERS_H_
