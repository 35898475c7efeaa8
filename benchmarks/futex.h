// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads are woken by, without a library.
#ifndef HALYARD_BENCHMARKS_FUTEX_H_
#define HALYARD_BENCHMARKS_FUTEX_H_

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace halyard::bench {

/// The least that can wake a thread: a word that is counted up.
class Futex {
 public:
  void Signal() {
    word_.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word_), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }
  void Wait(uint32_t value) {
    while (true) {
      const uint32_t current = word_.load(std::memory_order_acquire);
      if (current == value) return;
      syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word_), FUTEX_WAIT_PRIVATE, current, nullptr, nullptr, 0);
    }
  }

 private:
  std::atomic<uint32_t> word_{0};
};

}  // namespace halyard::bench

#endif  // HALYARD_BENCHMARKS_FUTEX_H_
