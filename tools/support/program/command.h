// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running other programs.
#ifndef HALYARD_TOOLS_SUPPORT_COMMAND_H_
#define HALYARD_TOOLS_SUPPORT_COMMAND_H_

#include <string>
#include <string_view>
#include <vector>

namespace halyard::tools {

/// A temporary folder; removed with the object.
class WorkFolder {
 public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  /// The path of a file in it.
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
  /// Writes a file and returns its path.
  std::string Write(std::string_view name, std::string_view text) const;

 private:
  std::string path_;
};

/// Whether the search path has a program of that name.
bool FindProgram(const std::string& name);

/// Runs a program and returns what it printed. Throws Failure (kInput), with what it said, if it does not exit with 0.
/// @param command  name or path of the program, then its arguments
std::string RunCommand(const std::vector<std::string>& command, const WorkFolder& folder);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_COMMAND_H_
