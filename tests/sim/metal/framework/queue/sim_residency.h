// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_SIM_METAL_FRAMEWORK_SIM_RESIDENCY_H_
#define HALYARD_SIM_METAL_FRAMEWORK_SIM_RESIDENCY_H_

#include <memory>
#include <mutex>
#include <set>

#include "execution/storage.h"
#include "framework/base.h"

namespace halyard::metal_sim {

using ResidentBuffers = std::set<const Storage*>;

}  // namespace halyard::metal_sim

@interface SimResidencySet : SimObject <MTLResidencySet> {
 @private
  id<MTLDevice> device_;
  std::mutex mutex_;  // protects what follows
  std::set<id<MTLAllocation>> changed_;
  std::shared_ptr<const halyard::metal_sim::ResidentBuffers> committed_;
}
- (instancetype)initWithDevice:(id<MTLDevice>)device;
// What counts for a command buffer that is committed now.
- (std::shared_ptr<const halyard::metal_sim::ResidentBuffers>)committed;
@end

#endif  // HALYARD_SIM_METAL_FRAMEWORK_SIM_RESIDENCY_H_
