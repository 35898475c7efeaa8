// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-pack as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/json.h"
#include "temporary_folder.h"
#include "tool_process.h"

namespace halyard::tools {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kLocal = "--local=" HALYARD_TOOL_TEST_KERNELS;
constexpr const char* kExports = "--exports=" HALYARD_TOOL_TEST_DATA "/exports.json";

ToolResult Pack(const std::vector<std::string>& arguments) { return RunProgram("halyard-pack", arguments); }

TEST(PackToolTest, MakesAFileAndShowsIt) {
  const TemporaryFolder folder;
  const std::string file = folder / "kernels.halx";
  const ToolResult packed = Pack({kLocal, kExports, "-o", file});
  ExpectSuccess(packed);
  EXPECT_THAT(packed.out, HasSubstr("4 exports, 1 variant"));
  const ToolResult dumped = Pack({"--dump=" + file});
  ExpectSuccess(dumped);
  for (const char* words : {"export 0: saxpy", "workgroup size    4 x 1 x 1", "constant, 4 bytes at 0",
                            "binding 0 of set 1, write", "variant 0: host-shared-object", "saxpy_f32"}) {
    EXPECT_THAT(dumped.out, HasSubstr(words));
  }
}

TEST(PackToolTest, WhatItShowsCanBePackedAgain) {
  const TemporaryFolder folder;
  const std::string first = folder / "first.halx";
  const ToolResult dump = Pack({kLocal, kExports, "--output=" + first, "--json"});
  ExpectSuccess(dump);
  Json document = Json::parse(dump.out);
  for (size_t i = 0; i < 4; ++i) {
    document["exports"][i]["symbol"] = document.at("variants").at(0).at("symbols").at(i);
  }
  const std::string exports = folder.Write("exports.json", JsonText({{"exports", document.at("exports")}}));
  ExpectSuccess(Pack({kLocal, "--exports=" + exports, "--output=" + (folder / "second.halx")}));
  EXPECT_EQ(ReadText(first), ReadText(folder / "second.halx"));
}

TEST(PackToolTest, HoldsSeveralImages) {
  const TemporaryFolder folder;
  const std::string file = folder / "kernels.halx";
  const std::string ptx = folder.Write("kernels.ptx", "// A comment.\n.version 7.0\n.target sm_70, debug\n");
  ExpectSuccess(Pack({kLocal, "--image=" + ptx, "--image=metallib=" + ptx, kExports, "-o", file}));
  const ToolResult dumped = Pack({"--dump", file, "--json"});
  ExpectSuccess(dumped);
  const Json variants = Json::parse(dumped.out).at("variants");
  ASSERT_EQ(variants.size(), 3u);
  EXPECT_EQ(variants.at(1).at("format"), "ptx");
  EXPECT_EQ(variants.at(1).at("target"), "sm_70");
  EXPECT_EQ(variants.at(2).at("target"), "");
}

TEST(PackToolTest, RefusesACommandLineThatMakesNoSense) {
  ExpectRefused(Pack({}), ExitCode::kUsage, {"an image is missing"});
  ExpectRefused(Pack({kLocal}), ExitCode::kUsage, {"--exports=FILE, or --mlir=FILE is missing"});
  ExpectRefused(Pack({kLocal, kExports}), ExitCode::kUsage, {"--output=FILE is missing"});
  ExpectRefused(Pack({kLocal, "--dump=x.halx"}), ExitCode::kUsage, {"does not go together"});
  ExpectRefused(Pack({"--image=ptx="}), ExitCode::kUsage, {"--image"});
}

TEST(PackToolTest, RefusesBadInputAndWritesNothing) {
  const TemporaryFolder folder;
  const TemporaryFolder inputs;
  const std::string output = "--output=" + (folder / "kernels.halx");
  const std::string text = inputs.Write("kernels.c", "int main() {}");
  const std::string wrong = inputs.Write("wrong.json", R"({"exports": [{"name": "saxpy_f23"}]})");
  const std::string stray = inputs.Write("stray.json", R"({"exports": [{"name": "fail", "symbols": {"ptx": "f"}}]})");
  ExpectRefused(Pack({"--local=" + text, kExports, output}), ExitCode::kInput, {"no kind of image that is known", "host-shared-object"});
  ExpectRefused(Pack({"--local=missing.so", kExports, output}), ExitCode::kInput, {"missing.so", "No such file"});
  ExpectRefused(Pack({"--local=" + inputs.Write("empty.so", ""), kExports, output}), ExitCode::kInput, {"is empty"});
  const std::string cut = inputs.Write("cut.so", ReadText(HALYARD_TOOL_TEST_KERNELS).substr(0, 1000));
  ExpectRefused(Pack({"--local=" + cut, kExports, output}), ExitCode::kInput, {"cut.so", "segment"});
  ExpectRefused(Pack({"--image=" + text, kExports, output}), ExitCode::kInput, {"no kind of image that is known"});
  ExpectRefused(Pack({"--image=host-shared-object/z80=" HALYARD_TOOL_TEST_KERNELS, kExports, output}), ExitCode::kInput,
                {"not for 'z80'"});
  ExpectRefused(Pack({"--image=p t x=" + text, kExports, output}), ExitCode::kInput, {"variants[0].format"});
  ExpectRefused(Pack({kLocal, "--exports=" + wrong, output}), ExitCode::kInput,
                {"no symbol 'saxpy_f23'", "did you mean 'saxpy_f32'?"});
  ExpectRefused(Pack({kLocal, "--exports=" + stray, output}), ExitCode::kInput, {"a format that no image has"});
  ExpectRefused(Pack({kLocal, "--exports=" + text, output}), ExitCode::kInput, {"is no JSON"});
  EXPECT_THAT(folder.Names(), IsEmpty());
}

TEST(PackToolTest, KeepsTheOldFileIfTheNewOneFails) {
  const TemporaryFolder folder;
  const std::string file = folder.Write("kernels.halx", "old");
  ExpectRefused(Pack({"--local=missing.so", kExports, "-o", file}), ExitCode::kInput, {});
  EXPECT_EQ(ReadText(file), "old");
}

TEST(PackToolTest, RefusesToShowWhatIsDamaged) {
  const TemporaryFolder folder;
  const std::string file = folder / "kernels.halx";
  ExpectSuccess(Pack({kLocal, kExports, "-o", file}));
  std::string bytes = ReadText(file);
  ExpectRefused(Pack({"--dump=" + folder.Write("cut.halx", bytes.substr(0, 2000))}), ExitCode::kInput,
                {"cut.halx", "DATA_LOSS"});
  bytes.back() = static_cast<char>(bytes.back() + 1);
  ExpectRefused(Pack({"--dump=" + folder.Write("changed.halx", bytes)}), ExitCode::kInput,
                {"changed.halx", "variants[0].image", "DATA_LOSS"});
  ExpectRefused(Pack({"--dump=" HALYARD_TOOL_TEST_KERNELS}), ExitCode::kInput, {"not an executable file"});
}

}  // namespace
}  // namespace halyard::tools
