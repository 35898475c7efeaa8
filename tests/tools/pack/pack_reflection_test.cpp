// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-pack with images that tell what they export, which compilers made
// (tests/unit/image/reflection/make_images.sh).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/json.h"
#include "support/temporary_files.h"
#include "tools/tool_process.h"

namespace halyard::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kImages = HALYARD_REFLECTION_IMAGES "/";

std::string Given(const std::string& option, const std::string& name) { return option + "=" + kImages + name; }

class PackReflectionTest : public testing::Test {
 protected:
  ToolResult Pack(std::vector<std::string> arguments) const {
    arguments.push_back("--output=" + file_);
    return RunProgram("halyard-pack", arguments);
  }
  Json Dump(const std::vector<std::string>& arguments) const {
    ExpectSuccess(Pack(arguments));
    const ToolResult dumped = RunProgram("halyard-pack", {"--dump=" + file_, "--json"});
    ExpectSuccess(dumped);
    return Json::parse(dumped.out);
  }
  void ExpectContradiction(const std::vector<std::string>& arguments, const std::vector<std::string>& words) const {
    ExpectRefused(Pack(arguments), ExitCode::kInput, words);
    EXPECT_THAT(folder_.Names(), IsEmpty());
  }
  std::string Describe(const std::string& exports) const {
    return "--exports=" + inputs_.Write("exports.json", R"({"exports": [)" + exports + "]}");
  }
  // PTX with one kernel.
  std::string Ptx(const std::string& name, const std::string& parameters, const std::string& directives = "") const {
    return "--cuda=" + inputs_.Write(name, ".version 8.0\n.target sm_" + name.substr(0, 2) + "\n.entry saxpy(" +
                                               parameters + ")" + directives + "{ ret; }\n");
  }

  const TemporaryFolder folder_;
  const TemporaryFolder inputs_;
  const std::string file_ = folder_ / "kernels.halx";
};

// "c4@0 r:b0 rw:b1"
std::string ParametersText(const Json& info) {
  std::string text;
  for (const Json& parameter : info.at("parameters")) {
    if (!text.empty()) text += " ";
    if (parameter.at("kind") == "constant") {
      text += "c" + parameter.at("size").dump() + "@" + parameter.at("offset").dump();
    } else {
      text += parameter.at("access").get<std::string>() + ":b" + parameter.at("binding").dump();
    }
  }
  return text;
}

std::vector<std::string> Variants(const Json& document) {
  std::vector<std::string> variants;
  for (const Json& variant : document.at("variants")) {
    variants.push_back(variant.at("format").get<std::string>() + "/" + variant.at("target").get<std::string>());
  }
  return variants;
}

constexpr const char* kMarked = ".param .f32 a, .param .u64 .ptr x, .param .u64 .ptr y, .param .u32 n";

TEST_F(PackReflectionTest, NeedsNoDescriptionIfTheImagesTell) {
  const Json document = Dump({Given("--cuda", "nvcc13_sm_90.ptx"), Given("--cuda", "nvcc13_sm_75.cubin")});
  EXPECT_THAT(Variants(document), ElementsAre("ptx/sm_90", "cubin/sm_75"));
  const Json& exports = document.at("exports");
  ASSERT_EQ(exports.size(), 2u);
  EXPECT_EQ(exports.at(0).at("name"), "saxpy");
  EXPECT_EQ(ParametersText(exports.at(0)), "c4@0 read_write:b0 read_write:b1 c4@4");
  EXPECT_EQ(exports.at(0).at("workgroup_size").at(0), 0);
  // The cubin alone would take the first two for bindings.
  EXPECT_EQ(ParametersText(exports.at(1)), "c8@0 c8@8 c1@16 read_write:b0");
  EXPECT_EQ(exports.at(1).at("local_memory_size"), 512);
}

TEST_F(PackReflectionTest, WhatOneImageKnowsTheOtherNeedNot) {
  const Json document = Dump({Given("--cuda", "clang19_sm_70.ptx"), Given("--hip", "clang19_gfx1100_v5.hsaco"),
                              Given("--hip", "clang19_gfx90a_features_v5.hsaco"),
                              Describe(R"({"name": "saxpy"}, {"name": "turn", "symbol": "reverse"})")});
  EXPECT_THAT(Variants(document), ElementsAre("ptx/sm_70", "hsaco/gfx1100", "hsaco/gfx90a:sramecc+:xnack-"));
  const Json& exports = document.at("exports");
  EXPECT_EQ(ParametersText(exports.at(0)), "c4@0 read:b0 read_write:b1 c4@4");
  EXPECT_EQ(exports.at(1).at("name"), "turn");
  EXPECT_EQ(exports.at(1).at("workgroup_size"), Json::array({128, 2, 1}));
  EXPECT_EQ(ParametersText(exports.at(1)), "c8@0 c8@8 c1@16 read_write:b0");
}

std::string EntryOf(const std::string& name) { return ".visible .entry " + name + "(.param .u64 .ptr x) { ret; }\n"; }

std::string PtxOf(const std::string& name, const std::string& target, const std::string& version) {
  return ".version " + version + "\n.target " + target + "\n" + EntryOf(name);
}

TEST_F(PackReflectionTest, ImagesForOneKindOfDeviceShareTheExports) {
  const std::string scale = "--cuda=" + inputs_.Write("scale.ptx", PtxOf("scale", "sm_70", "8.0"));
  const std::string add = "--cuda=" + inputs_.Write("add.ptx", PtxOf("add", "sm_70", "8.0"));
  const Json file = Dump({scale, add});
  EXPECT_EQ(file["version"], 3);
  ASSERT_EQ(file["exports"].size(), 2u);
  EXPECT_EQ(file["exports"][0]["name"], "scale");
  EXPECT_EQ(file["exports"][1]["name"], "add");
  ASSERT_EQ(file["variants"].size(), 2u);
  EXPECT_EQ(file["variants"][0]["symbols"], Json({"scale"}));
  EXPECT_EQ(file["variants"][1]["entry_points"][0]["export"], 1);
  const std::string again = "--cuda=" + inputs_.Write("again.ptx", PtxOf("add", "sm_70", "8.0"));
  ExpectRefused(Pack({scale, add, again}), ExitCode::kInput,
                {"kernel 'add' is in", "add.ptx", "again.ptx", "both ptx for sm_70"});
}

TEST_F(PackReflectionTest, AKindOfDeviceMayLackExportsIfThatIsAllowed) {
  const std::string both = "--cuda=" + inputs_.Write("both.ptx", PtxOf("add", "sm_80", "8.0") + EntryOf("scale"));
  const std::string add = "--cuda=" + inputs_.Write("add.ptx", PtxOf("add", "sm_70", "8.0"));
  ExpectRefused(Pack({both, add}), ExitCode::kInput,
                {"add.ptx", "has no kernel 'scale', which", "both.ptx", "--partial"});
  const Json file = Dump({both, add, "--partial"});
  EXPECT_EQ(file["variants"][0]["symbols"], Json({"add", "scale"}));
  EXPECT_EQ(file["variants"][1]["symbols"], Json({"add"}));
}

TEST_F(PackReflectionTest, GuessesAreToldAndKept) {
  const std::string cubin = Given("--cuda", "nvcc13_sm_75.cubin");
  const ToolResult packed = Pack({cubin});
  EXPECT_THAT(packed.out, HasSubstr("note: parameters 1 (binding), 2 (binding) of 'saxpy' are guesses"));
  const ToolResult dumped = RunProgram("halyard-pack", {"--dump=" + file_});
  EXPECT_THAT(dumped.out, HasSubstr("binding 0 of set 0, read_write; (guessed)"));
  const ToolResult as_json = Pack({cubin, "--json"});
  EXPECT_FALSE(Json::parse(as_json.out).at("notes").empty());
}

// A wavefront has 64 work-items on some AMD devices, so one source becomes workgroups of other sizes there.
TEST_F(PackReflectionTest, ASizeOfAnotherVendorIsNotTakenOverForAmd) {
  const std::string ptx = Ptx("90.ptx", kMarked, ".reqntid 128");
  const std::string hsaco = Given("--hip", "clang19_gfx90a_v4.hsaco");
  const Json file = Dump({ptx, hsaco, "--partial"});
  for (const Json& variant : file["variants"]) {
    for (const Json& one : variant["entry_points"]) {
      if (file["exports"][one["export"].get<size_t>()]["name"] != "saxpy") continue;
      const bool is_amd = variant["format"] == "hsaco";
      EXPECT_EQ(one["launch"].contains("workgroup_size"), is_amd) << variant["format"];
      if (is_amd) EXPECT_EQ(one["launch"]["workgroup_size"][0], 0);
      EXPECT_EQ(one["launch"]["flags"], is_amd ? Json::array() : Json({"exact workgroup size"}));
    }
  }
}

TEST_F(PackReflectionTest, ADescriptionSettlesWhatIsGuessed) {
  const std::string described = R"({"name": "f", "workgroup_size": [32], "parameters": [
      {"kind": "binding", "binding": 0}, {"kind": "constant", "offset": 0, "size": 8}]})";
  const std::string ptx =
      inputs_.Write("f.ptx", ".version 8.0\n.target sm_70\n.entry f(.param .u64 a, .param .u64 b) { ret; }\n");
  EXPECT_EQ(ParametersText(Dump({"--cuda=" + ptx}).at("exports").at(0)), "read_write:b0 read_write:b1");
  const Json settled = Dump({"--cuda=" + ptx, Describe(described)}).at("exports").at(0);
  EXPECT_EQ(ParametersText(settled), "read_write:b0 c8@0");
  EXPECT_EQ(settled.at("workgroup_size").at(0), 32);
}

// An image tells a pointer or bytes, and nothing of an address inside of bytes.
TEST_F(PackReflectionTest, ADescriptionSaysWhatNoImageTells) {
  const std::string ptx = "--cuda=" + inputs_.Write("f.ptx", R"(.version 8.0
.target sm_90
.entry f(.param .align 8 .b8 view[16], .param .align 64 .b8 map[128], .param .u64 .ptr .global .align 4 x,
         .param .u64 .ptr .global .align 4 scratch, .param .u64 .ptr .global .align 4 none) { ret; }
)");
  const std::string described = R"({"name": "f", "constants_size": 32, "parameters": [
      {"kind": "constant", "offset": 0, "size": 16},
      {"kind": "binding_address", "offset": 8, "binding": 1, "access": "read"},
      {"kind": "tensor_map", "binding": 0, "access": "read", "name": "x_map", "data_type": "float32", "box": [4, 16],
       "sizes": [{"offset": 16, "size": 4}, 64], "strides": [{"offset": 24, "size": 8}, 1], "swizzle": 64},
      {"kind": "binding", "binding": 2}, {"kind": "scratch", "size": 64}, {"kind": "null"}]})";
  const Json info = Dump({ptx, Describe(described)}).at("exports").at(0);
  EXPECT_EQ(info.at("constants_size"), 32);
  std::vector<std::string> kinds;
  for (const Json& parameter : info.at("parameters")) kinds.push_back(parameter.at("kind"));
  EXPECT_THAT(kinds, ElementsAre("constant", "binding_address", "tensor_map", "binding", "scratch", "null"));
  const Json& map = info.at("parameters").at(2);
  EXPECT_EQ(map.at("name"), "x_map");
  EXPECT_EQ(map.at("swizzle"), 64);
  EXPECT_EQ(map.at("sizes"), Json::parse(R"([{"offset": 16, "size": 4}, 64])"));
  const ToolResult shown = RunProgram("halyard-pack", {"--dump=" + file_});
  EXPECT_THAT(shown.out, HasSubstr("tensor map of binding 0 of set 0, read: float32, box 4 x 16, swizzle 64, sizes "
                                   "[constant 16, 64], strides [constant 24, 1]; x_map"));
  ExpectRefused(Pack({ptx, Describe(R"({"name": "f", "parameters": [{"kind": "null"}]})")}), ExitCode::kInput,
                {"export 'f' has 1 parameters", "but 5 in"});
}

TEST_F(PackReflectionTest, ABundleBecomesAVariantForEachArchitecture) {
  EXPECT_THAT(Variants(Dump({Given("--hip", "clang19.hipfb")})),
              ElementsAre("hsaco/gfx1100", "hsaco/gfx90a", "hsaco/gfx942"));
  EXPECT_THAT(Variants(Dump({std::string("--hip=gfx90a:") + kImages + "clang19.hipfb"})), ElementsAre("hsaco/gfx90a"));
  ExpectRefused(Pack({std::string("--hip=gfx90b:") + kImages + "clang19.hipfb"}), ExitCode::kInput,
                {"holds nothing for 'gfx90b'", "did you mean 'gfx90a'"});
  EXPECT_THAT(Variants(Dump({Given("--hip", "clang19_compressed.hipfb")})), ElementsAre("hsaco/gfx90a"));
  EXPECT_THAT(Variants(Dump({Given("--hip", "clang19_gfx11_generic_v6.hsaco")})), ElementsAre("hsaco/gfx11-generic"));
}

TEST_F(PackReflectionTest, AFatbinStaysWhole) {
  const Json document = Dump({Given("--cuda", "nvcc13.fatbin"), Given("--cuda", "nvcc13_set.ptx")});
  EXPECT_THAT(Variants(document), ElementsAre("fatbin/", "ptx/sm_90"));
  EXPECT_EQ(ParametersText(document.at("exports").at(0)), "read_write:b0 c4@0");
}

TEST_F(PackReflectionTest, ReadsTheRecordsOfHostObjects) {
  const Json exports = Dump({Given("--local", "host_x86_64.so")}).at("exports");
  ASSERT_EQ(exports.size(), 2u);  // the compiler chose their order
  EXPECT_EQ(exports.at(1).at("name"), "saxpy");
  EXPECT_EQ(ParametersText(exports.at(1)), "c4@0 read:b0 read_write:b1 c4@4");
  EXPECT_EQ(exports.at(1).at("workgroup_size").at(0), 64);
}

TEST_F(PackReflectionTest, ShowsWhatEachImageTold) {
  ExpectSuccess(Pack({Given("--cuda", "nvcc13_sm_90.ptx"), Given("--cuda", "nvcc13_sm_75.cubin")}));
  const ToolResult dumped = RunProgram("halyard-pack", {"--dump=" + file_});
  for (const char* words : {"PTX 9.0 for sm_90", "cubin, ABI 8 for sm_75", "any workgroup, at most 128 work-items; ",
                            "8 bytes of i64 (guessed)", "binding (guessed)", "512 bytes of workgroup memory"}) {
    EXPECT_THAT(dumped.out, HasSubstr(words));
  }
}

TEST_F(PackReflectionTest, TakesThousandsOfKernels) {
  constexpr int kCount = 4000;
  std::vector<std::string> images;
  for (const char* const target : {"70", "90"}) {
    std::string text = std::string(".version 8.0\n.target sm_") + target + "\n";
    for (int i = 0; i < kCount; ++i) {
      text += ".entry kernel_" + std::to_string(i) + "(.param .u64 .ptr .global .align 4 x, .param .u32 n) { ret; }\n";
    }
    images.push_back("--cuda=" + inputs_.Write(std::string(target) + ".ptx", text));
  }
  const Json dump = Dump(images);
  ASSERT_EQ(dump.at("exports").size(), size_t{kCount});
  EXPECT_EQ(ParametersText(dump.at("exports").at(kCount - 1)), "read_write:b0 c4@0");
  EXPECT_EQ(dump.at("variants").size(), 2u);
}

TEST_F(PackReflectionTest, RefusesVariantsThatContradictEachOther) {
  const std::string marked = Ptx("70.ptx", kMarked);
  ExpectContradiction({marked, Ptx("80.ptx", ".param .f32 a")},
                      {"'saxpy' has 4 parameters in", "70.ptx", "but 1 in", "80.ptx"});
  ExpectContradiction({marked, Ptx("80.ptx", ".param .f32 a, .param .u64 .ptr x, .param .u64 .ptr y, .param .f64 n")},
                      {"parameter 3 of export 'saxpy' is a constant of 4 bytes in", "but of 8 bytes in"});
  ExpectContradiction({marked, Ptx("80.ptx", ".param .f32 a, .param .u64 .ptr x, .param .f64 y, .param .u32 n")},
                      {"parameter 2 of export 'saxpy' is a binding in", "but a constant in"});
  ExpectContradiction({Ptx("70.ptx", kMarked, ".reqntid 64"), Ptx("80.ptx", kMarked, ".reqntid 32, 2")},
                      {"workgroup size 64 x 1 x 1 in", "70.ptx", "but 32 x 2 x 1 in", "80.ptx"});
  ExpectContradiction({Ptx("70.ptx", kMarked, ".reqntid 64"), Ptx("80.ptx", kMarked, ".maxntid 32")},
                      {"64 x 1 x 1 in", "at most 32 work-items in"});
  ExpectContradiction({marked, Given("--cuda", "nvcc13_set.ptx")},
                      {"has no kernel 'saxpy', which", "70.ptx", "--partial"});
}

// One guess of one kernel; what the image tells of all others stays.
TEST_F(PackReflectionTest, TakesTheUsersWordForAGuess) {
  const std::string image = "--cuda=" HALYARD_CORPUS "/images/nvcc13.0/numbers.cubin";
  EXPECT_THAT(Pack({image}).out,
              HasSubstr("note: parameters 0 (binding), 1 (binding), 3 (binding) of 'plain_c' are guesses, as the "
                        "images do not tell; --parameter=plain_c:0=constant says otherwise"));
  const ToolResult packed =
      Pack({image, "--parameter=plain_c:3=constant", "--parameter=plain_c:0=binding", "--parameter=plain_c:1=binding"});
  ExpectSuccess(packed);
  EXPECT_THAT(packed.out, testing::Not(HasSubstr("guess")));
  EXPECT_THAT(RunProgram("halyard-pack", {"--dump=" + file_}).out,
              HasSubstr("parameter 3       constant, 8 bytes at 8\n"));
  const auto refuse = [&](const std::string& correction, ExitCode code, const std::vector<std::string>& words) {
    ExpectRefused(Pack({image, "--parameter=" + correction}), code, words);
  };
  refuse("plain_d:3=constant", ExitCode::kInput, {"no image has a kernel 'plain_d'; did you mean 'plain_c'?"});
  refuse("plain_c:4=constant", ExitCode::kInput, {"'plain_c' has 4 parameters in", "numbers.cubin"});
  refuse("plain_c:2=binding", ExitCode::kInput, {"numbers.cubin' has a constant of 4 bytes, and an address has 8"});
  for (const char* const wrong :
       {"plain_c:3", "plain_c=constant", ":3=constant", "plain_c:x=constant", "plain_c:3=number", "="}) {
    refuse(wrong, ExitCode::kUsage, {"--parameter takes KERNEL:N=binding, KERNEL:N=constant or, ", ", not '"});
  }
}

// What the code does with a parameter counts for more than a name, and what the user says for more than the code.
TEST_F(PackReflectionTest, TakesTheUsersWordForWhatImagesKnow) {
  // As Numba names raw(int32, CPointer(int32)).
  const std::string name = "_ZN8__main__3rawEi8int32_2a";
  const std::string path = inputs_.Write("raw.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.entry " + name +
                                                        "(.param .u32 n, .param .u64 p) {\n"
                                                        "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1;\n"
                                                        "st.global.u32 [%rd2], %r1; ret; }\n");
  const auto dump = [&] { return RunProgram("halyard-pack", {"--dump=" + file_}).out; };
  const ToolResult packed = Pack({"--cuda=" + path});
  ExpectSuccess(packed);
  EXPECT_THAT(packed.out, testing::Not(HasSubstr("note")));
  EXPECT_THAT(dump(), HasSubstr("parameter 1       binding 0 of set 0, read_write; : si32\n"));
  ExpectSuccess(Pack({"--cuda=" + path, "--parameter=" + name + ":1=constant"}));
  EXPECT_THAT(dump(), HasSubstr("parameter 1       constant, 8 bytes at 8\n"));
  const std::string constants = inputs_.Write("constants.json", R"({"exports": [{"name": "raw", "symbol": ")" + name +
                                                                    R"(", "parameters": [
    {"kind": "constant", "offset": 0, "size": 4}, {"kind": "constant", "offset": 8, "size": 8}]}]})");
  ExpectSuccess(Pack({"--cuda=" + path, "--exports=" + constants}));
  EXPECT_THAT(dump(), HasSubstr("parameter 1       constant, 8 bytes at 8\n"));
}

TEST_F(PackReflectionTest, AsksForAddressesInStructures) {
  const std::string image = "--cuda=" HALYARD_CORPUS "/images/nvcc13.0/structs.ptx";
  const std::string view = "_Z9fill_view4Viewf";
  const ToolResult packed = Pack({image});
  ExpectSuccess(packed);
  EXPECT_THAT(packed.out, HasSubstr("note: '" + view +
                                    "' follows addresses that it finds in parameter 0 (24 bytes) in bytes 0 to 7; "
                                    "--parameter=" +
                                    view + ":0+0=binding passes that of a binding, --parameter=" + view +
                                    ":0=constant the caller's bytes\n"));
  const ToolResult told = Pack({image, "--parameter=" + view + ":0+0=binding"});
  ExpectSuccess(told);
  EXPECT_THAT(told.out, testing::Not(HasSubstr(view)));
  EXPECT_THAT(RunProgram("halyard-pack", {"--dump=" + file_}).out,
              HasSubstr("  parameter 0       constant, 24 bytes at 0\n"
                        "  parameter 1       address in constant 0: binding 0 of set 0, read_write\n"
                        "  parameter 2       constant, 4 bytes at 24; : f32\n"));
  EXPECT_THAT(Pack({image, "--parameter=" + view + ":0=constant"}).out, testing::Not(HasSubstr(view)));
  ExpectRefused(Pack({image, "--parameter=" + view + ":0+12=binding"}), ExitCode::kInput,
                {"an address is at a multiple of 8 in the 24 bytes of the parameter"});
  ExpectRefused(Pack({image, "--parameter=" + view + ":0=binding"}), ExitCode::kInput,
                {"structs.ptx' has a constant of 24 bytes", view + ":0+OFFSET=binding"});
}

// Facts of one kernel; the launches of all others stay.
TEST_F(PackReflectionTest, TakesTheUsersWordForLaunches) {
  const std::string images = "--cuda=" HALYARD_CORPUS "/images/nvcc13.0/";
  const ToolResult packed =
      Pack({images + "launches.cubin", "--launch=_Z9grid_syncPfi:cooperative",
            "--launch=_Z9grid_syncPfi:workgroup=64,2", "--launch=_Z9dependentPKfPf:programmatic",
            "--launch=_Z9dependentPKfPf:cluster=2,1,1", "--launch=_Z9dependentPKfPf:dynamic-memory=4096"});
  ExpectSuccess(packed);
  const std::string dump = RunProgram("halyard-pack", {"--dump=" + file_}).out;
  EXPECT_THAT(dump, HasSubstr("workgroup size 64 x 2 x 1; "));
  EXPECT_THAT(dump, HasSubstr("cooperative\n"));
  EXPECT_THAT(dump, HasSubstr("clusters of 2 x 1 x 1; 4 KiB of dynamic workgroup memory"));
  EXPECT_THAT(dump, HasSubstr("programmatic launch"));
  const auto refuse = [&](const std::string& launch, ExitCode code, const std::vector<std::string>& words) {
    ExpectRefused(Pack({images + "launches.cubin", "--launch=" + launch}), code, words);
  };
  refuse("_Z9grid_sync:cooperative", ExitCode::kInput,
         {"no image that could be launched so has a kernel '_Z9grid_sync'; did you mean '_Z9grid_syncPfi'?"});
  refuse("_Z13fixed_clusterPi:cluster=4", ExitCode::kInput,
         {"the cubin image for sm_90", "knows that it runs in clusters of 2 x 1 x 1"});
  for (const char* const wrong :
       {"f", "f:", ":cooperative", "f:cooperative=1", "f:cluster", "f:cluster=", "f:cluster=0", "f:cluster=1,2,3,4",
        "f:workgroup=a,1", "f:dynamic-memory=1,2", "f:fast", "f:dynamic-memory=99999999999"}) {
    refuse(wrong, ExitCode::kUsage, {"--launch takes KERNEL:cooperative, KERNEL:programmatic, ", wrong});
  }
}

TEST_F(PackReflectionTest, MachineCodeIsLaunchedAsItsPtxSays) {
  const std::string images = HALYARD_CORPUS "/images/nvcc13.0/launches.";
  const auto dump = [&](const std::vector<std::string>& given) {
    ExpectSuccess(Pack(given));
    const std::string text = RunProgram("halyard-pack", {"--dump=" + file_}).out;
    return text.substr(0, text.find("variant 1"));
  };
  EXPECT_THAT(dump({"--cuda=" + images + "cubin"}), testing::Not(HasSubstr("cooperative")));
  EXPECT_THAT(dump({"--cuda=" + images + "cubin", "--cuda=" + images + "ptx"}),
              HasSubstr("symbol of 3       _Z9grid_syncPfi\n  launch of 3       cooperative\n"));
}

// The handle of a texture has 8 bytes in machine code, and PTX says what it is.
TEST_F(PackReflectionTest, LeavesOutWhatOneImageSaysCannotBeCalled) {
  const std::string images = HALYARD_CORPUS "/images/nvcc13.0/structs.";
  const ToolResult packed = Pack({"--cuda=" + images + "cubin", "--cuda=" + images + "ptx"});
  ExpectSuccess(packed);
  EXPECT_THAT(packed.out,
              HasSubstr("note: '_Z13write_surfaceyPKf' is left out, as it cannot be called; '" + images +
                        "ptx': parameter '_Z13write_surfaceyPKf_param_0' is a texture, surface or sampler"));
  EXPECT_THAT(RunProgram("halyard-pack", {"--dump=" + file_}).out, testing::Not(HasSubstr(": _Z13write_surfaceyPKf")));
}

// A pointer to workgroup memory is none that a dispatch can give: HSACO says so, and PTX by what it does with it.
TEST_F(PackReflectionTest, LeavesOutWhatCannotBeCalled) {
  ExpectSuccess(Pack({Given("--cuda", "clang19_sm_70.ptx"), Given("--hip", "clang19_gfx1100_v5.hsaco")}));
  const ToolResult dumped = RunProgram("halyard-pack", {"--dump=" + file_});
  EXPECT_THAT(dumped.out, testing::Not(HasSubstr(": scratch")));
  EXPECT_THAT(dumped.out, HasSubstr("cannot be called"));
}

// A kernel that no image can call, whether it is the only one or not.
TEST_F(PackReflectionTest, NamesWhatItLeavesOut) {
  const std::string head = ".version 8.0\n.target sm_80\n";
  const std::string bad = ".entry reads(.param .texref t) { ret; }\n.entry writes(.param .surfref s) { ret; }\n";
  const std::string some = inputs_.Write("some.ptx", head + EntryOf("scale") + bad);
  const ToolResult packed = Pack({"--cuda=" + some});
  ExpectSuccess(packed);
  for (const char* const name : {"reads", "writes"}) {
    EXPECT_THAT(packed.out, HasSubstr(std::string("note: '") + name + "' is left out, as it cannot be called; '" +
                                      some + "': parameter"));
  }
  EXPECT_THAT(packed.out, testing::Not(HasSubstr("'scale'")));
  const std::string none = inputs_.Write("none.ptx", head + bad);
  ExpectRefused(Pack({"--cuda=" + none}), ExitCode::kInput,
                {"none.ptx' has no kernel that can be called", "'reads' is left out", "'writes' is left out"});
}

// numba-cuda's names have hundreds of letters, and its arrays are seven parameters each.
TEST_F(PackReflectionTest, NotesAreOneShortLineForAKernel) {
  const std::string letters(700, 'x');
  std::string ptx = ".version 8.0\n.target sm_80\n";
  const size_t count = 12;
  for (size_t kernel = 0; kernel < count; ++kernel) {
    ptx += ".visible .entry long_" + std::to_string(kernel) + letters + "_end(";
    for (size_t i = 0; i < 24; ++i) ptx += (i > 0 ? ", .param .u64 p" : ".param .u64 p") + std::to_string(i);
    ptx += ") { ret; }\n";
  }
  const ToolResult packed = Pack({"--cuda=" + inputs_.Write("long.ptx", ptx), "--json"});
  ExpectSuccess(packed);
  const Json notes = Json::parse(packed.out).at("notes");
  ASSERT_EQ(notes.size(), 9u);
  for (const std::string note : notes) EXPECT_LE(note.size(), 400u) << note;
  EXPECT_THAT(notes.at(0).get<std::string>(), HasSubstr("0 (binding), 1 (binding)"));
  EXPECT_THAT(notes.at(0).get<std::string>(), HasSubstr("and 16 more of 'long_0xxx"));
  EXPECT_THAT(notes.at(0).get<std::string>(), HasSubstr("xxx_end' are guesses"));
  EXPECT_THAT(notes.at(8).get<std::string>(), HasSubstr("4 more kernels have parameters that are guesses"));
}

TEST_F(PackReflectionTest, NotesOfAddressesAreShort) {
  constexpr size_t kCount = 3000;
  std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n";
  for (size_t i = 0; i < kCount; ++i) ptx += ".const .align 8 .b8 v" + std::to_string(i) + "[8];\n";
  ptx += ".visible .entry k(.param .align 8 .b8 s[" + std::to_string(8 * kCount) + "]";
  for (size_t i = 0; i < 20; ++i) ptx += ", .param .align 8 .b8 p" + std::to_string(i) + "[16]";
  ptx += ") {\n";
  for (size_t i = 0; i < kCount; ++i) {
    ptx += "ld.param.u64 %r1, [s+" + std::to_string(8 * i) + "]; ld.u32 %r2, [%r1]; ld.const.u64 %r1, [v" +
           std::to_string(i) + "]; ld.u32 %r2, [%r1];\n";
  }
  for (size_t i = 0; i < 20; ++i) ptx += "ld.param.u64 %r1, [p" + std::to_string(i) + "]; ld.u32 %r2, [%r1];\n";
  const ToolResult packed = Pack({"--cuda=" + inputs_.Write("places.ptx", ptx + "ret; }\n"), "--json"});
  ExpectSuccess(packed);
  const Json notes = Json::parse(packed.out).at("notes");
  ASSERT_EQ(notes.size(), 10u);
  for (const std::string note : notes) EXPECT_LE(note.size(), 500u) << note;
  EXPECT_THAT(notes.at(0).get<std::string>(), HasSubstr("24 to 31, 32 to 39, 40 to 47, 48 to 55, 56 to 63 and 2992 "
                                                        "more places"));
  EXPECT_THAT(notes.at(0).get<std::string>(), HasSubstr("and 17 more; --parameter=k:0+0=binding"));
  EXPECT_THAT(notes.at(9).get<std::string>(), HasSubstr("2992 more variables have addresses"));
}

// The names tell all: of an array of one dimension five constants and two, and its data.
TEST_F(PackReflectionTest, NamesOfNumbaReplaceADescription) {
  const std::string folder = HALYARD_CORPUS "/images/numba_cuda0.30/";
  const auto parameters = [&](const std::string& name) {
    const ToolResult packed = Pack({"--cuda=" + folder + name, "--force"});
    ExpectSuccess(packed);
    EXPECT_THAT(packed.out, testing::Not(HasSubstr("guess")));
    const Json document = Json::parse(RunProgram("halyard-pack", {"--dump=" + file_, "--json"}).out);
    return ParametersText(document.at("exports").at(0));
  };
  EXPECT_EQ(parameters("axpy.ptx"),
            "c4@0 c8@8 c8@16 c8@24 c8@32 read_write:b0 c8@40 c8@48 c8@56 c8@64 c8@72 c8@80 read_write:b1 c8@88 c8@96");
  EXPECT_EQ(parameters("raw.ptx"), "c4@0 read_write:b0");
}

TEST_F(PackReflectionTest, RefusesADescriptionThatContradictsAnImage) {
  const std::string marked = Ptx("70.ptx", kMarked, ".reqntid 64");
  ExpectContradiction({marked, Describe(R"({"name": "saxpy", "workgroup_size": [32]})")},
                      {"32 x 1 x 1 in", "exports.json", "but 64 x 1 x 1 in", "70.ptx"});
  ExpectContradiction({marked, Describe(R"({"name": "saxpi"})")}, {"has no kernel 'saxpi'", "did you mean 'saxpy'?"});
  ExpectContradiction({marked, Describe(R"({"name": "saxpy", "parameters": [{"kind": "binding", "binding": 0}]})")},
                      {"has 1 parameters in", "but 4 in"});
}

TEST_F(PackReflectionTest, RefusesImagesThatCannotBeReadOrDoNotTell) {
  ExpectRefused(Pack({"--cuda=" + inputs_.Write("bad.ptx", ".version 8.0\n.target sm_70\n.entry f(")}),
                ExitCode::kInput, {"bad.ptx", "PTX, line 3"});
  ExpectRefused(Pack({"--local=" HALYARD_TOOL_TEST_KERNELS}), ExitCode::kInput,
                {"does not tell what it exports: it has ", "'saxpy_f32'", "--exports=FILE"});
  ExpectRefused(Pack({Given("--cuda", "nvcc13_compressed.fatbin")}), ExitCode::kInput, {"--no-compress"});
}

}  // namespace
}  // namespace halyard::tools
