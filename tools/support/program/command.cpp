// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/program/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/failure.h"
#include "support/text.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): not every system declares it

namespace halyard::tools {
namespace {

// As much of a compiler's complaint as a person reads.
constexpr size_t kMaxComplaint = 4000;

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Starts a program with its outputs going to files; returns its exit status, or -1 if a signal ended it.
int Spawn(const std::vector<std::string>& command, const std::string& output, const std::string& errors) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));  // NOLINT
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), flags, 0600);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) Fail(ExitCode::kInput, "cannot run '", command[0], "': ", std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

WorkFolder::WorkFolder() {
  path_ = (std::filesystem::temp_directory_path() / "halyard-XXXXXX").string();
  if (!mkdtemp(path_.data())) Fail(ExitCode::kOutput, "cannot make a folder '", path_, "': ", std::strerror(errno));
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string WorkFolder::Write(std::string_view name, std::string_view text) const {
  std::string path = *this / name;
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) Fail(ExitCode::kOutput, "cannot write '", path, "'");
  return path;
}

bool FindProgram(const std::string& name) {
  const char* const path = std::getenv("PATH");
  for (const std::string_view folder : SplitText(path ? path : "/usr/local/bin:/usr/bin:/bin", ':')) {
    if (access((std::string(folder) + "/" + name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::string RunCommand(const std::vector<std::string>& command, const WorkFolder& folder) {
  const std::string output = folder / "output";
  const std::string errors = folder / "errors";
  const int status = Spawn(command, output, errors);
  if (status == 0) return ReadAll(output);
  const std::string complaint = ReadAll(errors).substr(0, kMaxComplaint);
  Fail(ExitCode::kInput, command[0], status < 0 ? " crashed" : Concat(" failed with ", status),
       complaint.empty() ? "" : ":\n" + complaint);
}

}  // namespace halyard::tools
