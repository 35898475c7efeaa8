// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_SIM_METAL_FRAMEWORK_SIM_BUFFER_H_
#define HALYARD_SIM_METAL_FRAMEWORK_SIM_BUFFER_H_

#include <memory>

#include "execution/storage.h"
#include "framework/base.h"

@class SimDevice;

@interface SimBuffer : SimObject <MTLBuffer> {
 @private
  SimDevice* device_;
  MTLResourceOptions options_;
  void (^deallocator_)(void*, NSUInteger);
  NSString* label_;
  std::shared_ptr<halyard::metal_sim::Storage> storage_;
}
- (instancetype)initWithDevice:(SimDevice*)device
                       storage:(std::shared_ptr<halyard::metal_sim::Storage>)storage
                       options:(MTLResourceOptions)options
                   deallocator:(void (^)(void*, NSUInteger))deallocator;
- (const std::shared_ptr<halyard::metal_sim::Storage>&)storage;
@end

#endif  // HALYARD_SIM_METAL_FRAMEWORK_SIM_BUFFER_H_
