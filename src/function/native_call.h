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

#if defined(__x86_64__) && defined(__ELF__)
#define HALYARD_HAS_NATIVE_CALL 1

/// Where arguments go, as words of 8 bytes: integer registers, vector registers of two words, then the stack.
struct NativeFrame {
  static constexpr size_t kIntegerRegisters = 6;
  static constexpr size_t kVectorRegisters = 8;
  static constexpr size_t kResultAddress = 0;  ///< of results in memory: RDI, the first integer register
  static constexpr size_t kFirstVector = kIntegerRegisters;
  static constexpr size_t kFirstStack = kFirstVector + 2 * kVectorRegisters;
};

/// The registers after a call.
struct NativeReturns {
  uint64_t integers[4];  ///< RAX, RDX, RCX; the last is unused
  uint64_t vectors[6];   ///< XMM0 to XMM2, two words each
  long double x87[2];    ///< ST0 and ST1, if they were asked for
};
#elif defined(__aarch64__) && defined(__linux__)
#define HALYARD_HAS_NATIVE_CALL 1

/// As above. A word is left out before the vectors, which are loaded as pairs.
struct NativeFrame {
  static constexpr size_t kIntegerRegisters = 8;
  static constexpr size_t kVectorRegisters = 8;
  static constexpr size_t kResultAddress = kIntegerRegisters;  ///< X8, which passes nothing else
  static constexpr size_t kFirstVector = kResultAddress + 2;
  static constexpr size_t kFirstStack = kFirstVector + 2 * kVectorRegisters;
};

/// The registers after a call.
struct NativeReturns {
  uint64_t integers[8];  ///< X0 to X7
  uint64_t vectors[16];  ///< V0 to V7, two words each
};
#else
#define HALYARD_HAS_NATIVE_CALL 0

struct NativeFrame {
  static constexpr size_t kIntegerRegisters = 0;
  static constexpr size_t kVectorRegisters = 0;
  static constexpr size_t kResultAddress = 0;
  static constexpr size_t kFirstVector = 0;
  static constexpr size_t kFirstStack = 0;
};
struct NativeReturns {
  uint64_t integers[1];
  uint64_t vectors[2];
};
#endif

#if HALYARD_HAS_NATIVE_CALL
/// Calls `function` with a frame that ends after `stack_words` words of stack. `x87_count` says how many of ST0 and ST1
/// the function returns something in; 0 on other machines than x86-64.
extern "C" void halyard_native_call(const uint64_t* frame, const void* function, size_t stack_words,
                                    NativeReturns* returns, size_t x87_count);
#else
// Never called, as nothing is planned.
inline void halyard_native_call(const uint64_t*, const void*, size_t, NativeReturns* returns, size_t) { *returns = {}; }
#endif

}  // namespace halyard

#endif  // HALYARD_FUNCTION_NATIVE_CALL_H_
