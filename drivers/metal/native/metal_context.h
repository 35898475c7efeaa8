// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device of Metal's with what is known of it.
#ifndef HALYARD_METAL_NATIVE_METAL_CONTEXT_H_
#define HALYARD_METAL_NATIVE_METAL_CONTEXT_H_

#include "metal/native/metal_options.h"
#include "metal/native/metal_traits.h"
#include "metal/native/metal_types.h"

namespace halyard::metal {

struct MetalContext {
  const Owned<NativeDevice> native;
  const MetalTraits traits;
  const MetalOptions options;
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_NATIVE_METAL_CONTEXT_H_
