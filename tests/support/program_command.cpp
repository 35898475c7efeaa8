// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/program_command.h"

#include <sstream>

namespace halyard::testing {

std::vector<std::string> ProgramCommand(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> command;
  std::istringstream emulator(HALYARD_EMULATOR);
  for (std::string word; emulator >> word;) command.push_back(word);
  command.push_back(program);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

}  // namespace halyard::testing
