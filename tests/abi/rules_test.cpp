// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What docs/abi-stability.md promises of the declarations of the public headers.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "api/header_reader.h"

namespace halyard::abi {
namespace {

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// All declarations of a kind, of all headers.
std::vector<Declaration> Declared(Kind kind) {
  std::vector<Declaration> found;
  for (const auto& entry : std::filesystem::directory_iterator(HALYARD_HEADERS_DIR)) {
    if (entry.path().extension() != ".h") continue;  // those for C++ are outside the ABI
    for (const Declaration& declared : ReadHeader(Contents(entry.path()))) {
      if (declared.kind == kind) found.push_back(declared);
    }
  }
  return found;
}

bool Grows(const Declaration& declared) {
  return !declared.members.empty() && declared.members[0].text == "size_t struct_size";
}

TEST(Rules, NoGrowingStructLiesInAnother) {
  // Else a field that is added to it would move the fields of the other one.
  const std::vector<Declaration> structs = Declared(Kind::kStruct);
  std::set<std::string> growing;
  for (const Declaration& declared : structs) {
    if (Grows(declared)) growing.insert(declared.name);
  }
  EXPECT_GE(growing.size(), 30u);
  for (const Declaration& declared : structs) {
    for (const Member& member : declared.members) {
      const std::string type = member.text.substr(0, member.text.find(' '));
      EXPECT_FALSE(growing.contains(type)) << declared.name << ": " << member.text;
    }
  }
}

TEST(Rules, ConstantsArePlainLiterals) {
  // What generators of bindings understand: no casts, shifts, operators or other macros. The smallest number of 64 bits
  // has no literal in C.
  const std::regex literal(R"RE(0x[0-9A-F]+(u|ull)?|\d+u?|"[^"]*"|\(-0x7FFFFFFFFFFFFFFF - 1\))RE", std::regex::icase);
  const std::vector<Declaration> constants = Declared(Kind::kConstant);
  EXPECT_GE(constants.size(), 90u);
  for (const Declaration& constant : constants) {
    EXPECT_TRUE(std::regex_match(constant.text, literal)) << constant.name << " " << constant.text;
  }
}

TEST(Rules, ThePageNamesEveryStruct) {
  const std::string page = Contents(HALYARD_ABI_PAGE);
  for (const Declaration& declared : Declared(Kind::kStruct)) {
    EXPECT_THAT(page, testing::HasSubstr("`" + declared.name + "`"));
  }
}

TEST(Rules, ThePageNamesOnlyStructsThatExist) {
  const std::string page = Contents(HALYARD_ABI_PAGE);
  const std::vector<Declaration> structs = Declared(Kind::kStruct);
  std::set<std::string> names;
  for (const Declaration& declared : structs) names.insert(declared.name);
  const std::regex name(R"(`(hal_\w+_t)`)");
  for (std::sregex_iterator it(page.begin(), page.end(), name), end; it != end; ++it) {
    EXPECT_TRUE(names.contains((*it)[1])) << (*it)[1];
  }
}

}  // namespace
}  // namespace halyard::abi
