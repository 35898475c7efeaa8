// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/native/metal_types.h"

namespace halyard::metal {

void RetainNative(void* object) noexcept { [(id)object retain]; }

void ReleaseNative(void* object) noexcept { [(id)object release]; }

AutoreleaseScope::AutoreleaseScope() : pool_([[NSAutoreleasePool alloc] init]) {}

AutoreleaseScope::~AutoreleaseScope() { [(NSAutoreleasePool*)pool_ drain]; }

}  // namespace halyard::metal
