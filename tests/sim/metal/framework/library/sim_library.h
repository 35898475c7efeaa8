// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Libraries and functions, as the framework's other parts see them.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_SIM_LIBRARY_H_
#define HALYARD_SIM_METAL_FRAMEWORK_SIM_LIBRARY_H_

#include <memory>
#include <string>
#include <vector>

#include "framework/library/function_constants.h"
#include "framework/library/library_code.h"
#include "framework/sim_device.h"
#include "msl/msl_host.h"

@interface SimLibrary : SimObject <MTLLibrary> {
 @private
  id<MTLDevice> device_;
  std::shared_ptr<const halyard::metal_sim::LibraryCode> code_;
  NSString* label_;
}
- (instancetype)initWithDevice:(SimDevice*)device code:(std::shared_ptr<const halyard::metal_sim::LibraryCode>)code;
@end

@interface SimFunction : SimObject <MTLFunction> {
 @private
  id<MTLDevice> device_;
  std::shared_ptr<const halyard::metal_sim::LibraryCode> code_;
  const halyard::msl_host::Kernel* kernel_;  // of code_
  std::vector<halyard::msl_host::ConstantValue> values_;
  BOOL specialised_;
  NSString* label_;
}
- (instancetype)initWithDevice:(id<MTLDevice>)device
                          code:(std::shared_ptr<const halyard::metal_sim::LibraryCode>)code
                        kernel:(const halyard::msl_host::Kernel*)kernel;
// Takes the values of its constants. False, with an error, if one is missing or has another type.
- (BOOL)specialise:(const halyard::metal_sim::GivenConstants&)given error:(NSError**)error;
- (const halyard::msl_host::Kernel&)kernel;
// Its code with its constants' values. Null, with the reason, if it has constants but was made without their values.
- (std::shared_ptr<const halyard::msl_host::Program>)program:(std::string*)why;
// What tells it from other functions in every process: hash of the text, name, values.
- (std::string)key;
@end

#endif  // HALYARD_SIM_METAL_FRAMEWORK_SIM_LIBRARY_H_
