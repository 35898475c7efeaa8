// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/library_thread.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <cfenv>
#include <csignal>
#include <limits>
#include <string>
#include <thread>

#include "base/floating_point.h"
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace halyard {
namespace {

constexpr std::array kRaised = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
constexpr std::array kSent = {SIGABRT, SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1, SIGUSR2,
                              SIGCHLD, SIGALRM, SIGPROF, SIGPIPE, SIGURG,  SIGIO,   SIGWINCH};

/// Runs `body` on a library thread that a thread starts after `prepare`.
template <class Prepare, class Body>
void RunOnLibraryThread(const Prepare& prepare, const Body& body) {
  std::thread([&] {
    prepare();
    LibraryThread thread;
    ASSERT_EQ(thread.Start("hal-test", "the test's thread", body), kOk);
    thread.End();
  }).join();
}

sigset_t MaskOfThisThread() {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return mask;
}

TEST(LibraryThread, TakesOnlySignalsThatItsInstructionsRaise) {
  sigset_t mask;
  RunOnLibraryThread(
      [] {
        sigset_t none;
        sigemptyset(&none);
        sigaddset(&none, SIGSEGV);  // of the thread that starts it alone
        pthread_sigmask(SIG_SETMASK, &none, nullptr);
      },
      [&] { mask = MaskOfThisThread(); });
  for (const int number : kSent) EXPECT_EQ(sigismember(&mask, number), 1) << "signal " << number;
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) EXPECT_EQ(sigismember(&mask, number), 1) << number;
  for (const int number : kRaised) EXPECT_EQ(sigismember(&mask, number), 0) << "signal " << number;
}

TEST(LibraryThread, LeavesTheMaskOfTheThreadThatStartsItAsItWas) {
  std::thread([] {
    sigset_t before;
    sigemptyset(&before);
    sigaddset(&before, SIGUSR2);
    sigaddset(&before, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    LibraryThread thread;
    ASSERT_EQ(thread.Start("hal-test", "the test's thread", [] {}), kOk);
    thread.End();
    const sigset_t after = MaskOfThisThread();
    for (int number = 1; number <= SIGRTMAX; ++number) {
      EXPECT_EQ(sigismember(&after, number), sigismember(&before, number)) << "signal " << number;
    }
  }).join();
}

TEST(LibraryThread, HasItsName) {
#if defined(__linux__)
  std::array<char, 16> name = {};
  RunOnLibraryThread([] {}, [&] { pthread_getname_np(pthread_self(), name.data(), name.size()); });
  EXPECT_STREQ(name.data(), "hal-test");
#endif
}

/// What arithmetic does on this thread.
struct Arithmetic {
  Arithmetic() noexcept {
    volatile float smallest = std::numeric_limits<float>::denorm_min();
    volatile float least = std::numeric_limits<float>::min();
    volatile long double one = 1;
    volatile long double three = 3;
    keeps_subnormal_results = least / 2 != 0;
    keeps_subnormal_operands = smallest * 16777216.0f != 0;
    rounding = std::fegetround();
    volatile long double here = one / three;
    third = here;
    const DefaultFloatingPoint scope;
    volatile long double by_default = one / three;
    third_by_default = by_default;
  }
  bool keeps_subnormal_results;
  bool keeps_subnormal_operands;
  int rounding;
  long double third;
  long double third_by_default;
};

void ExpectDefault(const Arithmetic& found) {
  EXPECT_TRUE(found.keeps_subnormal_results);
  EXPECT_TRUE(found.keeps_subnormal_operands);
  EXPECT_EQ(found.rounding, FE_TONEAREST);
  EXPECT_EQ(found.third, found.third_by_default);
}

void FlushSubnormals() {
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(uint64_t{1} << 24));
#endif
}

TEST(LibraryThread, KeepsSubnormalNumbersThatTheThreadThatStartsItFlushes) {
  Arithmetic found;
  RunOnLibraryThread(FlushSubnormals, [&] { found = Arithmetic(); });
  ExpectDefault(found);
}

TEST(LibraryThread, RoundsToNearestWhateverTheThreadThatStartsItDoes) {
  for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    Arithmetic found;
    RunOnLibraryThread([&] { std::fesetround(rounding); }, [&] { found = Arithmetic(); });
    ExpectDefault(found);
  }
}

#if defined(__x86_64__) && defined(__GLIBC__)
TEST(LibraryThread, DividesByZeroWithoutASignal) {
  RunOnLibraryThread([] { feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW); },
                     [] {
                       volatile double zero = 0;
                       volatile long double long_zero = 0;
                       volatile double quotient = 1 / zero;
                       volatile long double long_quotient = 1 / long_zero;
                       static_cast<void>(quotient);
                       static_cast<void>(long_quotient);
                       EXPECT_EQ(fegetexcept(), 0);
                     });
}

TEST(DefaultFloatingPoint, GivesBackExceptionsThatRaiseSignalsWithoutRaisingOne) {
  std::thread([] {
    feenableexcept(FE_DIVBYZERO);
    {
      const DefaultFloatingPoint scope;
      volatile long double zero = 0;
      volatile long double quotient = 1 / zero;
      static_cast<void>(quotient);
    }
    volatile long double one = 1;
    volatile long double sum = one + one;  // would raise what is pending
    static_cast<void>(sum);
    EXPECT_EQ(fegetexcept(), FE_DIVBYZERO);
    EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO), 0);
  }).join();
}
#endif

TEST(DefaultFloatingPoint, GivesBackWhatWasBefore) {
  std::thread([] {
    std::fesetround(FE_UPWARD);
    FlushSubnormals();
    const Arithmetic before;
    {
      const DefaultFloatingPoint scope;
      ExpectDefault(Arithmetic());
    }
    const Arithmetic after;
    EXPECT_EQ(after.keeps_subnormal_results, before.keeps_subnormal_results);
    EXPECT_EQ(after.rounding, before.rounding);
    EXPECT_EQ(after.third, before.third);
  }).join();
}

}  // namespace
}  // namespace halyard
