// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_SIM_METAL_FRAMEWORK_SIM_DEVICE_H_
#define HALYARD_SIM_METAL_FRAMEWORK_SIM_DEVICE_H_

#include "framework/base.h"

@interface SimDevice : SimObject <MTLDevice> {
 @private
  unsigned ordinal_;
}
- (instancetype)initWithOrdinal:(unsigned)ordinal;
- (unsigned)ordinal;
@end

// In other files.
@interface SimDevice (Memory)
@end
@interface SimDevice (Library)
@end

#endif  // HALYARD_SIM_METAL_FRAMEWORK_SIM_DEVICE_H_
