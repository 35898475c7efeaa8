// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pack/triton/triton_signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "triton_corpus.h"

namespace halyard::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TritonSignature Read(const std::string& parameters) {
  return ReadTritonSignature("module {\n  tt.func public @f(" + parameters +
                             ") attributes {noinline = false} {\n  }\n}\n");
}

TritonParameter ReadOne(const std::string& parameter) {
  const TritonSignature signature = Read(parameter);
  EXPECT_EQ(signature.parameters.size(), 1u) << parameter;
  return signature.parameters.at(0);
}

TEST(TritonSignatureTest, ReadsNamesTypesAndDivisibility) {
  const TritonSignature signature = Read(
      R"(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x_ptr"(#loc)), %n: i32 loc("n"), %p.0: !tt.ptr<!tt.ptr<bf16>>)");
  EXPECT_EQ(signature.function, "f");
  ASSERT_EQ(signature.parameters.size(), 3u);
  EXPECT_EQ(signature.parameters[0], (TritonParameter{"x_ptr", TritonParameterKind::kPointer, "f32", 8, 16, {}}));
  EXPECT_EQ(signature.parameters[1], (TritonParameter{"n", TritonParameterKind::kNumber, "i32", 4, 1, {}}));
  EXPECT_EQ(signature.parameters[2],
            (TritonParameter{"p.0", TritonParameterKind::kPointer, "!tt.ptr<bf16>", 8, 1, {}}));
}

TEST(TritonSignatureTest, ReadsNumbersOfEverySize) {
  const std::vector<std::pair<std::string, uint32_t>> sizes = {
      {"i1", 1}, {"i8", 1}, {"i16", 2}, {"i32", 4}, {"i64", 8}, {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}};
  for (const auto& [type, size] : sizes) {
    const TritonParameter parameter = ReadOne("%a: " + type);
    EXPECT_EQ(parameter.size, size) << type;
    EXPECT_EQ(parameter.element, type);
    EXPECT_EQ(parameter.kind, TritonParameterKind::kNumber);
  }
}

TEST(TritonSignatureTest, ReadsDescriptorsAsEveryVersionWritesThem) {
  for (const char* type : {"!tt.tensordesc<16x32xf8E5M2>", "!tt.tensordesc<tensor<16x32xf8E5M2>>",
                           "!tt.tensordesc<tensor<16x32xf8E5M2, #shared>>", "!tt.tensordesc<16x32xf8E5M2, #shared>",
                           "!tt.tensordesc<tensor<16x32xf8E5M2>, #ttg.nvmma_shared<{swizzlingByteWidth = 32}>>",
                           "!tt.tensordesc_im2col<tensor<16x32xf8E5M2>>"}) {
    const TritonParameter parameter = ReadOne("%d: " + std::string(type));
    EXPECT_EQ(parameter.kind, TritonParameterKind::kTensorMap) << type;
    EXPECT_EQ(parameter.element, "f8E5M2") << type;
    EXPECT_THAT(parameter.block, ElementsAre(16, 32)) << type;
    EXPECT_EQ(parameter.size, 128u);
  }
}

TEST(TritonSignatureTest, ANameIsOneOnlyIfTheSourceHasIt) {
  EXPECT_THAT(ReadOne(R"(%arg0: i32 loc("/tmp/a//b.py":8:0))").name, IsEmpty());
  EXPECT_THAT(ReadOne("%arg0: i32 loc(#loc3)").name, IsEmpty());
  EXPECT_THAT(ReadOne("%arg0: i32").name, IsEmpty());
  EXPECT_EQ(ReadOne(R"(%arg0: i32 loc("arg0"(#loc)))").name, "arg0");
  EXPECT_EQ(ReadOne("%argument: i32").name, "argument");
}

TEST(TritonSignatureTest, AKernelMayTakeNothingAndHaveAQuotedName) {
  EXPECT_THAT(Read("").parameters, IsEmpty());
  EXPECT_EQ(ReadTritonSignature("tt.func public @\"a b\"() {").function, "a b");
}

TEST(TritonSignatureTest, RefusesWhatNoKernelHas) {
  const auto refusal = [](const std::string& parameters) { return InputRefusal([&] { Read(parameters); }); };
  EXPECT_THAT(refusal("%a: tensor<4xf32>"), HasSubstr("'tensor' is no type that a kernel takes"));
  EXPECT_THAT(refusal("%a: !ttg.memdesc<4xf32, #shared>"), HasSubstr("is no type that a kernel takes"));
  EXPECT_THAT(refusal("%a: i128"), HasSubstr("'i128' is no type"));
  EXPECT_THAT(refusal("%a: i7"), HasSubstr("'i7' is no type"));
  EXPECT_THAT(refusal("%a: f8"), HasSubstr("'f8' is no type"));
  EXPECT_THAT(refusal("%a: i"), HasSubstr("'i' is no type"));
  EXPECT_THAT(refusal("%a: !tt.ptr<f32, 3>"), HasSubstr("points to the address space 3; only 1 is possible"));
  EXPECT_THAT(refusal("%a: !tt.ptr<>"), HasSubstr("does not tell what it points to"));
  EXPECT_THAT(refusal("%a: !tt.tensordesc<f32>"), HasSubstr("no shape like 64x64xf16"));
  EXPECT_THAT(refusal("%a: !tt.tensordesc<0x4xf32>"), HasSubstr("has no elements"));
  EXPECT_THAT(refusal("%a: !tt.tensordesc<4x4xf32"), HasSubstr("expected '>'"));
  EXPECT_THAT(refusal("%a: i32 {tt.divisibility = 0 : i32}"), HasSubstr("tt.divisibility is '0 : i32'"));
  EXPECT_THAT(refusal("%a: i32 {tt.divisibility = -16 : i32}"), HasSubstr("which is no number"));
  EXPECT_THAT(refusal("%a: i32, %a: i64"), HasSubstr("two parameters are called 'a'"));
  EXPECT_THAT(refusal("a: i32"), HasSubstr("expected '%'"));
  EXPECT_THAT(refusal("%a i32"), HasSubstr("expected ':'"));
  EXPECT_THAT(refusal("%a: i32 loc(\"a\""), HasSubstr("expected"));
}

TEST(TritonSignatureTest, RefusesModulesWithoutOneKernel) {
  EXPECT_THAT(InputRefusal([] { ReadTritonSignature("module { tt.func private @f() }"); }),
              HasSubstr("there is no 'tt.func public @'"));
  EXPECT_THAT(InputRefusal([] { ReadTritonSignature("tt.func public @f() tt.func public @g()"); }),
              HasSubstr("more than one"));
  EXPECT_THAT(InputRefusal([] { ReadTritonSignature("tt.func public @("); }), HasSubstr("has no name"));
  EXPECT_THAT(InputRefusal([] { ReadTritonSignature("tt.func public @f"); }), HasSubstr("expected '('"));
}

TEST(TritonSignatureTest, RefusesMoreParametersThanAnExportCanHave) {
  std::string parameters = "%p: i32";
  for (int i = 1; i < 4096; ++i) parameters += ", %p" + std::to_string(i) + ": i32";
  EXPECT_EQ(Read(parameters).parameters.size(), 4096u);
  EXPECT_THAT(InputRefusal([&] { Read(parameters + ", %last: i32"); }), HasSubstr("more than 4096 parameters"));
}

}  // namespace
}  // namespace halyard::tools
