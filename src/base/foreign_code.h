// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of code that another compiler made.
#ifndef HALYARD_BASE_FOREIGN_CODE_H_
#define HALYARD_BASE_FOREIGN_CODE_H_

/// Of a function that calls code by address. Clang's undefined behaviour sanitizer looks for the type of a function in
/// the bytes before it, and there may be none.
#if defined(__clang__)
#define HALYARD_CALLS_FOREIGN_CODE __attribute__((no_sanitize("function")))
#else
#define HALYARD_CALLS_FOREIGN_CODE
#endif

#endif  // HALYARD_BASE_FOREIGN_CODE_H_
