// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that docs/kernels.md shows, taken out of the page itself, so that it cannot show what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "support/json.h"
#include "support/temporary_files.h"
#include "tool_process.h"

namespace halyard::tools {
namespace {

// The blocks of a page in which a line begins with `kernel `.
std::vector<std::string> KernelsOf(const std::string& page) {
  constexpr std::string_view kFence = "```";
  std::vector<std::string> kernels;
  for (size_t at = page.find(kFence); at != std::string::npos;) {
    const size_t begin = page.find('\n', at);
    const size_t end = page.find(kFence, begin);
    const std::string block = page.substr(begin, end - begin);
    if (block.find("\nkernel ") != std::string::npos) kernels.push_back(block.substr(1));
    at = end == std::string::npos ? end : page.find(kFence, end + kFence.size());
  }
  return kernels;
}

// Puts one text in the place of another, which must be there.
void Fill(std::string* text, std::string_view what, std::string_view with) {
  const size_t at = text->find(what);
  ASSERT_NE(at, std::string::npos) << "'" << what << "' is not in docs/kernels.md";
  text->replace(at, what.size(), with);
}

// The sample of the whole language stands for sizes by x, y and z, and for a body by dots.
constexpr const char* kBody = R"({
  const uint32_t i = global_id.x;
  tile[local_id.x] = x[i] * float(key[i % 16u]);
  if (i < count) {
    scratch[0] = weights[i] + float(scale);
    y[i] = tile[local_id.x] + scratch[0];
    atomic_add(hits[0], float_bits(float_of_bits(seed)));
  }
})";

std::string LanguageSample(const std::string& page) {
  for (std::string sample : KernelsOf(page)) {
    if (sample.find("(x, y, z)") == std::string::npos) continue;
    Fill(&sample, "(x, y, z)", "(8, 4, 2)");
    Fill(&sample, "{ ... }", kBody);
    return sample;
  }
  ADD_FAILURE() << "docs/kernels.md has no sample of the whole language";
  return "";
}

// Compiles what halyard-kernels wrote for the host; reports the compiler's message if it cannot.
void ExpectCompiles(const std::string& path, const TemporaryFolder& folder) {
  const std::string errors = folder / "errors";
  const std::string command = std::string("'" HALYARD_TOOL_TEST_CXX_COMPILER "' -std=c++17 -fsyntax-only ") +
                              "'-I" HALYARD_TOOL_TEST_INCLUDES "' '" + path + "' 2>'" + errors + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << ReadText(errors);  // NOLINT(cert-env33-c): takes the redirection
}

// Translates a source into every language and compiles the host's; returns the exports.
Json Translate(const std::string& source) {
  const TemporaryFolder folder;
  const std::string host = folder / "host.cpp";
  const std::string exports = folder / "exports.json";
  ExpectSuccess(RunProgram("halyard-kernels",
                           {"--source=" + folder.Write("doc.kernel", source), "--host=" + host,
                            "--gpu=" + (folder / "gpu.cu"), "--glsl=" + (folder / "glsl"), "--exports=" + exports}));
  if (testing::Test::HasFailure()) return {};
  ExpectCompiles(host, folder);
  return Json::parse(ReadText(exports)).at("exports");
}

std::string Page() { return ReadText(HALYARD_KERNELS_PAGE); }

TEST(KernelsPageTest, EveryWholeKernelCompiles) {
  size_t whole = 0;
  for (const std::string& kernel : KernelsOf(Page())) {
    if (kernel.find("...") != std::string::npos) continue;
    SCOPED_TRACE(kernel);
    EXPECT_EQ(Translate(kernel).size(), 1u);
    ++whole;
  }
  EXPECT_EQ(whole, 2u);
}

TEST(KernelsPageTest, TheSampleOfTheLanguageCompilesAndMeansWhatItsCommentsSay) {
  const Json exports = Translate(LanguageSample(Page()));
  ASSERT_EQ(exports.size(), 1u);
  EXPECT_EQ(exports[0].at("workgroup_size"), Json({8, 4, 2}));
  const Json& parameters = exports[0].at("parameters");
  ASSERT_EQ(parameters.size(), 8u);
  EXPECT_EQ(parameters[2].at("offset"), 16);  // key, behind count and seed
  EXPECT_EQ(parameters[2].at("size"), 16);
  EXPECT_EQ(parameters[3].at("offset"), 40);
  EXPECT_EQ(parameters[5].at("binding"), 1);
  EXPECT_EQ(parameters[6].at("binding"), 7);
  EXPECT_EQ(parameters[7].at("set"), 1);
  EXPECT_EQ(parameters[7].at("binding"), 0);
}

}  // namespace
}  // namespace halyard::tools
