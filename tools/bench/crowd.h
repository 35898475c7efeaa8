// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that keep processors busy, and the processor time of the process.
#ifndef HALYARD_TOOLS_BENCH_CROWD_H_
#define HALYARD_TOOLS_BENCH_CROWD_H_

#include <atomic>
#include <cstddef>
#include <ctime>
#include <thread>
#include <vector>

namespace halyard::bench {

/// Keeps so many processors busy for as long as it exists.
class Crowd {
 public:
  explicit Crowd(size_t threads) {
    for (size_t i = 0; i < threads; ++i) {
      threads_.emplace_back([this] {
        while (!ends_.load(std::memory_order_relaxed)) {
        }
      });
    }
  }
  ~Crowd() {
    ends_.store(true, std::memory_order_relaxed);
    for (std::thread& thread : threads_) thread.join();
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

 private:
  std::atomic<bool> ends_{false};
  std::vector<std::thread> threads_;
};

/// What all threads of the process have burnt so far, in nanoseconds.
inline double ProcessorTime() { return 1e9 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace halyard::bench

#endif  // HALYARD_TOOLS_BENCH_CROWD_H_
