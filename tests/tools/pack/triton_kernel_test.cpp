// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pack/triton/triton_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "support/temporary_files.h"
#include "triton_corpus.h"

namespace halyard::tools {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;

std::string Formats(const TritonKernel& kernel) {
  std::string text;
  for (const TritonImage& image : kernel.images) text += image.format + " ";
  return text;
}

/// MLIR's word for a type of Triton's.
std::string ElementOf(std::string type) {
  static const std::map<std::string, std::string> kWords = {
      {"fp16", "f16"}, {"fp32", "f32"}, {"fp64", "f64"}, {"fp8e4nv", "f8E4M3FN"}, {"fp8e5", "f8E5M2"}, {"u64", "i64"}};
  if (type.starts_with("*")) type.erase(0, 1);
  if (type.starts_with("tensordesc<")) type = type.substr(11, type.find('[') - 11);
  const auto found = kWords.find(type);
  return found == kWords.end() ? type : found->second;
}

std::string KindText(const TritonParameter& parameter) {
  switch (parameter.kind) {
    case TritonParameterKind::kNumber:
      return "number";
    case TritonParameterKind::kTensorMap:
      return "tensor_map";
    default:
      return "pointer";
  }
}

// On AMD a descriptor's shape and strides come twice, and MLIR numbers the names that come again.
bool IsNameOf(const Json& expected, const std::string& name) {
  const auto wanted = expected.at("name").get<std::string>();
  return name == wanted || (name.starts_with(wanted + "_") && wanted.find('.') != std::string::npos);
}

void ExpectParameters(const TritonKernel& kernel, const Json& expected) {
  std::vector<uint32_t> sizes;
  for (const Json& parameter : expected) sizes.push_back(parameter.at("size"));
  const std::vector<TritonParameter> parameters = TritonParameters(kernel, sizes);
  ASSERT_THAT(parameters, SizeIs(expected.size()));
  for (size_t i = 0; i < parameters.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(Json(KindText(parameters[i])), expected[i].at("kind"));
    const bool is_scratch = !expected[i].contains("type");
    EXPECT_EQ(parameters[i].element, is_scratch ? "i8" : ElementOf(expected[i].at("type")));
    const bool has_names = kernel.metadata.version >= "3.6" || is_scratch;
    EXPECT_TRUE(has_names ? IsNameOf(expected[i], parameters[i].name) : parameters[i].name.empty())
        << parameters[i].name;
  }
}

TEST(TritonKernelTest, ReadsEveryKernelOfTheCorpusAsTritonWasAskedForIt) {
  const std::vector<TritonFolder> folders = TritonFolders();
  EXPECT_GE(folders.size(), 80u);
  for (const TritonFolder& folder : folders) {
    SCOPED_TRACE(folder.path);
    const std::vector<std::string> files = FindTritonMetadata({folder.path});
    ASSERT_THAT(files, SizeIs(1));
    const TritonKernel kernel = ReadTritonKernel(files[0]);
    EXPECT_EQ(Formats(kernel), kernel.metadata.backend == TritonBackend::kCuda ? "cubin ptx " : "hsaco ");
    ASSERT_TRUE(kernel.signature);
    for (const Json& image : folder.expected.at("images"))
      ExpectParameters(kernel, image.at("kernels").at(0).at("parameters"));
  }
}

TEST(TritonKernelTest, FindsTheKernelsOfAWholeCache) {
  const std::vector<std::string> files = FindTritonMetadata({kTritonCorpus + "/3.0.0/sm_90"});
  EXPECT_THAT(files, ElementsAre(EndsWith("matmul/matmul.json"), EndsWith("vector_add/vector_add.json")));
}

/// A kernel's folder of the corpus, copied, so that a test can change it.
class TritonFolderTest : public testing::Test {
 protected:
  TritonFolderTest() : file_(folder_ / "vector_add.json") {
    for (const auto& entry : std::filesystem::directory_iterator(kTritonCorpus + "/3.9.0/sm_90/vector_add")) {
      std::filesystem::copy(entry.path(), folder_.path());
    }
  }

  void Remove(const std::string& name) { ASSERT_TRUE(std::filesystem::remove(folder_.path() / name)); }
  void Replace(const std::string& name, const std::string& from, const std::string& to) {
    std::string text = ReadText(folder_ / name);
    ASSERT_NE(text.find(from), std::string::npos);
    folder_.Write(name, text.replace(text.find(from), from.size(), to));
  }
  std::string Refusal() const {
    return InputRefusal([&] { ReadTritonKernel(file_); });
  }

  TemporaryFolder folder_;
  std::string file_;
};

TEST_F(TritonFolderTest, MayHaveBeenMovedFromWhereItsListOfFilesSays) {
  EXPECT_THAT(FindTritonMetadata({folder_ / "__grp__vector_add.json"}), ElementsAre(file_));
  EXPECT_THAT(FindTritonMetadata({folder_.path().string()}), ElementsAre(file_));
  EXPECT_THAT(FindTritonMetadata({file_}), ElementsAre(file_));
  EXPECT_THAT(FindTritonMetadata({folder_ / "__grp__vector_add.json", file_}),
              ElementsAre(file_));  // *.json of a shell
  EXPECT_EQ(Formats(ReadTritonKernel(file_)), "cubin ptx ");
}

TEST_F(TritonFolderTest, MayHoldOtherFilesOfJson) {
  folder_.Write("vector_add.autotune.json", "[1, 2");
  folder_.Write("notes.json", "{}");
  EXPECT_THAT(FindTritonMetadata({folder_.path().string()}), ElementsAre(file_));
}

TEST_F(TritonFolderTest, MayHoldTheImagesAlone) {
  Remove("vector_add.ttir");
  Remove("vector_add.ptx");
  const TritonKernel kernel = ReadTritonKernel(file_);
  EXPECT_EQ(Formats(kernel), "cubin ");
  EXPECT_FALSE(kernel.signature);
  const std::vector<uint32_t> sizes = {8, 8, 8, 4, 8, 8};
  EXPECT_THAT(InputRefusal([&] { TritonParameters(kernel, sizes); }),
              AllOf(HasSubstr(file_), HasSubstr("no .ttir lies beside it")));
}

TEST_F(TritonFolderTest, ASecondFormHasTheSignatureToo) {
  std::filesystem::rename(folder_ / "vector_add.ttir", folder_ / "vector_add.ttgir");
  ASSERT_TRUE(ReadTritonKernel(file_).signature);
  EXPECT_EQ(ReadTritonKernel(file_).signature->parameters[3].name, "n");
}

TEST_F(TritonFolderTest, NeedsAnImage) {
  Remove("vector_add.cubin");
  Remove("vector_add.ptx");
  EXPECT_EQ(Refusal(), "'" + file_ + "': there is no 'vector_add.cubin' or 'vector_add.ptx' beside it");
  EXPECT_THAT(InputRefusal([&] { FindTritonMetadata({folder_.path().string()}); }),
              HasSubstr("is no folder of Triton's cache"));
}

TEST_F(TritonFolderTest, RefusesImagesOfTheOtherVendor) {
  folder_.Write("vector_add.hsaco", "x");
  EXPECT_EQ(Refusal(), "'" + file_ + "': target.backend is 'cuda', but 'vector_add.hsaco' lies beside it");
}

TEST_F(TritonFolderTest, NamesTheFileAndTheField) {
  Replace("vector_add.json", "\"shared\": 0", "\"shared\": \"0\"");
  EXPECT_EQ(Refusal(), "'" + file_ + "': shared must be a whole number from 0 to 4294967295");
  folder_.Write("vector_add.json", "{\"name\": ");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("'" + file_ + "' is no JSON")));
  EXPECT_THAT(InputRefusal([&] { ReadTritonKernel(folder_ / "absent.json"); }), HasSubstr("absent.json"));
}

TEST_F(TritonFolderTest, TheSignatureMustBeThatOfTheKernel) {
  Replace("vector_add.ttir", "@vector_add(", "@matmul(");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("vector_add.ttir'"),
                               HasSubstr("its kernel is 'matmul', but the metadata's name is 'vector_add'")));
}

TEST_F(TritonFolderTest, TheSignatureMustHaveADescriptorForEachTensorMap) {
  Replace("vector_add.ttir", "!tt.ptr<f32>", "!tt.tensordesc<64x64xf16>");
  EXPECT_THAT(Refusal(), HasSubstr("takes 1 tensor descriptors, but the metadata's tensordesc_meta has 0"));
}

TEST_F(TritonFolderTest, TheImageMustHaveTheSignature) {
  const TritonKernel kernel = ReadTritonKernel(file_);
  const auto refusal = [&](const std::vector<uint32_t>& sizes) {
    return InputRefusal([&] { TritonParameters(kernel, sizes); });
  };
  EXPECT_THAT(refusal({8, 8, 8}), HasSubstr("has 3 parameters; the signature has 4"));
  EXPECT_THAT(refusal({8, 8, 8, 4, 8, 8, 8}), HasSubstr("has 7 parameters"));
  EXPECT_THAT(refusal({8, 8, 8, 8}), HasSubstr("parameter 3, 'n', has 8 bytes in the image and 4 in the signature"));
  EXPECT_THAT(refusal({8, 8, 8, 4, 4}), HasSubstr("'global_scratch', has 4 bytes in the image and 8"));
  EXPECT_EQ(TritonParameters(kernel, std::vector<uint32_t>{8, 8, 8, 4}).size(), 4u);
}

TEST_F(TritonFolderTest, ScratchMemoryNeedsAParameter) {
  Replace("vector_add.json", "\"profile_scratch_size\": 0", "\"profile_scratch_size\": 64");
  const TritonKernel kernel = ReadTritonKernel(file_);
  EXPECT_THAT(InputRefusal([&] {
                TritonParameters(kernel, std::vector<uint32_t>{8, 8, 8, 4, 8});
              }),
              HasSubstr("profile_scratch_size is 64, but the image has no parameter for it"));
  EXPECT_EQ(TritonParameters(kernel, std::vector<uint32_t>{8, 8, 8, 4, 8, 8})[5].kind,
            TritonParameterKind::kProfileScratch);
}

TEST(TritonKernelTest, AFolderMustExist) {
  const TemporaryFolder folder;
  EXPECT_THAT(InputRefusal([&] { FindTritonMetadata({folder.path().string()}); }),
              HasSubstr("is no folder of Triton's cache"));
}

}  // namespace
}  // namespace halyard::tools
