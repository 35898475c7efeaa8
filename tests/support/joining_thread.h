// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that is joined at the end of its scope. Apple's C++ library has no std::jthread.
#ifndef HALYARD_TESTS_SUPPORT_JOINING_THREAD_H_
#define HALYARD_TESTS_SUPPORT_JOINING_THREAD_H_

#include <thread>
#include <utility>

namespace halyard {

class JoiningThread {
 public:
  template <class Function>
  explicit JoiningThread(Function&& function) : thread_(std::forward<Function>(function)) {}
  JoiningThread(JoiningThread&&) = default;
  JoiningThread& operator=(JoiningThread&&) = delete;
  ~JoiningThread() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

}  // namespace halyard

#endif  // HALYARD_TESTS_SUPPORT_JOINING_THREAD_H_
