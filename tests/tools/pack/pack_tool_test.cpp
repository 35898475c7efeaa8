// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-pack as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/json.h"
#include "support/temporary_files.h"
#include "tools/tool_process.h"

namespace halyard::tools {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kLocal = "--local=" HALYARD_TOOL_TEST_KERNELS;

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

TEST(PackToolTest, ReplacesExecutableFilesAndOthersOnlyByForce) {
  const TemporaryFolder folder;
  const std::string file = folder.Write("settings", "do not lose me");
  ExpectRefused(Pack({kLocal, kExports, "-o", file}), ExitCode::kOutput,
                {"settings", "no executable file (.halx)", "--force"});
  EXPECT_EQ(ReadText(file), "do not lose me");
  ExpectSuccess(Pack({kLocal, kExports, "-o", file, "--force"}));
  ExpectSuccess(Pack({kLocal, kExports, "-o", file}));
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
  ExpectSuccess(Pack({kLocal, "--image=ptx/sm_70=" + ptx, "--image=metallib=" + ptx, kExports, "-o", file}));
  const ToolResult dumped = Pack({"--dump", file, "--json"});
  ExpectSuccess(dumped);
  const Json variants = Json::parse(dumped.out).at("variants");
  ASSERT_EQ(variants.size(), 3u);
  EXPECT_EQ(variants.at(1).at("format"), "ptx");
  EXPECT_EQ(variants.at(1).at("target"), "sm_70");
  EXPECT_EQ(variants.at(2).at("target"), "");
}

// They are neither read nor checked: what this machine knows of them is the machine that they are for.
TEST(PackToolTest, TakesLibrariesOfWindows) {
  const TemporaryFolder folder;
  const std::string file = folder / "kernels.halx";
  std::string library = "MZ" + std::string(58, '\0') + std::string("\x40\0\0\0", 4);
  library += std::string("PE\0\0\x64\x86", 6) + std::string(200, '\0');
  const std::string dll = "--local=" + folder.Write("kernels.dll", library);
  ExpectSuccess(Pack({kLocal, dll, kExports, "-o", file}));
  const Json variants = Json::parse(Pack({"--dump", file, "--json"}).out).at("variants");
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(variants.at(1).at("format"), "host-shared-object");
  EXPECT_EQ(variants.at(1).at("target"), "x86_64-windows");
  ExpectRefused(Pack({dll, "-o", file}), ExitCode::kInput, {"kernels.dll", "--exports"});
}

// What exports.json describes, as far as PTX tells it.
constexpr const char* kPtx = R"(.version 6.4
.target sm_70
.address_size 64
.visible .entry saxpy_f32(.param .f32 a, .param .u64 .ptr x, .param .u64 .ptr y) { ret; }
.visible .entry divide(.param .u64 .ptr a, .param .f32 b, .param .u64 .ptr c, .param .u64 .ptr d) { ret; }
.visible .entry ignore(.param .u64 .ptr a, .param .u64 .ptr b) { ret; }
.visible .entry fail() { ret; }
)";

TEST(PackToolTest, KnowsImagesOfEveryDevice) {
  const TemporaryFolder folder;
  const std::string ptx = folder.Write("kernels.ptx", kPtx);
  const std::string msl = folder.Write("kernels.metal", "kernel void f() {}\n");
  const std::string out = "--output=" + (folder / "kernels.halx");
  const ToolResult packed = Pack({"--cuda=" + ptx, "--metal=" + msl, kLocal, kExports, out, "--json"});
  ExpectSuccess(packed);
  const Json variants = Json::parse(packed.out).at("variants");
  EXPECT_EQ(variants.at(0).at("format"), "host-shared-object");
  EXPECT_EQ(variants.at(1).at("target"), "sm_70");
  EXPECT_EQ(variants.at(2).at("format"), "msl");
  ExpectRefused(Pack({"--hip=" + ptx, kExports, out}), ExitCode::kInput, {"is of format 'ptx'; expected hsaco"});
  ExpectRefused(Pack({"--cuda=sm_80:" + ptx, kExports, out}), ExitCode::kInput, {"is for 'sm_70', not for 'sm_80'"});
  ExpectRefused(Pack({"--spirv=" + msl, kExports, out}), ExitCode::kInput, {"no kind of image that is known"});
}

TEST(PackToolTest, RefusesSpirvThatIsNone) {
  const TemporaryFolder folder;
  const std::string out = "--output=" + (folder / "kernels.metal");
  const std::string head("\x03\x02\x23\x07\0\5\1\0\0\0\0\0\xff\xff\xff\xff\0\0\0\0", 20);
  for (const auto& [bytes, words] : std::vector<std::pair<std::string, std::string>>{
           {"12345678", "is no SPIR-V: it ends within its header"},
           {"12345", "no whole number of words"},
           {std::string(20, 'x'), "it begins otherwise"},
           {head, "the bound of ids is 4294967295"},
           {head.substr(0, 12) + std::string("\1\0\0\0\0\0\0\0\0\0\0\0", 12), "no valid SPIR-V"},
       }) {
    const ToolResult result = Pack({"--translate=" + folder.Write("k.spv", bytes), out});
    EXPECT_EQ(result.exit, static_cast<int>(ExitCode::kInput)) << words;
    EXPECT_THAT(result.error, testing::AnyOf(HasSubstr(words), HasSubstr("needs a build of this program")));
  }
}

TEST(PackToolTest, RefusesACommandLineThatMakesNoSense) {
  ExpectRefused(Pack({}), ExitCode::kUsage, {"an image is missing"});
  ExpectRefused(Pack({kLocal}), ExitCode::kUsage, {"--output=FILE is missing"});
  ExpectRefused(Pack({kLocal, kExports}), ExitCode::kUsage, {"--output=FILE is missing"});
  ExpectRefused(Pack({kLocal, "--dump=x.halx"}), ExitCode::kUsage, {"does not go together"});
  ExpectRefused(Pack({"--image=ptx="}), ExitCode::kUsage, {"--image"});
  ExpectRefused(Pack({"--translate=k.spv", kLocal, "-o", "k.metal"}), ExitCode::kUsage, {"--translate makes a source"});
  ExpectRefused(Pack({"--translate=k.spv", "--metal-version=3", "-o", "k.metal"}), ExitCode::kUsage, {"2.0 to 9.9"});
}

TEST(PackToolTest, RefusesBadInputAndWritesNothing) {
  const TemporaryFolder folder;
  const TemporaryFolder inputs;
  const std::string output = "--output=" + (folder / "kernels.halx");
  const std::string text = inputs.Write("kernels.c", "int main() {}");
  const std::string wrong = inputs.Write("wrong.json", R"({"exports": [{"name": "saxpy_f23"}]})");
  const std::string stray = inputs.Write("stray.json", R"({"exports": [{"name": "fail", "symbols": {"ptx": "f"}}]})");
  ExpectRefused(Pack({"--local=" + text, kExports, output}), ExitCode::kInput,
                {"no kind of image that is known", "host-shared-object"});
  ExpectRefused(Pack({"--local=missing.so", kExports, output}), ExitCode::kInput, {"missing.so", "No such file"});
  ExpectRefused(Pack({"--local=" + inputs.Write("empty.so", ""), kExports, output}), ExitCode::kInput, {"is empty"});
  const std::string cut = inputs.Write("cut.so", ReadText(HALYARD_TOOL_TEST_KERNELS).substr(0, 1000));
  ExpectRefused(Pack({"--local=" + cut, kExports, output}), ExitCode::kInput, {"cut.so", "e_shoff"});
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
  ExpectRefused(Pack({"--local=missing.so", kExports, "-o", file, "--force"}), ExitCode::kInput, {});
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
