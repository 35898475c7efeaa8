// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pipeline says of its kernel's arguments.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_REFLECTION_H_
#define HALYARD_SIM_METAL_FRAMEWORK_REFLECTION_H_

#include "framework/base.h"
#include "msl/msl_host.h"

@interface MTLComputePipelineReflection (Simulated)
- (instancetype)initWithKernel:(const halyard::msl_host::Kernel&)kernel options:(MTLPipelineOption)options;
@end

// What all arguments of a kernel have in common.
@interface SimBinding : SimObject <MTLBinding> {
 @protected
  halyard::msl_host::Argument layout_;
}
- (const halyard::msl_host::Argument&)layout;
@end

// An argument with [[buffer(n)]].
@interface SimBufferBinding : SimBinding <MTLBufferBinding> {
 @private
  MTLPointerType* pointer_;  // nil without the option for types
}
@end

#endif  // HALYARD_SIM_METAL_FRAMEWORK_REFLECTION_H_
