// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The floating-point state of a thread: rounding, subnormal numbers, exceptions that raise SIGFPE.
#ifndef HALYARD_BASE_FLOATING_POINT_H_
#define HALYARD_BASE_FLOATING_POINT_H_

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace halyard {

/// Gives this thread the default state while it exists, and then the state from before: rounding to nearest, subnormal
/// numbers kept, no exception that raises SIGFPE.
///
/// A thread begins with the state of the thread that starts it, so threads are started within such a scope. A library
/// that is loaded may change the state, as those do that GCC links with -ffast-math.
class DefaultFloatingPoint {
 public:
  DefaultFloatingPoint() noexcept { Exchange(); }
  ~DefaultFloatingPoint() { Restore(); }
  DefaultFloatingPoint(const DefaultFloatingPoint&) = delete;
  DefaultFloatingPoint& operator=(const DefaultFloatingPoint&) = delete;

 private:
#if defined(__x86_64__)
  // Two units: SSE, and x87 for long double. FNSTENV also clears what would raise a pending exception.
  void Exchange() noexcept {
    constexpr unsigned kSse = 0x1f80;
    constexpr uint16_t kX87 = 0x037f;
    sse_ = _mm_getcsr();
    __asm__ volatile("fnstenv %0\n\tfnclex\n\tfldcw %1" : "=m"(x87_) : "m"(kX87) : "memory");
    _mm_setcsr(kSse);
  }
  void Restore() noexcept {
    __asm__ volatile("fldenv %0" : : "m"(x87_) : "memory");
    _mm_setcsr(sse_);
  }
  unsigned sse_;
  struct {
    uint32_t words[7];
  } x87_;
#elif defined(__aarch64__)
  void Exchange() noexcept {
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr\n\tmsr fpcr, xzr" : "=r"(control_), "=r"(flags_) : : "memory");
  }
  void Restore() noexcept {
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(control_), "r"(flags_) : "memory");
  }
  uint64_t control_;
  uint64_t flags_;
#else
  void Exchange() noexcept {
    std::fegetenv(&state_);
    std::fesetenv(FE_DFL_ENV);
  }
  void Restore() noexcept { std::fesetenv(&state_); }
  std::fenv_t state_;
#endif
};

}  // namespace halyard

#endif  // HALYARD_BASE_FLOATING_POINT_H_
