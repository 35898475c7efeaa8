// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a piece of work is done: what events record, streams wait for and synchronising calls block on.
#ifndef HALYARD_TESTS_SIM_ENGINE_COMPLETION_H_
#define HALYARD_TESTS_SIM_ENGINE_COMPLETION_H_

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "engine/error.h"

namespace halyard::sim {

// The runtime's lock, held. Every function of the engine runs under it unless it says otherwise; those that take it as
// an argument release it while they block or execute.
using Lock = std::unique_lock<std::mutex>;

class Completion {
 public:
  // Ends the work, with kSuccess or the error for which it was not carried out.
  void Finish(Error error) {
    done_ = true;
    error_ = error;
    time_ = std::chrono::steady_clock::now();
    changed_.notify_all();
  }
  // Blocks until the work is done.
  void Wait(Lock& lock) {
    changed_.wait(lock, [this] { return done_; });
  }

  bool done() const { return done_; }
  Error error() const { return error_; }
  std::chrono::steady_clock::time_point time() const { return time_; }

 private:
  bool done_ = false;
  Error error_ = Error::kSuccess;
  std::chrono::steady_clock::time_point time_;
  std::condition_variable changed_;
};

struct Context;

// A thing that submitted work still needs: memory, modules, recorded graphs.
struct Needed {
  int pending = 0;                    // operations that were submitted and are not done
  std::vector<const Context*> users;  // of those operations, as far as they are of streams
  std::condition_variable idle;

  void Begin() { ++pending; }
  void BeginIn(const Context* user) {
    users.push_back(user);
    Begin();
  }
  void EndIn(const Context* user) {
    users.erase(std::ranges::find(users, user));
    End();
  }
  void End() {
    if (--pending == 0) idle.notify_all();
  }
  void WaitUntilIdle(Lock& lock) {
    idle.wait(lock, [this] { return pending == 0; });
  }
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_COMPLETION_H_
