// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-run --specialize: constants by number and by name, of images that tell them and of images that do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/input_file.h"
#include "support/json.h"
#include "support/program/command.h"
#include "support/temporary_files.h"
#include "support/text.h"
#include "tools/tool_process.h"

namespace halyard::tools {
namespace {

using testing::HasSubstr;

constexpr const char* kTyped = HALYARD_REFLECTION_IMAGES "/glslang12_typed.spv";
constexpr const char* kWidths = HALYARD_REFLECTION_IMAGES "/glslang12_widths.spv";

class RunSpecializeTest : public testing::Test {
 protected:
  void SetUp() override {
    const ToolResult packed = RunProgram("halyard-pack", {std::string("--spirv=") + kTyped, "--output=" + file_});
    ExpectSuccess(packed);
  }

  ToolResult Run(const std::string& device, const std::vector<std::string>& specializations) const {
    std::vector<std::string> arguments = {
        "--device=" + device, "--executable=" + file_,           "--workgroups=1",       "--constant=f32:8",
        "--constant=i32:1",   "--constant=hex:0300000004000000", "--workgroup-size=8,4", "--output=-",
        "--input=f32[9,4]=0"};
    for (const std::string& value : specializations) arguments.push_back("--specialize=" + value);
    return RunProgram("halyard-run", arguments);
  }

  void ExpectUsage(const std::vector<std::string>& specializations, const std::vector<std::string>& words) const {
    ExpectRefused(Run("null", specializations), ExitCode::kUsage, words);
  }

  const TemporaryFolder folder_;
  const std::string file_ = folder_ / "typed.halx";
};

TEST_F(RunSpecializeTest, ReachesTheKernel) {
  const ToolResult devices = RunProgram("halyard-info", {});
  if (devices.out.find("\nvulkan") == std::string::npos) GTEST_SKIP() << "no Vulkan device";
  const auto last_row = [&](const std::vector<std::string>& specializations) {
    const ToolResult result = Run("vulkan", specializations);
    ExpectSuccess(result);
    const size_t begin = result.out.rfind('[');
    return result.out.substr(begin, result.out.rfind(']') - begin + 1);
  };
  EXPECT_EQ(last_row({}), "[0.5 -2 3 4]");
  EXPECT_EQ(last_row({"factor=0.25", "first=-7"}), "[0.25 -6 3 4]");
  EXPECT_EQ(last_row({"4=2", "is_swapped=false", "6=0x10:u32"}), "[8 17 3 4]");
}

// Of a file that was packed with the defaults: 4 weights and workgroups of a size that each dispatch says.
TEST_F(RunSpecializeTest, SizesFollow) {
  const std::string lengths = folder_ / "lengths.halx";
  ExpectSuccess(RunProgram("halyard-pack",
                           {"--spirv=" HALYARD_REFLECTION_IMAGES "/glslang12_lengths.spv", "--output=" + lengths}));
  const auto run = [&](const std::string& size, size_t weights, const std::vector<std::string>& specializations) {
    std::vector<std::string> arguments = {"--device=null",
                                          "--executable=" + lengths,
                                          "--workgroups=1",
                                          "--constant=f32:1",
                                          "--constant=hex:" + std::string(8 * weights, '0'),
                                          "--input=f32[64]=0"};
    if (!size.empty()) arguments.push_back("--workgroup-size=" + size);
    for (const std::string& value : specializations) arguments.push_back("--specialize=" + value);
    return RunProgram("halyard-run", arguments);
  };
  ExpectSuccess(run("64", 4, {}));
  ExpectSuccess(run("64", 8, {"COUNT=8"}));
  EXPECT_NE(run("64", 4, {"COUNT=8"}).exit, 0) << "it takes 8 weights";
  ExpectSuccess(run("", 4, {"BLOCK=32"}));
  ExpectSuccess(run("32", 4, {"BLOCK=32"}));
  ExpectRefused(run("64", 4, {"BLOCK=32"}), ExitCode::kUsage,
                {"--workgroup-size=64,1,1 contradicts --specialize=BLOCK=32: with that 'lengths' runs in workgroups of "
                 "(32, 1, 1) alone"});
}

// The file has the size that a side has by default, 8 x 2; the value 2 makes it 4 x 2.
TEST_F(RunSpecializeTest, AComputedSideFollows) {
  const std::string file = folder_ / "side.halx";
  ExpectSuccess(
      RunProgram("halyard-pack", {"--spirv=" HALYARD_REFLECTION_IMAGES "/computed_side.spv", "--output=" + file}));
  const auto run = [&](const std::string& size, const std::vector<std::string>& specializations) {
    std::vector<std::string> arguments = {"--device=null", "--executable=" + file, "--workgroups=1",
                                          "--workgroup-size=" + size, "--input=u32[32]=0"};
    for (const std::string& value : specializations) arguments.push_back("--specialize=" + value);
    return RunProgram("halyard-run", arguments);
  };
  ExpectSuccess(run("8,2", {}));
  ExpectSuccess(run("4,2", {"9=2"}));
  const ToolResult refused = run("8,2", {"9=2"});
  EXPECT_NE(refused.exit, 0);
  EXPECT_THAT(refused.error, HasSubstr("(4, 2, 1)"));
}

TEST_F(RunSpecializeTest, NamesWhatDoesNotExist) {
  ExpectUsage({"factr=1"},
              {"--specialize=factr=1: '", "has no specialisation constant 'factr'; did you mean 'factor'?"});
  ExpectUsage({"7=1"}, {"has no specialisation constant '7'; known: 0 'block' (si32), 4 'factor' (f32), "
                        "5 'is_swapped' (i1), 6 'first' (si32)"});
  ExpectUsage({"99999999999=1"}, {"has no specialisation constant '99999999999'"});
}

TEST_F(RunSpecializeTest, ChecksValuesAgainstTheirTypes) {
  ExpectUsage({"first=2147483648"}, {"--specialize=first=2147483648: ", "out of range for si32"});
  ExpectUsage({"first=1.5"}, {"--specialize=first=1.5: "});
  ExpectUsage({"is_swapped=2"}, {"--specialize=is_swapped=2: "});
  ExpectUsage({"factor=x"}, {"--specialize=factor=x: "});
  ExpectUsage({"factor=1:f64"}, {"constant 4 ('factor') is f32, not f64"});
  ExpectUsage({"factor=1:float"}, {"float"});
}

TEST_F(RunSpecializeTest, TakesEachConstantOnce) {
  ExpectUsage({"factor=1", "4=2"}, {"--specialize=4=2: constant 4 is given twice"});
}

TEST_F(RunSpecializeTest, NeedsAConstantAndAValue) {
  for (const char* const text : {"factor", "factor=", "=1", "factor=:f32"}) {
    ExpectUsage({text}, {"--specialize takes ID=VALUE, NAME=VALUE or ID=VALUE:TYPE, as in BLOCK=64, not '"});
  }
}

TEST_F(RunSpecializeTest, ImagesThatDoNotTellNeedATypeAndANumber) {
  const auto expect_usage = [](const std::string& value) {
    ExpectRefused(RunProgram("halyard-run", {"--device=local", "--executable=" HALYARD_TOOL_TEST_KERNELS,
                                             "--exports=" HALYARD_TOOL_TEST_DATA "/exports.json", "--function=saxpy",
                                             "--workgroups=1", "--specialize=" + value}),
                  ExitCode::kUsage,
                  {"does not tell its specialisation constants; write ID=VALUE:TYPE, as in 0=64:u32"});
  };
  expect_usage("0=1");
  expect_usage("block=1:u32");
  ExpectRefused(RunProgram("halyard-run", {"--device=local", "--executable=" HALYARD_TOOL_TEST_KERNELS,
                                           "--exports=" HALYARD_TOOL_TEST_DATA "/exports.json", "--function=saxpy",
                                           "--workgroups=1", "--specialize=0=1:u32"}),
                ExitCode::kInput, {"specialisation constants"});
}

// A description has names, types and values for an image, and --specialize overrules it.
class DescribedConstantsTest : public testing::Test {
 protected:
  std::string Describe(const std::string& constants) const {
    return folder_.Write("description.json", R"({"specialization_constants": )" + constants + "}");
  }
  ToolResult Run(const std::string& description, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {
        "--device=null",           "--executable=" + std::string(kTyped), "--workgroups=1",       "--constant=f32:8",
        "--constant=i32:1",        "--constant=hex:0300000004000000",     "--workgroup-size=8,4", "--input=f32[9,4]=0",
        "--exports=" + description};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunProgram("halyard-run", arguments);
  }
  /// What halyard-pack says of the constants of a file.
  std::string Dumped(const std::string& file) const {
    std::string text;
    const Json file_json = Json::parse(RunProgram("halyard-pack", {"--dump=" + file, "--json"}).out);
    for (const Json& one : file_json.at("variants").at(0).at("reflection").at("specialization_constants")) {
      text += one.at("name").get<std::string>() + "=" + one.at("default").get<std::string>() + " ";
    }
    return text;
  }

  const TemporaryFolder folder_;
  const std::string file_ = folder_ / "typed.halx";
};

TEST_F(DescribedConstantsTest, AreTheDefaultsOfWhatIsPacked) {
  const std::string description =
      Describe(R"([{"id": 0, "type": "u32", "value": 32}, {"name": "factor", "type": "f32", "value": 0.25}, )"
               R"({"id": 5, "name": "is_swapped", "value": false}, {"name": "first", "value": "-7"}])");
  const std::vector<std::string> pack = {std::string("--spirv=") + kTyped, "--exports=" + description,
                                         "--output=" + file_};
  ExpectSuccess(RunProgram("halyard-pack", pack));
  EXPECT_EQ(Dumped(file_), "block=32 factor=0.25 is_swapped=0 first=-7 ");
  const std::string source = folder_ / "typed.metal.halx";
  ExpectSuccess(
      RunProgram("halyard-pack", {std::string("--metal=") + kTyped, "--exports=" + description, "--output=" + source}));
  const std::vector<std::byte> bytes = ReadFile(source);
  EXPECT_THAT(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
              HasSubstr("? function_constant_4_float : 0.25"));
  const std::string again = Describe(R"([{"id": 5, "value": true}])");
  ExpectSuccess(RunProgram("halyard-pack",
                           {std::string("--spirv=") + kTyped, "--exports=" + again, "--force", "--output=" + file_}));
  EXPECT_EQ(Dumped(file_), "block=64 factor=0.5 is_swapped=1 first=-3 ") << "the others are the module's";
}

// A pipe can be read only once, and exports and constants are both read of it.
TEST_F(DescribedConstantsTest, ComeThroughPipes) {
  const std::string description = Describe(R"([{"id": 0, "value": 32}])");
  RunCommand({"/bin/sh", "-c",
              Concat("cat '", description, "' | '", HALYARD_TOOL_FOLDER, "/halyard-pack' --spirv='", kTyped,
                     "' --exports=/dev/stdin --output='", file_, "'")},
             WorkFolder());
  EXPECT_THAT(Dumped(file_), testing::StartsWith("block=32 "));
}

TEST_F(DescribedConstantsTest, AreHeldAgainstTheModule) {
  const auto expect_refused = [&](const std::string& constants, const std::string& why) {
    const std::string description = Describe(constants);
    ExpectRefused(
        RunProgram("halyard-pack", {std::string("--spirv=") + kTyped, "--exports=" + description, "--output=" + file_}),
        ExitCode::kInput, {why});
    ExpectRefused(Run(description), ExitCode::kInput, {});
  };
  expect_refused(R"([{"id": 9, "value": 1}])",
                 "specialization_constants[0]: no SPIR-V among the images has a specialisation constant '9'");
  expect_refused(R"([{"id": 4, "name": "gain", "value": 1}])", "constant 4 is called 'factor', not 'gain'");
  expect_refused(R"([{"id": 4, "type": "f64", "value": 1}])", "constant 4 ('factor') is f32, not f64");
  expect_refused(R"([{"id": 6, "value": 2147483648}])", "out of range for si32");
  expect_refused(R"([{"value": 1}])", R"(has neither "id" nor "name")");
  expect_refused(R"([{"id": 4}])", "value");
  expect_refused(R"([{"id": 4, "value": [1]}])", "specialization_constants[0].value");
  expect_refused(R"([{"id": 4, "values": 1}])", "values");
  expect_refused(R"({"id": 4})", "specialization_constants");
}

TEST_F(DescribedConstantsTest, HaveEveryWidth) {
  const auto pack = [&](const std::string& constants) {
    ExpectSuccess(RunProgram("halyard-pack", {std::string("--spirv=") + kWidths, "--exports=" + Describe(constants),
                                              "--force", "--output=" + file_}));
    return Dumped(file_);
  };
  EXPECT_EQ(pack("[]"),
            "block=1 flag=1 s8=-8 u8=200 s16=-1600 u16=60000 s64=-64000000000 u64=18000000000000000000 f16=0.5 "
            "f64=0.125 ");
  EXPECT_EQ(pack(R"([{"id": 1, "value": false}, {"id": 2, "value": -128}, {"id": 3, "value": 255},
                     {"name": "s16", "value": -32768}, {"name": "u16", "value": 65535},
                     {"id": 6, "value": -9223372036854775808}, {"id": 7, "value": 18446744073709551615},
                     {"id": 8, "value": -65504}, {"id": 9, "value": 1e300}])"),
            "block=1 flag=0 s8=-128 u8=255 s16=-32768 u16=65535 s64=-9223372036854775808 u64=18446744073709551615 "
            "f16=-65504 f64=1e+300 ");
  EXPECT_EQ(pack(R"([{"id": 1, "type": "i1", "value": "true"}, {"id": 2, "type": "ui8", "value": "0xff"},
                     {"id": 4, "type": "f16", "value": 1}, {"id": 6, "type": "f64", "value": 1}])"),
            "block=1 flag=1 s8=-1 u8=200 s16=15360 u16=60000 s64=4607182418800017408 u64=18000000000000000000 f16=0.5 "
            "f64=0.125 ")
      << "a type of the same width has the same bits";
}

TEST_F(DescribedConstantsTest, FitIntoTheirWidths) {
  const auto expect_refused = [&](const std::string& constant, const std::string& why) {
    const std::string description = Describe("[" + constant + "]");
    ExpectRefused(RunProgram("halyard-pack",
                             {std::string("--spirv=") + kWidths, "--exports=" + description, "--output=" + file_}),
                  ExitCode::kInput, {"specialization_constants[0]: ", why});
  };
  expect_refused(R"({"id": 1, "value": 2})", "'2' is no value (true or false) for i1");
  expect_refused(R"({"id": 1, "type": "ui8", "value": 1})", "constant 1 ('flag') is i1, not ui8");
  expect_refused(R"({"id": 2, "value": 128})", "'128' is out of range for si8");
  expect_refused(R"({"id": 2, "value": -129})", "'-129' is out of range for si8");
  expect_refused(R"({"id": 3, "value": 256})", "'256' is out of range for ui8");
  expect_refused(R"({"id": 3, "value": -1})", "'-1' is out of range for ui8");
  expect_refused(R"({"id": 4, "value": 32768})", "'32768' is out of range for si16");
  expect_refused(R"({"id": 5, "value": 65536})", "'65536' is out of range for ui16");
  expect_refused(R"({"id": 6, "value": "9223372036854775808"})", "'9223372036854775808' is out of range for si64");
  expect_refused(R"({"id": 7, "value": "18446744073709551616"})", "'18446744073709551616' is no value for ui64");
  expect_refused(R"({"id": 7, "value": 18446744073709551616})", "for ui64");
  expect_refused(R"({"id": 8, "value": 65520})", "'65520' is out of range for f16");
  expect_refused(R"({"id": 2, "type": "si16", "value": 1})", "constant 2 ('s8') is si8, not si16");
  expect_refused(R"({"id": 8, "type": "complex<f16>", "value": 1})", "constant 8 ('f16') is f16, not complex<f16>");
  expect_refused(R"({"id": 2, "type": "i24", "value": 1})", "constant 2 ('s8') is si8, not i24");
  expect_refused(R"({"id": 0, "type": "i24", "value": 1})", "constant 0 ('block') is ui32, not i24");
  expect_refused(R"({"id": 6, "type": "complex<f64>", "value": 1})", "more than the 8 bytes");
}

// SPIR-V with such a default could be packed, and no device would take it.
TEST_F(DescribedConstantsTest, GiveWorkgroupsWorkItems) {
  const std::string description = Describe(R"([{"id": 3, "value": 0}])");
  ExpectRefused(RunProgram("halyard-pack", {"--spirv=" HALYARD_REFLECTION_IMAGES "/glslang12_sized.spv",
                                            "--exports=" + description, "--output=" + file_}),
                ExitCode::kInput, {"specialization_constants[0]: ", "kernel 'sized': ", "a side of a workgroup is 0"});
}

TEST_F(DescribedConstantsTest, AreThoseOfAnImageThatIsRun) {
  const std::string description = Describe(R"([{"id": 4, "name": "factor", "type": "f32", "value": 0.5}])");
  ExpectSuccess(Run(description));
  ExpectSuccess(Run(description, {"--specialize=factor=2"}));
  const std::string twice = Describe(R"([{"id": 4, "value": 0.5}, {"name": "factor", "value": 1}])");
  ExpectRefused(Run(twice), ExitCode::kInput, {"specialization_constants[1]: constant 4 is given twice"});
}

// A name of a description stands for its number where an image does not tell.
TEST_F(DescribedConstantsTest, NameTheConstantsOfOtherImages) {
  const std::string exports = folder_.Write(
      "other.json",
      R"({"exports": [{"name": "saxpy", "convention": "workgroup", "workgroup_size": [64], "parameters": [)"
      R"({"kind": "binding", "binding": 0}]}], "specialization_constants": [)"
      R"({"id": 7, "name": "gain", "type": "f32", "value": 1.5}]})");
  const std::vector<std::string> run = {"--device=local",       "--executable=" HALYARD_TOOL_TEST_KERNELS,
                                        "--exports=" + exports, "--function=saxpy",
                                        "--workgroups=1",       "--input=f32[64]=0"};
  const auto with = [&](const std::string& more) {
    std::vector<std::string> arguments = run;
    arguments.push_back(more);
    return RunProgram("halyard-run", arguments);
  };
  ExpectRefused(with("--specialize=gian=2"), ExitCode::kUsage, {"no specialisation constant 'gian'", "gain"});
  ExpectRefused(with("--specialize=gain=x"), ExitCode::kUsage, {"--specialize=gain=x: "});
  ExpectRefused(with("--specialize=gain=2"), ExitCode::kInput, {"specialisation constants"});
}

}  // namespace
}  // namespace halyard::tools
