// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For loops that look again and again.
#ifndef HALYARD_BASE_SPIN_H_
#define HALYARD_BASE_SPIN_H_

namespace halyard {

/// Tells the processor that its thread spins.
inline void Relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace halyard

#endif  // HALYARD_BASE_SPIN_H_
