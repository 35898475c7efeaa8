// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pipeline, as the execution of commands sees it.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_SIM_PIPELINE_H_
#define HALYARD_SIM_METAL_FRAMEWORK_SIM_PIPELINE_H_

#include <memory>

#include "framework/library/sim_library.h"
#include "framework/sim_device.h"
#include "msl/msl_host.h"

@interface SimPipeline : SimObject <MTLComputePipelineState> {
 @private
  SimFunction* function_;
  std::shared_ptr<const halyard::msl_host::Program> program_;
  NSUInteger maxTotalThreadsPerThreadgroup_;
  NSString* label_;
}
- (instancetype)initWithFunction:(SimFunction*)function
                         program:(std::shared_ptr<const halyard::msl_host::Program>)program
                      descriptor:(MTLComputePipelineDescriptor*)descriptor;
- (const halyard::msl_host::Kernel&)kernel;
- (const halyard::msl_host::Program&)program;
@end

#endif  // HALYARD_SIM_METAL_FRAMEWORK_SIM_PIPELINE_H_
