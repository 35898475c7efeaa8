// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's reflection of images that many compilers made, against what the compilers' own tools say of them.
// HALYARD_CORPUS_PRINT=1 prints every mismatch as a line for known_mismatches.txt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "expectation.h"

namespace halyard::testing {
namespace {

using ::testing::IsSubsetOf;

std::string NameOf(const ::testing::TestParamInfo<ExpectedImage>& info) {
  std::string name = info.param.path;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

class CorpusTest : public ::testing::TestWithParam<ExpectedImage> {};

TEST_P(CorpusTest, IsReflectedAsItsToolsSay) {
  const std::vector<std::string> found = MismatchesOf(GetParam());
  if (std::getenv("HALYARD_CORPUS_PRINT")) {
    for (const std::string& text : found) std::printf("MISMATCH %s: %s\n", GetParam().path.c_str(), text.c_str());
  }
  const std::vector<std::string> known = KnownMismatchesOf(GetParam().path);
  EXPECT_THAT(found, IsSubsetOf(known)) << "mismatches that known_mismatches.txt does not list";
  EXPECT_THAT(known, IsSubsetOf(found)) << "known_mismatches.txt lists what no longer is one: remove the lines";
}

INSTANTIATE_TEST_SUITE_P(Images, CorpusTest, ::testing::ValuesIn(ExpectedImages()), NameOf);

TEST(CorpusTest, KnownMismatchesAreOfImagesThatExist) {
  std::set<std::string> paths;
  for (const ExpectedImage& image : ExpectedImages()) paths.insert(image.path);
  EXPECT_THAT(KnownMismatchPaths(), IsSubsetOf(paths));
}

/// How many kernels the corpus has of each format.
std::map<std::string, size_t> CountKernels() {
  std::map<std::string, size_t> counts;
  for (const ExpectedImage& image : ExpectedImages()) {
    counts[image.expected.at("format")] += image.expected.at("kernels").size();
  }
  return counts;
}

TEST(CorpusTest, HasEnoughKernelsOfEachFormat) {
  std::map<std::string, size_t> counts = CountKernels();
  EXPECT_GE(counts["cubin"], 25u + 12u);
  EXPECT_GE(counts["ptx"], 25u + 12u);
  EXPECT_GE(counts["hsaco"], 4u * 8u);
  EXPECT_GE(counts["spirv"], 4u);
}

/// The parameters of a Triton kernel without their names.
std::string ParametersText(const nlohmann::json& image) {
  std::string text;
  for (const auto& parameter : image.at("kernels").at(0).at("parameters")) {
    text += parameter.at("kind").get<std::string>() + parameter.at("size").dump() + " ";
  }
  return text;
}

// Holds for the tools, so it has to hold for the library. A tensor map of NVIDIA is several parameters on AMD.
TEST(CorpusTest, TritonGivesAKernelTheSameParametersForEveryTarget) {
  std::map<std::string, std::set<std::string>> lists;
  std::map<std::string, size_t> counts;
  for (const nlohmann::json& document : ExpectationFiles()) {
    if (!document.contains("triton") || document.at("triton").at("triton") != "3.9.0") continue;
    for (const auto& image : document.at("images")) {
      const std::string file = image.at("file");
      const std::string label = file.substr(0, file.find('/'));
      if (label == "tma_host") continue;
      lists[label].insert(ParametersText(image));
      ++counts[label];
    }
  }
  EXPECT_EQ(counts["vector_add"], 6u);
  for (const auto& [label, texts] : lists) EXPECT_EQ(texts.size(), 1u) << label;
}

}  // namespace
}  // namespace halyard::testing
