// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call that macOS 13 lacks, without a guard: the check metal.macos13 has to refuse it.
#include "metal/native/metal_types.h"

namespace halyard::metal {

bool HasResidencySets(NativeDevice device) { return [Id(device) newResidencySetWithDescriptor:nil error:nil] != nil; }

}  // namespace halyard::metal
