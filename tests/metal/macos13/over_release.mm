// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A release of an object that the function does not own: the check metal.retain_release has to report it.
#include "metal/native/metal_types.h"

namespace halyard::metal {

bool HasCommandBuffer(NativeCommandQueue queue) {
  const id<MTLCommandBuffer> commands = [Id(queue) commandBuffer];
  [commands release];
  return true;
}

}  // namespace halyard::metal
