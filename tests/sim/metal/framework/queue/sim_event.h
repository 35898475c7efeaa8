// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events and fences.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_SIM_EVENT_H_
#define HALYARD_SIM_METAL_FRAMEWORK_SIM_EVENT_H_

#include <memory>

#include "execution/scheduler.h"
#include "framework/base.h"

@interface SimEvent : SimObject <MTLSharedEvent> {
 @private
  id<MTLDevice> device_;
  NSString* label_;
  std::shared_ptr<halyard::metal_sim::EventState> state_;
}
- (instancetype)initWithDevice:(id<MTLDevice>)device;
- (const std::shared_ptr<halyard::metal_sim::EventState>&)state;
@end

@interface SimFence : SimObject <MTLFence> {
 @private
  id<MTLDevice> device_;
  NSString* label_;
  std::shared_ptr<halyard::metal_sim::FenceState> state_;
}
- (instancetype)initWithDevice:(id<MTLDevice>)device;
- (const std::shared_ptr<halyard::metal_sim::FenceState>&)state;
@end

#endif  // HALYARD_SIM_METAL_FRAMEWORK_SIM_EVENT_H_
