// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clang that compiles texts, as a program that is run.
#ifndef HALYARD_SIM_MSL_CLANG_H_
#define HALYARD_SIM_MSL_CLANG_H_

#include <string>
#include <utility>
#include <vector>

namespace halyard::msl_host {

// The path of the compiler: HALYARD_CLANG, else the build's. Empty if it is not there.
std::string FindClang();

// The compiler as text that changes with it: where it lies, its size and the time of its file.
std::string DescribeClang(const std::string& clang);

// A run of a program with flags and then files, whose messages go to another file.
class Command {
 public:
  Command(const std::string& program, std::vector<std::string> flags, const std::vector<std::string>& files,
          std::string messages);
  ~Command() { Wait(); }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Whether it ended with success.
  bool Wait();
  // After Wait(): what it said.
  std::string Messages() const;

 private:
  std::string messages_;
  std::string failure_;  // why it could not be started
  int process_ = 0;
  bool succeeded_ = false;
};

// What each of the three runs of the compiler has in its command line.
std::vector<std::string> PreprocessFlags(const std::vector<std::pair<std::string, std::string>>& macros);
std::vector<std::string> CheckFlags();
std::vector<std::string> CompileFlags();

// All that a library depends on other than the rewritten text and the compiler: flags and headers.
std::string DescribeFlags();

}  // namespace halyard::msl_host

#endif  // HALYARD_SIM_MSL_CLANG_H_
