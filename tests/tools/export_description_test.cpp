// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/kernels/export_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "support/failure.h"
#include "support/temporary_files.h"

namespace halyard::tools {
namespace {

using testing::HasSubstr;

std::vector<ExportDescription> Read(const std::string& text) {
  const TemporaryFolder folder;
  return ReadExportDescriptions(folder.Write("exports.json", text));
}

std::string RefusalOf(const std::string& text) {
  try {
    Read(text);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kInput);
    return failure.what();
  }
  return "it was read";
}

TEST(ExportDescriptionTest, ReadsEveryKey) {
  const auto exports = ReadExportDescriptions(HALYARD_TOOL_TEST_DATA "/exports.json");
  ASSERT_EQ(exports.size(), 4u);
  EXPECT_EQ(exports[0].name, "saxpy");
  EXPECT_EQ(exports[0].SymbolIn("ptx"), "saxpy_f32");
  EXPECT_EQ(exports[0].workgroup_size.x, 4u);
  EXPECT_EQ(exports[0].constants_size, 4u);
  EXPECT_EQ(exports[1].constants_size, 16u);
  EXPECT_EQ(exports[1].parameters[1].offset, 8u);
  EXPECT_EQ(exports[1].parameters[3].set, 1u);
  EXPECT_EQ(exports[1].parameters[3].access, HAL_BINDING_ACCESS_WRITE);
  EXPECT_EQ(exports[3].SymbolIn("ptx"), "fail");
}

TEST(ExportDescriptionTest, OneFormatMayHaveASymbolOfItsOwn) {
  const auto exports = Read(R"({"exports": [{"name": "f", "symbol": "g", "symbols": {"ptx": "h"}}]})");
  EXPECT_EQ(exports[0].SymbolIn("ptx"), "h");
  EXPECT_EQ(exports[0].SymbolIn("hsaco"), "g");
}

TEST(ExportDescriptionTest, WhatIsPrintedCanBeReadAgain) {
  const auto exports = ReadExportDescriptions(HALYARD_TOOL_TEST_DATA "/exports.json");
  Json list = Json::array();
  for (const hal_export_info_t& info : ToExportInfos(exports, "")) list.push_back(ToJson(info));
  const auto again = Read(JsonText({{"exports", list}}));
  ASSERT_EQ(again.size(), exports.size());
  EXPECT_EQ(JsonText(ToJson(ToExportInfos(again, "")[1])), JsonText(ToJson(ToExportInfos(exports, "")[1])));
}

TEST(ExportDescriptionTest, ReadsCFunctions) {
  const char* const text = R"({"exports": [{"name": "f", "convention": "c", "result": "status", "arguments": [
      "null", "const void*", "f32 *", "u8", {"type": "f64*", "access": "write"},
      {"type": "index", "workgroup": "size.z"}, {"type": "halide_buffer<?x4xbf16>", "access": "write"},
      "const halide_buffer<i1>"]}, {"name": "g", "convention": "workgroup"}, {"name": "h"}]})";
  const auto exports = Read(text);
  ASSERT_EQ(exports.size(), 3u);
  EXPECT_TRUE(exports[1].says_kernel);
  EXPECT_FALSE(exports[2].says_kernel);
  const hal_function_signature_t& signature = exports[0].signature->Get();
  EXPECT_EQ(signature.convention, HAL_CALLING_CONVENTION_C_STATUS);
  EXPECT_EQ(
      FunctionTypeText(signature),
      "(null, const void*, f32*, ui8, f64*, index, halide_buffer<?x4xbf16>, const halide_buffer<i1>) -> (status)");
  EXPECT_EQ(signature.arguments[0].role, HAL_ARGUMENT_ROLE_NULL);
  EXPECT_EQ(signature.arguments[4].access, HAL_BINDING_ACCESS_WRITE);
  EXPECT_EQ(signature.arguments[5].role, HAL_ARGUMENT_ROLE_WORKGROUP_SIZE_Z);
  EXPECT_EQ(signature.arguments[6].sizes[0], HAL_DYNAMIC);
  const std::string printed = JsonText(ToJson(ToExportInfos(exports, "")[0]));
  const auto again = Read(R"({"exports": [)" + printed + "]}");
  EXPECT_EQ(JsonText(ToJson(ToExportInfos(again, "")[0])), printed);
}

TEST(ExportDescriptionTest, SaysWhatIsWrongAndWhere) {
  const std::array<std::array<const char*, 2>, 29> cases = {{
      {R"({"exports": [{"name": "f", "convention": "d"}]})", "exports[0].convention is 'd'; known: workgroup, c"},
      {R"({"exports": [{"name": "f", "convention": "c"}]})", "exports[0] lacks the key 'arguments'"},
      {R"({"exports": [{"name": "f", "arguments": []}]})", "belongs to an export whose \"convention\" is \"c\""},
      {R"({"exports": [{"name": "f", "convention": "c", "arguments": ["f33"]}]})",
       "exports[0].arguments[0] is 'f33': 'f33' is no element type"},
      {R"({"exports": [{"name": "f", "convention": "c", "arguments": ["const f32"]}]})", "only pointers and Halide's"},
      {R"({"exports": [{"name": "f", "convention": "c", "arguments": [{"type": "f32*", "workgroup": "id.x"}]}]})",
       "exports[0].arguments[0].workgroup is for numbers"},
      {R"({"exports": [{"name": "f", "convention": "c", "arguments": [{"type": "i64", "workgroup": "id.w"}]}]})",
       "workgroup is 'id.w'; did you mean"},
      {R"({"exports": [{"name": "f", "convention": "c", "arguments": [{"type": "i64", "access": "read"}]}]})",
       "access is for pointers"},
      {R"({"exports": [{"name": "f", "convention": "c", "arguments": ["halide_buffer<99999999999xf32>"]}]})",
       "'99999999999xf32' is no element type"},
      {R"({"exports": [{"name": "f", "convention": "c", "arguments": [], "result": 3}]})", "result must be a string"},
      {"", "no JSON"},
      {"{\"exports\": [}", "line 1, column 14"},
      {"[]", "the document must be an object"},
      {"{}", "lacks the key 'exports'"},
      {R"({"exports": []})", "exports is empty"},
      {R"({"export": []})", "did you mean 'exports'?"},
      {R"({"exports": [{}]})", "exports[0] lacks the key 'name'"},
      {R"({"exports": [{"name": ""}]})", "exports[0].name is empty"},
      {R"({"exports": [{"name": "f"}, {"name": "f"}]})", "exports[1] has the name 'f' of another export"},
      {R"({"exports": [{"name": "f", "workgroup_sise": [1]}]})", "did you mean 'workgroup_size'?"},
      {R"({"exports": [{"name": "f", "workgroup_size": [1, 2, 3, 4]}]})", "one to three numbers"},
      {R"({"exports": [{"name": "f", "workgroup_size": [-1]}]})", "whole number from 0"},
      {R"({"exports": [{"name": "f", "parameters": [{"kind": "bindng", "binding": 0}]}]})", "did you mean 'binding'?"},
      {R"({"exports": [{"name": "f", "parameters": [{"kind": "binding", "binding": 0, "access": "reed"}]}]})",
       "exports[0].parameters[0].access is 'reed'; did you mean 'read'?"},
      {R"({"exports": [{"name": "f", "constants_size": 2,
           "parameters": [{"kind": "constant", "offset": 0, "size": 4}]}]})",
       "constants_size is 2, but a parameter ends at byte 4"},
      {R"({"exports": [{"name": "f", "parameters": [{"kind": "tensor_map", "binding": 0, "data_type": "float15"}]}]})",
       "exports[0].parameters[0].data_type is 'float15'; did you mean 'float16' or 'float32'"},
      {R"({"exports": [{"name": "f", "parameters": [{"kind": "tensor_map", "binding": 0, "data_type": "uint8",
           "swizzle": 48}]}]})",
       "swizzle is 48; it must be one of 0, 32, 64, 128"},
      {R"({"exports": [{"name": "f", "parameters": [{"kind": "tensor_map", "binding": 0, "data_type": "uint8",
           "box": []}]}]})",
       "box has 0 numbers, not 1 to 5"},
      {R"({"exports": [{"name": "f", "parameters": [{"kind": "tensor_map", "binding": 0, "data_type": "uint8",
           "box": [16], "sizes": [1, 2]}]}]})",
       "sizes has 2 numbers, but box has 1"},
  }};
  for (const auto& [text, words] : cases) EXPECT_THAT(RefusalOf(text), HasSubstr(words)) << text;
}

TEST(ExportDescriptionTest, SurvivesDeepNesting) {
  EXPECT_THAT(RefusalOf(std::string(100000, '[')), HasSubstr("no JSON"));
  EXPECT_THAT(RefusalOf(std::string(100000, '[') + std::string(100000, ']')), HasSubstr("must be an object"));
}

}  // namespace
}  // namespace halyard::tools
