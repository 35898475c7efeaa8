// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binary archives, as pipelines see them.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_SIM_ARCHIVE_H_
#define HALYARD_SIM_METAL_FRAMEWORK_SIM_ARCHIVE_H_

#include <mutex>
#include <set>
#include <string>

#include "framework/sim_device.h"

@interface SimBinaryArchive : SimObject <MTLBinaryArchive> {
 @private
  id<MTLDevice> device_;
  NSString* label_;
  std::mutex mutex_;  // protects keys_
  std::set<std::string> keys_;
}
// Whether it has a function, by the function's key.
- (BOOL)contains:(const std::string&)key;
@end

#endif  // HALYARD_SIM_METAL_FRAMEWORK_SIM_ARCHIVE_H_
