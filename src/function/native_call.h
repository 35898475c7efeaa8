// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calling a function whose arguments lie in registers and on the stack as LLVM puts them, and catching every register
// that it may return something in.
//
// Why not a foreign-function library: those know C's rules for structs. LLVM returns each field of a struct in a
// register of its own, and passes each field of one as an argument of its own.
#ifndef HALYARD_FUNCTION_NATIVE_CALL_H_
#define HALYARD_FUNCTION_NATIVE_CALL_H_

#include <cstddef>
#include <cstdint>

namespace halyard {

/// Where arguments go, as words of 8 bytes: 6 integer registers, 8 vector registers of two words, then the stack.
struct NativeFrame {
  static constexpr size_t kIntegerRegisters = 6;
  static constexpr size_t kVectorRegisters = 8;
  static constexpr size_t kFirstVector = kIntegerRegisters;
  static constexpr size_t kFirstStack = kFirstVector + 2 * kVectorRegisters;
};

/// The registers after a call.
struct NativeReturns {
  uint64_t integers[4];  ///< RAX, RDX, RCX; the last is unused
  uint64_t vectors[6];   ///< XMM0 to XMM2, two words each
  long double x87[2];    ///< ST0 and ST1, if they were asked for
};

#if defined(__x86_64__) && defined(__ELF__)
#define HALYARD_HAS_NATIVE_CALL 1

/// Calls `function` with a frame that ends after `stack_words` words of stack. `x87_count` says how many of ST0 and ST1
/// the function returns something in.
extern "C" void halyard_native_call(const uint64_t* frame, const void* function, size_t stack_words,
                                    NativeReturns* returns, size_t x87_count);
#else
#define HALYARD_HAS_NATIVE_CALL 0
#endif

}  // namespace halyard

#endif  // HALYARD_FUNCTION_NATIVE_CALL_H_
