// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-bench as a user runs it, in as little time as possible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/json.h"
#include "support/temporary_files.h"
#include "tool_process.h"

namespace halyard::tools {
namespace {

using testing::HasSubstr;

ToolResult Bench(const std::vector<std::string>& arguments) { return RunProgram("halyard-bench", arguments); }

class BenchToolTest : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(All, BenchToolTest, testing::Values("local://sync", "local://task"),
                         [](const auto& test) { return std::string(test.param).substr(8); });

TEST_P(BenchToolTest, MeasuresTheDevice) {
  const ToolResult result =
      Bench({std::string("--device=") + GetParam(), "--json", "--seconds=0.001",
             "--filter=barrier|host_wake|dispatch/workgroups|recording|/4096|alloca|wait/.*/(4|10)/"});
  ExpectSuccess(result);
  const Json document = Json::parse(result.out);
  EXPECT_EQ(document.at("context").at("halyard_device"), GetParam());
  EXPECT_GT(document.at("benchmarks").size(), 20u);
  for (const Json& benchmark : document.at("benchmarks")) {
    EXPECT_FALSE(benchmark.contains("error_occurred")) << benchmark;
    EXPECT_GT(benchmark.at("real_time"), 0) << benchmark;
  }
}

TEST(BenchToolTest, MeasuresWhatCopiesBetweenDevicesTake) {
  const ToolResult result = Bench({"--topology", "--device=local://sync,local://task?threads=2", "--quick", "--json"});
  ExpectSuccess(result);
  const Json pairs = Json::parse(result.out).at("topology").at("pairs");
  ASSERT_EQ(pairs.size(), 4u);
  for (const Json& pair : pairs) {
    EXPECT_GT(pair.at("gigabytes_per_second"), 0) << pair;
    EXPECT_GT(pair.at("microseconds_4KiB"), 0) << pair;
    EXPECT_EQ(pair.at("route"), pair.at("from") == pair.at("to") ? "direct" : "host") << pair;
  }
  EXPECT_THAT(Bench({"--topology", "--quick"}).out, HasSubstr("local://task"));
  ExpectRefused(Bench({"--topology", "--device=local://sync,none://0"}), ExitCode::kDevice, {"none"});
}

TEST(BenchToolTest, WritesTheResultsToAFileToo) {
  const TemporaryFolder folder;
  const std::string file = folder / "results.json";
  const ToolResult result =
      Bench({"--device=local://sync", "--seconds=0.001", "--filter=host_wake", "--output=" + file});
  EXPECT_EQ(result.exit, 0);
  EXPECT_THAT(result.out, HasSubstr("host_wake"));
  EXPECT_EQ(Json::parse(ReadText(file)).at("benchmarks").size(), 1u);
}

TEST(BenchToolTest, ListsTheBenchmarks) {
  const ToolResult result = Bench({"--device=local://sync", "--list"});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("barrier/submit_and_wait"));
  EXPECT_THAT(result.out, HasSubstr("copy/host_to_device/4096"));
}

TEST(BenchToolTest, RefusesWhatMakesNoSense) {
  ExpectRefused(Bench({}), ExitCode::kUsage, {"--device=URI is missing"});
  ExpectRefused(Bench({"--device=locl"}), ExitCode::kDevice, {"did you mean 'local'?"});
  ExpectRefused(Bench({"--device=local", "--kernels=missing.so"}), ExitCode::kInput, {"missing.so"});
  ExpectRefused(Bench({"--device=local", "--filter=nothing_like_it"}), ExitCode::kUsage, {"--list shows their names"});
  ExpectRefused(Bench({"--device=local", "--output=/nowhere/at/all"}), ExitCode::kOutput, {"/nowhere/at"});
}

}  // namespace
}  // namespace halyard::tools
