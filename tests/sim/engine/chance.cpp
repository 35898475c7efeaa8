// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/chance.h"

#include <algorithm>

namespace halyard::sim {

uint64_t Chance::DelayMicroseconds(uint64_t longest) {
  if (longest == 0) return 0;
  const uint64_t kind = Below(16);
  if (kind < 11) return 0;
  return Below(kind < 15 ? std::min<uint64_t>(longest, 20) + 1 : longest + 1);
}

}  // namespace halyard::sim
