// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hints to the processor: what is needed soon, and that a thread spins.
#ifndef HALYARD_BASE_PREFETCH_H_
#define HALYARD_BASE_PREFETCH_H_

#include <cstddef>
#include <cstdint>

namespace halyard {

inline constexpr size_t kCacheLine = 64;  // bytes

/// Starts to load the first lines of a queue action, so that work on the one before hides the wait. With 100,000
/// actions under way none is in a near cache any more when its turn comes. Any pointer will do; NULL costs nothing.
inline void PrefetchAction(const void* action) {
  const auto address = reinterpret_cast<uintptr_t>(action);  // a number: NULL has no lines to point to
  for (size_t i = 0; i < 3; ++i) {
    __builtin_prefetch(reinterpret_cast<const void*>(address + i * kCacheLine), /*for writing*/ 1);
  }
}

/// Tells the processor that its thread spins.
inline void Relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace halyard

#endif  // HALYARD_BASE_PREFETCH_H_
