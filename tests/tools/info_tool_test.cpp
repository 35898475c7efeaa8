// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-info as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/json.h"
#include "tool_process.h"

namespace halyard::tools {
namespace {

using testing::HasSubstr;

const Json* Find(const Json& list, const char* key, const char* value) {
  const auto found = std::ranges::find_if(list, [&](const Json& item) { return item.at(key) == value; });
  return found == list.end() ? nullptr : &*found;
}

TEST(InfoToolTest, ShowsDriversAndDevicesAtAGlance) {
  const ToolResult result = RunProgram("halyard-info", {});
  ExpectSuccess(result);
  for (const char* words : {"local://task", "local://sync", "queues", "memory heap 0", "device-local", "storage",
                            "host-shared-object", "halyard.fault_injection", "kind                cpu", "architecture",
                            "available", "local://sync: the same hardware"}) {
    EXPECT_THAT(result.out, HasSubstr(words));
  }
}

TEST(InfoToolTest, TellsProgramsTheSame) {
  const ToolResult result = RunProgram("halyard-info", {"--json"});
  ExpectSuccess(result);
  const Json document = Json::parse(result.out);
  const Json* const driver = Find(document.at("drivers"), "name", "local");
  ASSERT_NE(driver, nullptr);
  EXPECT_TRUE(driver->at("available"));
  const Json* const device = Find(driver->at("devices"), "uri", "local://task");
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(device->at("queues"), 4);
  EXPECT_GT(device->at("heaps").at(0).at("capacity"), 0);
  EXPECT_GT(device->at("limits").at("max_bindings"), 0);
  EXPECT_EQ(device->at("limits").at("binding_alignment"), 1);
  EXPECT_GT(device->at("heaps").at(0).at("available"), 0);
  EXPECT_EQ(device->at("properties").at("kind"), "cpu");
  EXPECT_GT(device->at("properties").at("compute_units"), 0);
  EXPECT_TRUE(device->at("properties").at("pci_address").is_null());
  EXPECT_EQ(device->at("formats").at(0), "host-shared-object");
  EXPECT_EQ(device->at("extensions").at(0).at("version"), 1);
  EXPECT_EQ(device->at("peers").at(0).at("uri"), "local://sync");
}

TEST(InfoToolTest, ShowsWhatConnectsTheDevices) {
  const ToolResult text = RunProgram("halyard-info", {"--topology"});
  ExpectSuccess(text);
  EXPECT_NE(text.out.find("local://sync"), std::string::npos);
  EXPECT_NE(text.out.find("direct/same 0 aw"), std::string::npos) << text.out;
  const ToolResult result = RunProgram("halyard-info", {"--topology", "--json"});
  ExpectSuccess(result);
  const Json matrix = Json::parse(result.out).at("topology");
  const Json* const row = Find(matrix, "uri", "local://task");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->at("others").size(), matrix.size());
  EXPECT_EQ(Find(row->at("others"), "uri", "local://task")->at("copy_route"), "direct");
  const Json& sibling = *Find(row->at("others"), "uri", "local://sync");
  EXPECT_EQ(sibling.at("copy_route"), "host");
  EXPECT_EQ(sibling.at("share"), "all");
  EXPECT_EQ(sibling.at("link"), "same");
  EXPECT_EQ(sibling.at("native_waits"), true);
  EXPECT_EQ(sibling.at("memory_handles").at(0), "host-pointer");
  ExpectRefused(RunProgram("halyard-info", {"--topology", "--device=local"}), ExitCode::kUsage, {"leave --device out"});
}

TEST(InfoToolTest, ShowsOneDevice) {
  const ToolResult result = RunProgram("halyard-info", {"--device=local://sync?queues=3", "--json"});
  ExpectSuccess(result);
  const Json document = Json::parse(result.out);
  EXPECT_EQ(document.at("id"), "sync");
  EXPECT_EQ(document.at("queues"), 3);
}

TEST(InfoToolTest, NamesWhatWasMeant) {
  ExpectRefused(RunProgram("halyard-info", {"--device=locl"}), ExitCode::kDevice,
                {"cannot open the device 'locl'", "did you mean 'local'?"});
  ExpectRefused(RunProgram("halyard-info", {"--device=local://tusk"}), ExitCode::kDevice, {"did you mean", "task"});
  ExpectRefused(RunProgram("halyard-info", {"--devise=local"}), ExitCode::kUsage,
                {"unknown option '--devise'; did you mean '--device'?", "Try 'halyard-info --help'"});
}

TEST(InfoToolTest, SaysWhyADriverCannotBeUsed) {
  constexpr const char* kPlugin = "--plugin=" HALYARD_TOOL_TEST_PLUGIN;
  constexpr const char* kWords = "cannot load 'libabsent.so.1': no such file";
  const ToolResult text = RunProgram("halyard-info", {kPlugin});
  ExpectSuccess(text);
  EXPECT_THAT(text.out, HasSubstr("absent  needs libabsent (plugin)"));
  EXPECT_THAT(text.out, HasSubstr(kWords));

  const ToolResult result = RunProgram("halyard-info", {kPlugin, "--json"});
  ExpectSuccess(result);
  const Json document = Json::parse(result.out);
  const Json* const driver = Find(document.at("drivers"), "name", "absent");
  ASSERT_NE(driver, nullptr);
  EXPECT_FALSE(driver->at("available"));
  EXPECT_EQ(driver->at("reason").at("status"), "UNAVAILABLE");
  EXPECT_THAT(std::string(driver->at("reason").at("message")), HasSubstr(kWords));

  ExpectRefused(RunProgram("halyard-info", {kPlugin, "--device=absent"}), ExitCode::kDevice, {kWords, "UNAVAILABLE"});
}

TEST(InfoToolTest, RefusesAPluginThatIsNone) {
  ExpectRefused(RunProgram("halyard-info", {"--plugin=missing.so"}), ExitCode::kDevice,
                {"cannot load the driver 'missing.so'", "NOT_FOUND"});
  ExpectRefused(RunProgram("halyard-info", {"--plugin=" HALYARD_TOOL_TEST_KERNELS}), ExitCode::kDevice,
                {"cannot load the driver", "INCOMPATIBLE"});
}

}  // namespace
}  // namespace halyard::tools
