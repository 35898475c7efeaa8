// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/object_memory.h"

namespace halyard {

void ObjectMemory::Trim() noexcept {
  while (Free* const free = Pop()) HostFree(free, free->size, alignof(std::max_align_t));
}

}  // namespace halyard
