// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A line that shows how far long work has come, when a person is watching.
#ifndef HALYARD_TOOLS_SUPPORT_PROGRESS_H_
#define HALYARD_TOOLS_SUPPORT_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace halyard::tools {

/// Writes "title: 12 of 100" over itself on the standard error stream and takes it away at the end. Does nothing if
/// that stream is no terminal; the first line appears only once the work has taken a while.
class Progress {
 public:
  Progress(std::string_view title, uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Update(uint64_t done);

 private:
  std::string title_;
  uint64_t total_;
  bool enabled_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_PROGRESS_H_
