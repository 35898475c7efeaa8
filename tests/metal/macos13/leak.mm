// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An object of a method named new…, which nothing releases: the check metal.retain_release has to report it.
#include "metal/native/metal_types.h"

namespace halyard::metal {

bool HasFences(NativeDevice device) {
  const id<MTLFence> fence = [Id(device) newFence];
  return fence != nil;
}

}  // namespace halyard::metal
