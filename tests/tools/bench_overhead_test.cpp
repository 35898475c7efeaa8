// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-bench against a vendor's API, on the simulated CUDA driver: that all lines come, with what they promise. The
// figures themselves mean nothing there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "support/json.h"
#include "tool_process.h"

#ifdef HALYARD_SIM_LIBRARY

namespace halyard::tools {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

ToolResult Compare(std::vector<std::string> arguments, const std::vector<std::string>& environment = {}) {
  std::vector<std::string> variables = {"HALYARD_CUDA_LIBRARY=" HALYARD_SIM_LIBRARY,
                                        "HALYARD_SIM_KERNELS=" HALYARD_SIM_KERNEL_DIR,
                                        "HALYARD_SIM_MEMORY=17179869184",  // for 100 allocations of 64 MiB
                                        "HALYARD_SIM_DELAY=0", "HALYARD_SIM_REPORT=1"};
  variables.insert(variables.begin(), environment.begin(), environment.end());
  arguments.insert(arguments.begin(), {"--device=cuda://0", "--turns=1"});
  return RunProgram("halyard-bench", arguments, variables);
}

void ExpectBothFigures(const Json& line) {
  const std::string name = line.at("name");
  EXPECT_FALSE(line.contains("error_occurred")) << line;
  EXPECT_EQ(line.at("iterations"), 1) << name;
  EXPECT_NE(line.at("label"), "") << name;
  const double halyard = line.at("halyard_ns");
  const double raw = line.at("raw_ns");
  EXPECT_GT(halyard, 0) << name;
  EXPECT_GT(raw, 0) << name;
  EXPECT_DOUBLE_EQ(line.at("ratio"), halyard / raw) << name;
}

// Runs the lines that match; there must be `count` of them, with figures.
void ExpectFigures(const std::string& filter, size_t count) {
  const ToolResult result = Compare({"--json", "--filter=" + filter});
  EXPECT_EQ(result.exit, 0);
  EXPECT_THAT(result.error, Not(HasSubstr("leak"))) << "objects of the driver API that were not released";
  const Json lines = Json::parse(result.out).at("benchmarks");
  EXPECT_EQ(lines.size(), count);
  for (const Json& line : lines) ExpectBothFigures(line);
}

TEST(BenchOverheadTest, ComparesRecordings) {
  ExpectFigures("overhead/(graph|replay|barriers|changed_slot|new_slot)", 12);
}

TEST(BenchOverheadTest, ComparesIndirectDispatches) { ExpectFigures("overhead/indirect", 2); }

TEST(BenchOverheadTest, ComparesSubmissionsOfOneThread) {
  ExpectFigures("overhead/(one_shot|spinning|idle|sleeping|submission|queue_edge|release|alloca)", 13);
}

TEST(BenchOverheadTest, ComparesWhatTheHostMakes) { ExpectFigures("overhead/(semaphore|buffer)", 4); }

TEST(BenchOverheadTest, ComparesTransfersOfLittleMemory) {
  const ToolResult result = Compare({"--json", "--quick", "--filter=overhead/(fill|copy|upload|download)"});
  EXPECT_EQ(result.exit, 0);
  const Json lines = Json::parse(result.out).at("benchmarks");
  EXPECT_EQ(lines.size(), 9u);
  for (const Json& line : lines) ExpectBothFigures(line);
}

TEST(BenchOverheadTest, ComparesClustersAndScratchMemory) { ExpectFigures("overhead/(clusters|scratch)", 4); }

// Whether a line meets its target is chance here; that the exit code agrees with the words is not.
TEST(BenchOverheadTest, TellsWhichTargetsAreMissed) {
  const ToolResult result = Compare({"--json", "--targets", "--filter=overhead/(submission|alloca)"});
  size_t with_target = 0;
  const Json lines = Json::parse(result.out).at("benchmarks");
  for (const Json& line : lines) {
    if (line.contains("target_ratio") || line.contains("target_above")) ++with_target;
  }
  size_t met = 0;
  size_t missed = 0;
  const size_t begin = result.error.find("halyard-bench: targets: ");
  ASSERT_NE(begin, std::string::npos) << result.error;
  ASSERT_EQ(std::sscanf(result.error.c_str() + begin, "halyard-bench: targets: %zu met, %zu missed", &met, &missed), 2)
      << result.error;
  EXPECT_EQ(with_target, 3u);
  EXPECT_EQ(met + missed, with_target);
  EXPECT_EQ(result.exit, missed == 0 ? 0 : 1);
  EXPECT_EQ(result.error.find("overhead/") != std::string::npos, missed > 0) << result.error;
}

TEST(BenchOverheadTest, TargetsThatNothingHasAreAMistake) {
  const ToolResult result = Compare({"--targets", "--filter=overhead/buffer_4"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_THAT(result.error, HasSubstr("none of the benchmarks that ran has a target"));
}

TEST(BenchOverheadTest, ComparesThreads) { ExpectFigures("overhead/16_threads", 1); }

TEST(BenchOverheadTest, ComparesWaits) { ExpectFigures("overhead/wait_(100(_[a-z]+)?|4_threads)/", 5); }

TEST(BenchOverheadTest, ComparesCrowdsOfDeferredWork) { ExpectFigures("overhead/deferred_1(000|0000)/", 2); }

TEST(BenchOverheadTest, SlowComparesTheLargestCrowd) { ExpectFigures("overhead/deferred_100000", 1); }

TEST(BenchOverheadTest, ShowsATable) {
  const ToolResult result = Compare({"--filter=overhead/(spinning_host|submission)"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_THAT(result.out, HasSubstr("Halyard and the CUDA driver API in turns"));
  EXPECT_THAT(result.out, HasSubstr("| overhead/spinning_host | one dispatch, submitted until a spinning host"));
  EXPECT_THAT(result.out, HasSubstr("≤ 1.15 |"));
  EXPECT_THAT(result.out, HasSubstr("≤ raw + 800 ns |"));
}

TEST(BenchOverheadTest, PrintsCsv) {
  const ToolResult result = Compare({"--csv", "--filter=overhead/submission"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_THAT(result.out, testing::MatchesRegex("name,halyard_ns,raw_ns,ratio,target,met\n"
                                                "overhead/submission,[0-9.e+]+,[0-9.e+]+,[0-9.e+-]+,"
                                                "≤ raw \\+ 800 ns,(yes|NO)\n"));
}

TEST(BenchOverheadTest, RefusesCsvAndJsonAtOnce) {
  ExpectRefused(RunProgram("halyard-bench", {"--device=local", "--csv", "--json"}), ExitCode::kUsage,
                {"--csv and --json cannot be given together"});
}

TEST(BenchOverheadTest, IsOfferedWhereThereIsACounterpart) {
  const ToolResult result = Compare({"--list"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_THAT(result.out, AllOf(HasSubstr("overhead/graph_chain/"), HasSubstr("barrier/submit_and_wait")));
  const ToolResult local = RunProgram("halyard-bench", {"--device=local://sync", "--list"});
  EXPECT_THAT(local.out, Not(HasSubstr("overhead/")));
}

TEST(BenchOverheadTest, ContinuesAfterALineThatFails) {
  const ToolResult result =
      Compare({"--json", "--filter=overhead/(alloca_64|release/)"}, {"HALYARD_SIM_MEMORY=67108864"});
  EXPECT_EQ(result.exit, static_cast<int>(ExitCode::kRun));
  const Json lines = Json::parse(result.out).at("benchmarks");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(std::string(lines[0].at("error_message")), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
  ExpectBothFigures(lines[1]);
}

// As scripts/gpu_check.sh compares the two drivers: HIP's functions lead to CUDA.
TEST(BenchOverheadTest, ComparesAnotherDriverWithTheSameApi) {
  const ToolResult result = RunProgram(
      "halyard-bench",
      {"--device=hip://0", "--counterpart=cuda", "--turns=1", "--json", "--filter=overhead/(submission|graph)"},
      {"HALYARD_HIP_LIBRARY=" HALYARD_HIP_ON_CUDA_LIBRARY, "HALYARD_CUDA_LIBRARY=" HALYARD_SIM_LIBRARY,
       "HALYARD_HIP_ON_CUDA_KERNELS=" HALYARD_SIM_KERNEL_DIR, "HALYARD_SIM_KERNELS=" HALYARD_SIM_KERNEL_DIR,
       "HALYARD_SIM_DELAY=0"});
  EXPECT_EQ(result.exit, 0) << result.error;
  const Json lines = Json::parse(result.out).at("benchmarks");
  EXPECT_EQ(lines.size(), 8u);
  for (const Json& line : lines) ExpectBothFigures(line);
}

TEST(BenchOverheadTest, RefusesACounterpartThatItDoesNotHave) {
  ExpectRefused(RunProgram("halyard-bench", {"--device=local://sync", "--counterpart=punch"}), ExitCode::kUsage,
                {"--counterpart takes 'cuda', not 'punch'"});
}

TEST(BenchOverheadTest, RefusesNoTurnsAtAll) {
  ExpectRefused(RunProgram("halyard-bench", {"--device=local", "--turns=0"}), ExitCode::kUsage,
                {"--turns takes a number from 1"});
}

}  // namespace
}  // namespace halyard::tools

#endif  // HALYARD_SIM_LIBRARY
