// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-pack with kernels of Triton's cache, as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "support/json.h"
#include "support/temporary_files.h"
#include "tools/tool_process.h"
#include "triton_corpus.h"

namespace halyard::tools {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

class PackTritonTest : public testing::Test {
 protected:
  ToolResult Pack(const std::vector<std::string>& paths) {
    std::vector<std::string> arguments = {"--output=" + file_, "--json"};
    for (const std::string& path : paths) arguments.push_back("--triton=" + path);
    return RunProgram("halyard-pack", arguments);
  }
  static std::string Corpus(const std::string& folder) { return kTritonCorpus + "/" + folder; }

  // A copy of a kernel's folder, to change.
  fs::path Copy(const std::string& folder, const std::string& name) {
    const fs::path copy = folder_ / name;
    fs::copy(Corpus(folder), copy);
    return copy;
  }

  static Json ExportNamed(const Json& dump, const std::string& name) {
    for (const Json& one : dump.at("exports")) {
      if (one.at("name") == name) return one;
    }
    ADD_FAILURE() << "no export '" << name << "' in " << JsonText(dump);
    return {};
  }

  TemporaryFolder folder_;
  const std::string file_ = folder_ / "kernels.halx";
};

// All that the corpus has of a version for a device.
TEST_F(PackTritonTest, TakesAWholeCache) {
  for (const char* cache :
       {"3.0.0/sm_90", "3.2.0/sm_90", "3.4.0/sm_90", "3.6.0/sm_90", "3.9.0/sm_90", "3.9.0/gfx942"}) {
    SCOPED_TRACE(cache);
    size_t kernels = 0;
    for (const auto& entry : fs::directory_iterator(Corpus(cache))) kernels += entry.is_directory() ? 1 : 0;
    ASSERT_GT(kernels, 0u);
    const ToolResult packed = Pack({Corpus(cache)});
    ExpectSuccess(packed);
    const Json dump = Json::parse(packed.out);
    EXPECT_EQ(dump.at("exports").size(), kernels);
    for (const std::string note : dump.at("notes")) EXPECT_THAT(note, Not(HasSubstr("is left out")));
  }
}

TEST_F(PackTritonTest, KnowsNamesTypesAndLaunches) {
  const ToolResult packed = Pack({Corpus("3.9.0/sm_90/vector_add")});
  ExpectSuccess(packed);
  const Json dump = Json::parse(packed.out);
  ASSERT_EQ(dump.at("exports").size(), 1u);
  const Json& add = dump.at("exports").at(0);
  EXPECT_EQ(add.at("name"), "vector_add");
  std::vector<std::string> names;
  for (const Json& parameter : add.at("parameters")) names.push_back(parameter.at("name"));
  EXPECT_THAT(names, testing::ElementsAre("x_ptr", "y_ptr", "out_ptr", "n", "global_scratch", "profile_scratch"));
  EXPECT_EQ(add.at("parameters").at(0).at("type"), "f32");
  EXPECT_EQ(add.at("parameters").at(3).at("kind"), "constant");
  EXPECT_EQ(add.at("parameters").at(4).at("kind"), "null");
  EXPECT_EQ(dump.at("variants").at(0).at("format"), "cubin");
}

TEST_F(PackTritonTest, ImagesForSeveralDevicesAreOneExport) {
  ExpectSuccess(Pack({Corpus("3.9.0/sm_90/softmax"), Corpus("3.9.0/gfx942/softmax"), Corpus("3.9.0/gfx90a/softmax")}));
  const ToolResult dumped = RunProgram("halyard-pack", {"--dump=" + file_, "--json"});
  ExpectSuccess(dumped);
  const Json dump = Json::parse(dumped.out);
  EXPECT_EQ(dump.at("exports").size(), 1u);
  std::vector<std::string> targets;
  for (const Json& variant : dump.at("variants")) targets.push_back(variant.at("target"));
  EXPECT_THAT(targets, Contains(HasSubstr("sm_90")));
  EXPECT_THAT(targets, Contains(HasSubstr("gfx942")));
  EXPECT_THAT(targets, Contains(HasSubstr("gfx90a")));
}

TEST_F(PackTritonTest, SpecializationsHaveNamesOfTheirOwn) {
  const ToolResult packed = Pack({Corpus("3.9.0/sm_90/fill_one_aligned"), Corpus("3.9.0/sm_90/fill_seven")});
  ExpectSuccess(packed);
  const Json dump = Json::parse(packed.out);
  ASSERT_EQ(dump.at("exports").size(), 2u);
  ExportNamed(dump, "fill.fill_one_aligned");
  ExportNamed(dump, "fill.fill_seven");
  EXPECT_EQ(dump.at("notes").size(), 2u);
  const ToolResult named = Pack({"ones=" + Corpus("3.9.0/sm_90/fill_one_aligned"), Corpus("3.9.0/sm_90/fill_seven")});
  ExpectSuccess(named);
  ExportNamed(Json::parse(named.out), "ones");
  ExportNamed(Json::parse(named.out), "fill");
  ExpectRefused(Pack({"a=" + Corpus("3.9.0/sm_90/fill_one_aligned"), "a=" + Corpus("3.9.0/sm_90/fill_seven")}),
                ExitCode::kInput, {"would both be the export 'a'", "--triton=fill_2="});
}

TEST_F(PackTritonTest, SaysWhatClustersDoToAGrid) {
  const ToolResult packed = Pack({Corpus("3.9.0/sm_90/cluster_add")});
  ExpectSuccess(packed);
  EXPECT_THAT(Json::parse(packed.out).at("notes").at(0), HasSubstr("is a cluster of 2 workgroups: multiply its grid"));
}

TEST_F(PackTritonTest, MakesTensorMapsOfTheNumbersBehindThem) {
  const ToolResult packed = Pack({Corpus("3.9.0/sm_90/tma_host")});
  ExpectSuccess(packed);
  const Json dump = Json::parse(packed.out);
  const Json parameters = ExportNamed(dump, "tma_host").at("parameters");
  const Json& out = parameters.at(5);
  EXPECT_EQ(out.at("name"), "out_desc");
  EXPECT_EQ(out.at("kind"), "tensor_map");
  EXPECT_EQ(out.at("binding"), 1);
  EXPECT_EQ(out.at("type"), "f16");
  EXPECT_EQ(out.at("data_type"), "float16");
  EXPECT_EQ(out.at("swizzle"), 128);
  EXPECT_EQ(out.at("box"), Json::parse("[64, 64]"));
  EXPECT_EQ(out.at("sizes").at(1).at("offset"), parameters.at(7).at("offset"));
  EXPECT_EQ(out.at("strides").at(0).at("offset"), parameters.at(8).at("offset"));
  EXPECT_EQ(out.at("strides").at(1).at("size"), 8);
  EXPECT_EQ(parameters.at(10).at("kind"), "null");
}

TEST_F(PackTritonTest, RefusesWhatNoDispatchCanGive) {
  const fs::path copy = Copy("3.9.0/sm_90/tma_host", "tma");
  const std::string file = (copy / "tma_host.json").string();
  const Json metadata = ReadJsonFile(file);
  const auto refuse = [&](const char* place, const Json& value, const char* why) {
    Json changed = metadata;
    changed["tensordesc_meta"][1][place] = value;
    folder_.Write("tma/tma_host.json", JsonText(changed));
    ExpectRefused(Pack({copy.string()}), ExitCode::kInput,
                  {"tma_host", "'out_desc' is a tensor map (CUtensorMap)", why, "tl.make_tensor_descriptor"});
  };
  refuse("is_im2col", true, "in the form im2col");
  refuse("fp4_padded", true, "no whole bytes");
  refuse("elem_size", 4, "no whole bytes");
  refuse("block_size", Json::parse("[64]"), "without the sizes and strides of its tensor behind it");
}

TEST_F(PackTritonTest, RefusesImagesThatTheMetadataContradicts) {
  const fs::path copy = Copy("3.9.0/sm_90/vector_add", "add");
  const std::string file = (copy / "vector_add.json").string();
  Json metadata = ReadJsonFile(file);
  metadata["num_warps"] = metadata.at("num_warps").get<int>() * 2;
  folder_.Write("add/vector_add.json", JsonText(metadata));
  ExpectRefused(Pack({copy.string()}), ExitCode::kInput, {file, "says workgroups of", "is compiled for"});
  metadata["num_warps"] = metadata.at("num_warps").get<int>() / 2;
  metadata["name"] = "another";
  folder_.Write("add/vector_add.json", JsonText(metadata));
  ExpectRefused(Pack({copy.string()}), ExitCode::kInput, {"the metadata's name is 'another'"});
}

TEST_F(PackTritonTest, SaysWhatIsMissing) {
  ExpectRefused(Pack({folder_ / "nothing"}), ExitCode::kInput, {"nothing"});
  const fs::path copy = Copy("3.9.0/sm_90/vector_add", "add");
  fs::remove(copy / "vector_add.ttir");
  fs::remove(copy / "vector_add.ttgir");
  ExpectRefused(Pack({copy.string()}), ExitCode::kInput, {"no .ttir lies beside it", "TRITON_STORE_BINARY_ONLY"});
  fs::remove(copy / "vector_add.cubin");
  fs::remove(copy / "vector_add.ptx");
  ExpectRefused(Pack({(copy / "vector_add.json").string()}), ExitCode::kInput, {"there is no 'vector_add.cubin'"});
}

TEST_F(PackTritonTest, GoesTogetherWithOtherImages) {
  const ToolResult packed =
      RunProgram("halyard-pack", {"--triton=" + Corpus("3.9.0/sm_90/vector_add"), "--local=" HALYARD_TOOL_TEST_KERNELS,
                                  "--exports=" HALYARD_TOOL_TEST_DATA "/exports.json", "--output=" + file_, "--json"});
  ExpectSuccess(packed);
  const Json dump = Json::parse(packed.out);
  ExportNamed(dump, "saxpy");
  ExportNamed(dump, "vector_add");
  ExpectRefused(RunProgram("halyard-pack", {"--triton=" + Corpus("3.9.0/sm_90/vector_add"), "-o", file_,
                                            "--exports=" HALYARD_TOOL_TEST_DATA "/exports.json"}),
                ExitCode::kUsage, {"--triton tells what it exports"});
}

}  // namespace
}  // namespace halyard::tools
