// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pack/triton/triton_metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "triton_corpus.h"

namespace halyard::tools {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TritonMetadata ReadFolder(const std::string& folder) { return ReadTritonMetadata(ReadJsonFile(TritonFile(folder))); }

/// The metadata of a kernel of the newest version, which a test then spoils.
Json Document(const std::string& folder = "3.9.0/sm_90/tma_host") { return ReadJsonFile(TritonFile(folder)); }

/// As from a file, in which numbers have no sign unless it is a minus.
TritonMetadata ReadPrinted(const Json& document) { return ReadTritonMetadata(Json::parse(document.dump())); }

std::string RefusalOf(const Json& document) {
  return InputRefusal([&] { ReadPrinted(document); });
}

std::string RefusalWith(const std::string& pointer, const Json& value,
                        const std::string& folder = "3.9.0/sm_90/tma_host") {
  Json document = Document(folder);
  document[Json::json_pointer(pointer)] = value;
  return RefusalOf(document);
}

TEST(TritonMetadataTest, TellsTheTargetAndTheWorkgroup) {
  const TritonMetadata cuda = ReadFolder("3.9.0/sm_90/vector_add");
  EXPECT_EQ(cuda.name, "vector_add");
  EXPECT_EQ(cuda.version, "3.9.0");
  EXPECT_EQ(cuda.backend, TritonBackend::kCuda);
  EXPECT_EQ(cuda.architecture, "sm_90");
  EXPECT_EQ(cuda.workgroup_size, 128u);
  EXPECT_EQ(cuda.WorkgroupsPerProgram(), 1u);
  const TritonMetadata wide = ReadFolder("3.9.0/gfx942/vector_add");
  EXPECT_EQ(wide.backend, TritonBackend::kHip);
  EXPECT_EQ(wide.architecture, "gfx942");
  EXPECT_EQ(wide.subgroup_size, 64u);
  EXPECT_EQ(wide.workgroup_size, 256u);
  EXPECT_EQ(ReadFolder("3.9.0/gfx1100/vector_add").workgroup_size, 128u);
  EXPECT_EQ(ReadFolder("3.9.0/sm_90/scalars").workgroup_size, 32u);
}

TEST(TritonMetadataTest, TellsWhatALaunchNeeds) {
  EXPECT_THAT(ReadFolder("3.9.0/sm_90/cluster_add").cluster_size, ElementsAre(2, 1, 1));
  EXPECT_GT(ReadFolder("3.9.0/sm_90/matmul_large_shared").local_memory_size, 48u << 10);
  EXPECT_TRUE(ReadFolder("3.9.0/sm_90/cooperative_sum").is_cooperative);
  EXPECT_FALSE(ReadFolder("3.9.0/sm_90/vector_add").is_cooperative);
  EXPECT_TRUE(ReadFolder("3.9.0/sm_90/dependent_add").is_programmatic);
  EXPECT_FALSE(ReadFolder("3.9.0/sm_90/vector_add").is_programmatic);
  const TritonScratch scratch = ReadFolder("3.9.0/sm_90/tma_device").global_scratch;
  EXPECT_EQ(scratch.size, 256u);
  EXPECT_EQ(scratch.alignment, 128u);
}

TEST(TritonMetadataTest, TellsHowToMakeTensorMaps) {
  const TritonMetadata metadata = ReadFolder("3.9.0/sm_90/tma_host");
  ASSERT_EQ(metadata.tensor_maps.size(), 2u);
  const TritonTensorMap& map = metadata.tensor_maps[1];
  EXPECT_EQ(map.element_type, 6u);  // CU_TENSOR_MAP_DATA_TYPE_FLOAT16
  EXPECT_EQ(map.element_size, 2u);
  EXPECT_EQ(map.swizzle, 3u);
  EXPECT_THAT(map.box, ElementsAre(64, 64));
  EXPECT_FALSE(map.is_fp4_padded);
  EXPECT_FALSE(map.is_im2col);
}

TEST(TritonMetadataTest, NumbersTypesOfTensorsAsTheHostDoes) {
  Json document = Document();
  const auto host_type = [&](uint32_t device_type) {
    document["tensordesc_meta"][0]["elem_type"] = device_type;
    return ReadPrinted(document).tensor_maps[0].element_type;
  };
  EXPECT_EQ(host_type(7), 7u);
  EXPECT_EQ(host_type(8), 10u);
  EXPECT_EQ(host_type(9), 8u);
  EXPECT_EQ(host_type(10), 9u);
  EXPECT_EQ(host_type(11), 11u);
}

TEST(TritonMetadataTest, ReadsEveryVersion) {
  for (const char* version : {"3.0.0", "3.2.0", "3.4.0", "3.6.0", "3.9.0"}) {
    for (const char* target : {"sm_90", "gfx942"}) {
      const TritonMetadata metadata = ReadFolder(Concat(version, "/", target, "/matmul"));
      EXPECT_EQ(metadata.architecture, target) << version;
      EXPECT_GE(metadata.local_memory_size, 8u << 10) << version;
      EXPECT_THAT(metadata.cluster_size, ElementsAre(1, 1, 1)) << version;
      EXPECT_EQ(metadata.global_scratch.size, 0u) << version;
      EXPECT_EQ(metadata.version, version[2] <= '2' ? "" : version);
    }
  }
}

TEST(TritonMetadataTest, TheToolsOfTheVendorsAgree) {
  size_t compared = 0;
  for (const TritonFolder& folder : TritonFolders()) {
    const TritonMetadata metadata =
        ReadTritonMetadata(ReadJsonFile(TritonFile(folder.path.substr(kTritonCorpus.size() + 1))));
    for (const Json& image : folder.expected.at("images")) {
      const Json& kernel = image.at("kernels").at(0);
      SCOPED_TRACE(image.at("file"));
      EXPECT_EQ(Json(metadata.name), kernel.at("name"));
      EXPECT_TRUE(image.at("target").get<std::string>().starts_with(metadata.architecture));
      if (image.at("format") == "hsaco") {
        EXPECT_EQ(Json(metadata.workgroup_size), kernel.at("max_workgroup_volume"));
        EXPECT_EQ(Json(metadata.subgroup_size), kernel.at("subgroup_size"));
      } else if (kernel.contains("workgroup_size")) {
        EXPECT_EQ(Json(std::array{metadata.workgroup_size, 1u, 1u}), kernel.at("workgroup_size"));
      }
      EXPECT_EQ(Json(metadata.cluster_size), kernel.value("cluster_size", Json(std::array{1, 1, 1})));
      ++compared;
    }
  }
  EXPECT_GT(compared, 100u);
}

TEST(TritonMetadataTest, TheUserMayHaveChosenAnotherArchitecture) {
  Json document = Document();
  document["arch"] = "sm100a";
  EXPECT_EQ(ReadPrinted(document).architecture, "sm_100a");
  document["arch"] = nullptr;
  EXPECT_EQ(ReadPrinted(document).architecture, "sm_90");
}

TEST(TritonMetadataTest, ClustersOfOldVersionsHaveThreeDimensions) {
  Json document = Document("3.0.0/sm_90/vector_add");
  document["num_ctas"] = 4;
  document["cluster_dims"] = {2, 2, 1};
  EXPECT_THAT(ReadPrinted(document).cluster_size, ElementsAre(2, 2, 1));
  EXPECT_EQ(ReadPrinted(document).WorkgroupsPerProgram(), 4u);
}

TEST(TritonMetadataTest, RefusesAMissingField) {
  for (const char* key : {"name", "target", "num_warps", "num_ctas", "shared", "global_scratch_align"}) {
    Json document = Document("3.9.0/sm_90/tma_device");
    ASSERT_EQ(document.erase(key), 1u);
    EXPECT_EQ(RefusalOf(document), Concat("the document lacks the key '", key, "'"));
  }
  for (const char* key : {"backend", "arch", "warp_size"}) {
    Json document = Document();
    document["target"].erase(key);
    EXPECT_EQ(RefusalOf(document), Concat("target lacks the key '", key, "'"));
  }
  for (const char* key : {"elem_type", "elem_size", "swizzle", "block_size"}) {
    Json document = Document();
    document["tensordesc_meta"][1].erase(key);
    EXPECT_EQ(RefusalOf(document), Concat("tensordesc_meta[1] lacks the key '", key, "'"));
  }
}

TEST(TritonMetadataTest, AFieldThatAVersionLacksHasItsDefault) {
  Json document = Document("3.9.0/sm_90/vector_add");
  for (const char* key : {"launch_cooperative_grid", "launch_pdl", "global_scratch_size", "global_scratch_align",
                          "profile_scratch_size", "profile_scratch_align", "tensordesc_meta", "triton_version", "arch",
                          "backend_name", "warp_size", "instrumentation_mode"}) {
    document.erase(key);
  }
  const TritonMetadata metadata = ReadPrinted(document);
  EXPECT_FALSE(metadata.is_cooperative || metadata.is_programmatic);
  EXPECT_EQ(metadata.global_scratch.size + metadata.profile_scratch.size, 0u);
  EXPECT_THAT(metadata.tensor_maps, IsEmpty());
}

TEST(TritonMetadataTest, RefusesAFieldOfTheWrongType) {
  const Json wrong = {{"list", {1, {}}}};
  for (const char* key : {"/name",
                          "/num_warps",
                          "/num_ctas",
                          "/shared",
                          "/launch_cooperative_grid",
                          "/launch_pdl",
                          "/global_scratch_size",
                          "/global_scratch_align",
                          "/profile_scratch_size",
                          "/profile_scratch_align",
                          "/tensordesc_meta",
                          "/triton_version",
                          "/target/backend",
                          "/target/arch",
                          "/target/warp_size",
                          "/arch",
                          "/backend_name",
                          "/warp_size",
                          "/instrumentation_mode",
                          "/cluster_dims",
                          "/tensordesc_meta/0/elem_type",
                          "/tensordesc_meta/0/block_size/1",
                          "/tensordesc_meta/0/is_im2col"}) {
    const std::string name = std::string(key).substr(std::string(key).rfind('/') + 1);
    EXPECT_THAT(RefusalWith(key, wrong), HasSubstr("must be")) << key;
    EXPECT_THAT(RefusalWith(key, wrong), HasSubstr(name == "1" ? "block_size[1]" : name)) << key;
  }
  EXPECT_EQ(RefusalWith("/target", 90), "target must be an object, in braces");
  EXPECT_EQ(RefusalOf(Json::array()), "the document must be an object, in braces");
  EXPECT_EQ(RefusalWith("/target/arch", 90, "3.0.0/gfx942/vector_add"), "it was read");  // as `arch` says it, too
}

TEST(TritonMetadataTest, RefusesNumbersThatNothingCanHave) {
  for (const char* key : {"/num_warps", "/num_ctas", "/shared", "/global_scratch_size", "/profile_scratch_size",
                          "/target/warp_size", "/target/arch", "/tensordesc_meta/0/swizzle"}) {
    EXPECT_THAT(RefusalWith(key, -1), HasSubstr("must be a whole number from 0 to 4294967295")) << key;
    EXPECT_THAT(RefusalWith(key, 1.5), HasSubstr("must be a whole number")) << key;
  }
  EXPECT_EQ(RefusalWith("/num_warps", 0), "num_warps is 0; it must be from 1 to 1024");
  EXPECT_EQ(RefusalWith("/num_warps", 64),
            "num_warps is 64, which makes workgroups of 2048 work-items; at most 1024 are possible");
  EXPECT_EQ(RefusalWith("/num_ctas", 17), "num_ctas is 17; it must be from 1 to 16");
  EXPECT_THAT(RefusalWith("/shared", 1u << 31), HasSubstr("shared is 2147483648"));
  EXPECT_EQ(RefusalWith("/global_scratch_align", 48), "global_scratch_align is 48, which is no power of two");
  EXPECT_EQ(RefusalWith("/profile_scratch_align", 0), "profile_scratch_align is 0, which is no power of two");
  EXPECT_THAT(RefusalWith("/tensordesc_meta/0/elem_size", 3), HasSubstr("is 3, which is no power of two"));
  EXPECT_THAT(RefusalWith("/tensordesc_meta/0/block_size", Json::array()), HasSubstr("has 0 numbers, not 1 to 5"));
  EXPECT_THAT(RefusalWith("/tensordesc_meta/0/block_size/0", 512), HasSubstr("block_size[0] is 512"));
}

TEST(TritonMetadataTest, RefusesTargetsThatNoTritonHas) {
  EXPECT_THAT(RefusalWith("/target/backend", "cude"),
              AllOf(HasSubstr("target.backend is 'cude'"), HasSubstr("did you mean 'cuda'")));
  EXPECT_EQ(RefusalWith("/target/arch", 7), "target.arch is 7; it must be from 50 to 999");
  EXPECT_THAT(RefusalWith("/target/arch", "gfx942"), HasSubstr("target.arch must be a whole number"));
  EXPECT_EQ(RefusalWith("/arch", "gfx942"), "arch is 'gfx942'; on CUDA it is like 'sm90'");
  EXPECT_EQ(RefusalWith("/arch", "sm"), "arch is 'sm'; on CUDA it is like 'sm90'");
  EXPECT_EQ(RefusalWith("/arch", "sm_90"), "arch is 'sm_90'; on CUDA it is like 'sm90'");
  EXPECT_EQ(RefusalWith("/arch", "sm90", "3.9.0/gfx942/softmax"), "arch is 'sm90'; on HIP it is like 'gfx942'");
  EXPECT_EQ(RefusalWith("/name", ""), "name is '', which is no kernel's name");
  EXPECT_EQ(RefusalWith("/name", "a\nb"), "name is 'a\nb', which is no kernel's name");
}

TEST(TritonMetadataTest, RefusesContradictions) {
  EXPECT_EQ(RefusalWith("/backend_name", "hip"), "backend_name is 'hip', but target.backend is 'cuda'");
  EXPECT_EQ(RefusalWith("/warp_size", 64), "warp_size is 64, but target.warp_size is 32");
  EXPECT_THAT(RefusalWith("/target/warp_size", 64), HasSubstr("warp_size is 32, but target.warp_size is 64"));
  EXPECT_EQ(RefusalWith("/cluster_dims", {2, 1, 1}), "cluster_dims makes clusters of 2 workgroups, but num_ctas is 1");
  EXPECT_EQ(RefusalWith("/num_ctas", 2, "3.2.0/sm_90/vector_add"),
            "cluster_dims makes clusters of 1 workgroups, but num_ctas is 2");
  EXPECT_EQ(RefusalWith("/cluster_dims", {1, 1}), "cluster_dims has 2 numbers, not 3");
  EXPECT_EQ(RefusalWith("/target/warp_size", 64, "3.4.0/sm_90/vector_add"), "target.warp_size is 64; on CUDA it is 32");
  EXPECT_THAT(RefusalWith("/tensordesc_meta/0", Json::object(), "3.9.0/gfx942/softmax"),
              HasSubstr("tensordesc_meta[0] describes a tensor for AMD"));
  EXPECT_THAT(RefusalWith("/instrumentation_mode", "gsan"), HasSubstr("parameters that only Triton can give"));
}

}  // namespace
}  // namespace halyard::tools
