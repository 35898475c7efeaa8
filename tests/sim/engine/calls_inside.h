// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads that are inside calls, which calls return late, and what the end of the process finds.
#ifndef HALYARD_TESTS_SIM_ENGINE_CALLS_INSIDE_H_
#define HALYARD_TESTS_SIM_ENGINE_CALLS_INSIDE_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "engine/report.h"

namespace halyard::sim {

// A vendor's library shuts down in a handler of exit(), and takes no call of another thread from then on. A call that
// is under way, or comes later, is reported as "call at exit". Thread-safe; its own lock is innermost.
class CallsInside {
 public:
  // A thread is inside a call. `name` lives as long as the process.
  class Visit {
   public:
    Visit(CallsInside& calls, const char* name) : calls_(calls), name_(name) { calls_.Begin(name_); }
    ~Visit() { calls_.End(name_); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    CallsInside& calls_;
    const char* const name_;
  };

  explicit CallsInside(Reports& reports) : reports_(reports) {}

  // The calls of one function return so much later from now on; 0 ends it.
  void ReturnLate(std::string name, uint64_t milliseconds);
  // How many threads are inside a call of one function.
  uint64_t Threads(const std::string& name) const;
  // The handler of exit() begins, on the calling thread.
  void BeginExit();

 private:
  void Begin(const char* name);
  void End(const char* name);
  void Report(const char* name, const char* how);

  Reports& reports_;
  mutable std::mutex mutex_;  // protects everything below
  std::map<std::string, uint64_t, std::less<>> inside_;
  std::string late_;
  uint64_t lateness_ = 0;  // milliseconds
  bool exits_ = false;
  std::thread::id exit_thread_;
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_CALLS_INSIDE_H_
