// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "benchmarks.h"

namespace halyard::tools {

void OnThreads(size_t threads, const std::function<void(size_t)>& body) {
  std::mutex mutex;  // protects failure
  std::exception_ptr failure;
  const auto guarded = [&](size_t thread) {
    try {
      body(thread);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> started;
  for (size_t i = 0; i < threads; ++i) started.emplace_back(guarded, i);
  for (std::thread& thread : started) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace halyard::tools
