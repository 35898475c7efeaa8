// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What holds for every tool.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tool_process.h"

namespace halyard::tools {
namespace {

using testing::HasSubstr;

class EveryToolTest : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(All, EveryToolTest,
                         testing::Values("halyard-info", "halyard-run", "halyard-pack", "halyard-bench"),
                         [](const auto& test) { return std::string(test.param).substr(8); });

TEST_P(EveryToolTest, ExplainsItself) {
  const ToolResult result = RunProgram(GetParam(), {"--help"});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, testing::StartsWith(std::string("Usage: ") + GetParam()));
  for (const char* words : {"\nExamples:\n", "\nExit codes:\n", "--help", "--version", "--json"}) {
    EXPECT_THAT(result.out, HasSubstr(words));
  }
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
}

TEST_P(EveryToolTest, TellsItsVersion) {
  const ToolResult result = RunProgram(GetParam(), {"--version"});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, testing::StartsWith(std::string(GetParam()) + " (Halyard) 0."));
}

TEST_P(EveryToolTest, RefusesWhatItDoesNotKnow) {
  ExpectRefused(RunProgram(GetParam(), {"--versoin"}), ExitCode::kUsage, {"did you mean '--version'?", "--help"});
  ExpectRefused(RunProgram(GetParam(), {"surplus"}), ExitCode::kUsage, {"unexpected argument 'surplus'"});
  ExpectRefused(RunProgram(GetParam(), {"--plugin=", "x"}), ExitCode::kUsage, {});
}

TEST_P(EveryToolTest, NoticesThatItsOutputIsLost) {
  const std::string command = std::string(HALYARD_TOOL_FOLDER "/") + GetParam() + " --help > /dev/full 2>/dev/null";
  const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): a shell is what a user has
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(ExitCode::kOutput));
}

}  // namespace
}  // namespace halyard::tools
