// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/temporary_files.h"

namespace halyard::tools {
namespace {

std::vector<char*> Pointers(std::vector<std::string>* texts) {
  std::vector<char*> pointers;
  for (std::string& text : *texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// This process's environment; of several values for a name the first one counts.
std::vector<std::string> Environment(std::vector<std::string> first) {
  for (char** entry = environ; *entry; ++entry) first.emplace_back(*entry);
  return first;
}

// Starts a program whose two streams go to files.
pid_t Spawn(const std::string& path, std::vector<std::string> arguments, std::vector<std::string> environment,
            const std::string& out, const std::string& error) {
  arguments.insert(arguments.begin(), path);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), kFlags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, error.c_str(), kFlags, 0600);
  pid_t child = -1;
  const int failure =
      posix_spawn(&child, path.c_str(), &actions, nullptr, Pointers(&arguments).data(), Pointers(&environment).data());
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(failure, 0) << path;
  return failure == 0 ? child : -1;
}

}  // namespace

ToolResult RunProgram(const std::string& name, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment) {
  const TemporaryFolder folder;
  const std::string out = folder.Write("out", "");
  const std::string error = folder.Write("error", "");
  ToolResult result;
  const pid_t child =
      Spawn(std::string(HALYARD_TOOL_FOLDER "/") + name, arguments, Environment(environment), out, error);
  if (child < 0) return result;
  int status = 0;
  waitpid(child, &status, 0);
  result.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = ReadText(out);
  result.error = ReadText(error);
  return result;
}

void ExpectRefused(const ToolResult& result, ExitCode code, const std::vector<std::string>& words) {
  EXPECT_EQ(result.exit, static_cast<int>(code)) << result.error;
  EXPECT_EQ(result.out, "");
  for (const std::string& word : words) EXPECT_THAT(result.error, testing::HasSubstr(word));
}

void ExpectSuccess(const ToolResult& result) {
  EXPECT_EQ(result.exit, 0);
  EXPECT_EQ(result.error, "");
}

}  // namespace halyard::tools
