// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of arguments and of their members, made from what the shading language's host says.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_REFLECTION_TYPES_H_
#define HALYARD_SIM_METAL_FRAMEWORK_REFLECTION_TYPES_H_

#include "framework/base.h"
#include "msl/msl_host.h"

namespace halyard::metal_sim {

inline MTLBindingAccess AccessOf(bool writable) {
  return writable ? MTLBindingAccessReadWrite : MTLBindingAccessReadOnly;
}

}  // namespace halyard::metal_sim

@interface MTLPointerType (Simulated)
// To what an argument points to.
- (instancetype)initWithArgument:(const halyard::msl_host::Argument&)argument;
@end

#endif  // HALYARD_SIM_METAL_FRAMEWORK_REFLECTION_TYPES_H_
