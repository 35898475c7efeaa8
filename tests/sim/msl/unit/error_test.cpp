// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts that are refused: with the line of the text, and never with a crash.
#include <cstdlib>
#include <random>

#include "msl/unit/msl_test.h"

namespace halyard::msl_host {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ErrorTest : public MslTest {};

TEST_F(ErrorTest, NamesTheLineAndShowsIt) {
  const std::string messages = Refusal("\nkernel void run(device uint* a [[buffer(0)]]) {\n  a[0] = missing;\n}\n");
  EXPECT_THAT(messages, StartsWith("program_source:5:"));
  EXPECT_THAT(messages, HasSubstr("error: use of undeclared identifier 'missing'\n      a[0] = missing;\n"));
}

TEST_F(ErrorTest, AddressSpacesDoNotMix) {
  EXPECT_THAT(Refusal("kernel void run(device uint* a [[buffer(0)]]) {\n  threadgroup uint* b = a;\n}\n"),
              HasSubstr("program_source:4:21: error: cannot initialize a variable of type 'threadgroup uint *'"));
  EXPECT_THAT(Refusal("static void f(thread uint* a) {}\n"
                      "kernel void run(device uint* a [[buffer(0)]]) {\n  f(a);\n}\n"),
              HasSubstr("program_source:5:3: error: no matching function for call to 'f'"));
}

TEST_F(ErrorTest, ConstantsAreNotWritten) {
  EXPECT_THAT(Refusal("kernel void run(constant uint* a [[buffer(0)]]) {\n  a[0] = 1;\n}\n"),
              HasSubstr("program_source:4:8: error: read-only variable is not assignable"));
  EXPECT_THAT(Refusal("constant uint c [[function_constant(0)]];\nkernel void run() {\n  c = 1;\n}\n"),
              HasSubstr("program_source:5:5: error: "));
}

TEST_F(ErrorTest, ThreadgroupArraysHaveAFixedSize) {
  EXPECT_THAT(Refusal("constant uint n [[function_constant(0)]];\n"
                      "kernel void run() {\n  threadgroup uint a[n];\n}\n"),
              HasSubstr("program_source:5:"));
  EXPECT_THAT(Refusal("static void f() {\n  threadgroup uint a[4];\n}\n"), HasSubstr("program_source:4:"));
}

TEST_F(ErrorTest, ParametersNeedAttributesThatAreKnown) {
  EXPECT_THAT(Refusal("kernel void run(\n    uint i) {}\n"),
              StartsWith("program_source:4:10: error: invalid parameter 'i' of a kernel"));
  EXPECT_THAT(Refusal("kernel void run(uint i [[position_of_moon]]) {}\n"), HasSubstr("'position_of_moon'"));
  EXPECT_THAT(Refusal("kernel void run(device uint* i [[buffer(31)]]) {}\n"), HasSubstr("an index below 31"));
  EXPECT_THAT(Refusal("kernel void run(device uint* i [[buffer(x)]]) {}\n"), HasSubstr("an index below 31"));
}

TEST_F(ErrorTest, ReadsAsMetalDoes) {
  EXPECT_THAT(Refusal("kernel void run() { double x = 1.0; }\n"), HasSubstr("'double'"));
  EXPECT_THAT(Refusal("kernel void run() { uint x = min(1u, 2); }\n"), HasSubstr("'min'"));
  EXPECT_THAT(Refusal("kernel void run() { uint3 x = uint3(1, 2); }\n"), HasSubstr("program_source:3:"));
  EXPECT_THAT(Refusal("#include <vector>\n"), HasSubstr("program_source:3:10: fatal error: 'vector' file not found"));
  EXPECT_THAT(Refusal("#error no\n"), HasSubstr("program_source:3:2: error: no"));
}

TEST_F(ErrorTest, TruncatedTexts) {
  const std::string text =
      "constant uint n_tmp [[function_constant(0)]];\nconstant uint n = is_function_constant_defined(n_tmp) ? n_tmp : "
      "1u;\nstruct s { device uint* a [[id(0)]]; };\nkernel void run(constant s& b [[buffer(0)]], uint3 i "
      "[[thread_position_in_grid]]) {\n  threadgroup float m[4];\n  b.a[0] = uint3(i.x, 1, 2).x + 1.0;\n}\n";
  const std::string whole = std::string(kBegin) + text;
  // Not behind declarations that are complete.
  for (const size_t length : {10UL, 35UL, 60UL, 75UL, 130UL, 190UL, 205UL, 225UL, 240UL, 275UL, 310UL, 340UL}) {
    const CompileResult result = Compile(whole.substr(0, length));
    EXPECT_EQ(result.library, nullptr) << length << whole.substr(0, length);
    EXPECT_THAT(result.messages, HasSubstr("program_source:")) << length;
    EXPECT_THAT(result.messages, testing::Not(HasSubstr("tables:"))) << length;
  }
}

TEST_F(ErrorTest, Garbage) {
  std::mt19937 random(7);
  std::string bytes(2000, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  const CompileResult result = Compile(bytes);
  EXPECT_EQ(result.library, nullptr);
  EXPECT_FALSE(result.messages.empty());
  for (const char* text : {"((((", "]]]]", "[[[[", "kernel", "template <", "struct {", "\"", "#if 1", "constant"}) {
    EXPECT_EQ(Compile(text).library, nullptr) << text;
  }
}

TEST_F(ErrorTest, WithoutACompiler) {
  setenv("HALYARD_CLANG", "/nonexistent/clang++", 1);
  const CompileResult result = Compile("");
  unsetenv("HALYARD_CLANG");
  EXPECT_EQ(result.library, nullptr);
  EXPECT_THAT(result.messages, HasSubstr("HALYARD_CLANG"));
}

}  // namespace
}  // namespace halyard::msl_host
