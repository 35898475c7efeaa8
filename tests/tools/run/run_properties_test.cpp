// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-run --properties: what loaded exports take, without running one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/json.h"
#include "tools/tool_process.h"

namespace halyard::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ToolResult Show(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   {"--properties", "--device=local://sync", "--executable=" HALYARD_TOOL_TEST_KERNELS,
                    "--exports=" HALYARD_TOOL_TEST_DATA "/exports.json"});
  return RunProgram("halyard-run", arguments);
}

std::vector<std::string> Names(const Json& document) {
  std::vector<std::string> names;
  for (const Json& one : document.at("exports")) names.push_back(one.at("name"));
  return names;
}

TEST(RunPropertiesTest, ShowsAllExportsWithoutAName) {
  const ToolResult result = Show({});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("tool_test_kernels.so on local://sync (host CPU"));
  EXPECT_THAT(result.out, HasSubstr("export 0: saxpy\n  workgroup size     4 x 1 x 1\n"));
  EXPECT_THAT(result.out, HasSubstr("workgroup memory   0 bytes; a dispatch can ask for 256 KiB more"));
  EXPECT_THAT(result.out, HasSubstr("workgroups         1 at a time on each compute unit"));
  EXPECT_THAT(result.out, HasSubstr("export 3: fail\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("registers"))) << "the local driver does not know them";
}

TEST(RunPropertiesTest, TellsProgramsTheSame) {
  const Json document = Json::parse(Show({"--json"}).out);
  EXPECT_THAT(Names(document), ElementsAre("saxpy", "divide", "ignore", "fail"));
  const Json& saxpy = document.at("exports").at(0);
  EXPECT_EQ(saxpy.at("workgroup_size"), Json({4, 1, 1}));
  EXPECT_EQ(saxpy.at("preferred_multiple"), 1);
  EXPECT_EQ(saxpy.at("resident_workgroups"), 1);
  EXPECT_EQ(saxpy.at("register_count"), 0);
  EXPECT_EQ(saxpy.at("max_dynamic_local_memory"), 262144);
}

TEST(RunPropertiesTest, AsksForTheSizeAndMemoryOfTheCommandLine) {
  const ToolResult text = Show({"--function=saxpy", "--workgroup-size=8,2", "--local-memory=1024"});
  ExpectSuccess(text);
  EXPECT_THAT(text.out, HasSubstr("workgroup size     8 x 2 x 1\n"));
  EXPECT_THAT(text.out, HasSubstr("1 at a time on each compute unit, each with 1 KiB of dynamic memory"));
  const Json document =
      Json::parse(Show({"--json", "--function=divide", "--workgroup-size=8,2", "--local-memory=1024"}).out);
  EXPECT_THAT(Names(document), ElementsAre("divide"));
  EXPECT_EQ(document.at("exports").at(0).at("workgroup_size"), Json({8, 2, 1}));
  EXPECT_EQ(document.at("exports").at(0).at("dynamic_local_memory"), 1024);
}

TEST(RunPropertiesTest, WhatNoDispatchCanHaveIsRefused) {
  ExpectRefused(Show({"--local-memory=262145"}), ExitCode::kUsage, {"ask what 'saxpy' takes", "262144 bytes"});
  ExpectRefused(Show({"--workgroup-size=65536"}), ExitCode::kUsage, {"ask what 'saxpy' takes", "65535"});
  ExpectRefused(Show({"--function=saxpi"}), ExitCode::kInput, {"did you mean 'saxpy'?"});
}

TEST(RunPropertiesTest, OptionsOfARunAreRefused) {
  for (const char* const option : {"--workgroups=1", "--input=f32[4]=1", "--output=-", "--constant=u32:1",
                                   "--expect=x.npy", "--repeat=2", "--warmup=1", "--trace=trace.json"}) {
    const std::string name = std::string(option).substr(0, std::string(option).find('='));
    ExpectRefused(Show({option}), ExitCode::kUsage, {"--properties runs nothing; leave out " + name});
  }
  ExpectRefused(Show({"alpha=2"}), ExitCode::kUsage, {"leave out an argument by name"});
}

#ifdef HALYARD_SIM_LIBRARY

// A device that tells more: the simulated CUDA driver, with the kernels of the suite.
TEST(RunPropertiesTest, ShowsWhatADeviceKnows) {
  const ToolResult result = RunProgram(
      "halyard-run",
      {"--properties", "--json", "--device=cuda://0", "--executable=" HALYARD_KERNEL_DIR "/cts_dispatch.halx",
       "--function=reverse_dynamic", "--workgroup-size=64", "--local-memory=16384"},
      {"HALYARD_CUDA_LIBRARY=" HALYARD_SIM_LIBRARY, "HALYARD_SIM_KERNELS=" HALYARD_SIM_KERNEL_DIR});
  EXPECT_EQ(result.exit, 0) << result.error;  // where the simulation says its seed
  const Json shown = Json::parse(result.out).at("exports").at(0);
  EXPECT_EQ(shown.at("name"), "reverse_dynamic");
  EXPECT_GT(shown.at("register_count"), 0);
  EXPECT_EQ(shown.at("preferred_multiple"), 32);
  EXPECT_GT(shown.at("resident_workgroups"), 0);
  EXPECT_GE(shown.at("max_dynamic_local_memory"), 16384);
}

#endif  // HALYARD_SIM_LIBRARY

}  // namespace
}  // namespace halyard::tools
