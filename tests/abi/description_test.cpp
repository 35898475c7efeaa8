// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The description of the API as JSON says what the golden file of the layout says, and documents it.
#include <gmock/gmock.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

namespace halyard::abi {
namespace {

using nlohmann::json;
using Lines = std::multiset<std::string>;

const json& Description() {
  static const json description = [] {
    std::ifstream file(HALYARD_API_DESCRIPTION);
    return json::parse(file);
  }();
  return description;
}

std::string Text(const json& item, const char* field) { return item.at(field).get<std::string>(); }
std::string Number(const json& item, const char* field) { return std::to_string(item.at(field).get<int64_t>()); }

const json& Find(const char* list, const std::string& name) {
  for (const json& item : Description().at(list)) {
    if (item.at("name") == name) return item;
  }
  throw std::runtime_error("no " + name);
}

/// The value of a constant as the golden file has it.
std::string Value(const json& value) {
  if (value.is_string()) return "\"" + value.get<std::string>() + "\"";
  char text[24];
  const auto bits = value.is_number_unsigned() ? value.get<uint64_t>() : static_cast<uint64_t>(value.get<int64_t>());
  std::snprintf(text, sizeof(text), "0x%" PRIx64, bits);
  return text;
}

/// The description in the words of the golden file. What differs is only where a member of a union is: there its path
/// is in the text.
Lines Described() {
  Lines lines;
  for (const json& item : Description().at("constants")) {
    if (Text(item, "name").starts_with("HAL_VERSION")) continue;  // changes with every release
    lines.insert("constant " + Text(item, "name") + " = " + Value(item.at("value")));
  }
  for (const json& item : Description().at("enums")) {
    lines.insert("enum " + Text(item, "name") + ": size " + Number(item, "size"));
    for (const json& value : item.at("values")) {
      lines.insert("  " + Text(value, "name") + " = " + Number(value, "value"));
    }
  }
  for (const json& item : Description().at("types")) {
    lines.insert(Text(item, "declaration") + ": size " + Number(item, "size"));
  }
  json structs = Description().at("structs");
  for (const json& head : Description().at("heads")) structs.push_back(head);
  for (const json& item : structs) {
    lines.insert("struct " + Text(item, "name") + ": size " + Number(item, "size") + ", alignment " +
                 Number(item, "alignment"));
    for (const json& member : item.at("members")) {
      const std::string path = Text(member, "name");
      const size_t dot = path.rfind('.');
      const std::string place = dot == std::string::npos ? "" : " in " + path.substr(0, dot + 1);
      lines.insert("  at " + Number(member, "offset") + ", size " + Number(member, "size") + ": " +
                   Text(member, "declaration") + place);
    }
  }
  for (const json& item : Description().at("functions")) lines.insert("function " + Text(item, "declaration"));
  return lines;
}

Lines Golden() {
  std::ifstream file(HALYARD_GOLDEN_DIR "/layout-x86_64.golden.txt");
  Lines lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && !line.starts_with("# ") && !line.starts_with("initialiser ")) lines.insert(line);
  }
  return lines;
}

TEST(Description, SaysWhatTheGoldenFileSays) {
  const Lines golden = Golden();
  const Lines described = Described();
  EXPECT_GE(golden.size(), 1000u);
  std::string difference;
  for (const std::string& line : golden) {
    if (described.count(line) != golden.count(line)) difference += "golden:    " + line + "\n";
  }
  for (const std::string& line : described) {
    if (described.count(line) != golden.count(line)) difference += "described: " + line + "\n";
  }
  EXPECT_EQ(difference, "");
}

TEST(Description, DocumentsEveryDeclaration) {
  for (const char* list : {"handles", "constants", "macros", "types", "structs", "functions", "enums"}) {
    for (const json& item : Description().at(list)) {
      EXPECT_NE(Text(item, "documentation"), "") << item.at("name");
    }
  }
  EXPECT_THAT(Text(Find("functions", "hal_device_queue_fill"), "documentation"),
              testing::StartsWith("As hal_command_buffer_fill()."));
}

/// The type that a pointer of a declaration points to, without its qualifiers.
std::string Pointee(const std::string& type) {
  static const std::regex rest(R"(\b(const|struct)\b|[* ])");
  return std::regex_replace(type, rest, "");
}

// A binding needs nothing but the description.
TEST(Description, DescribesEveryTypeThatItNames) {
  std::set<std::string> known = {"void", "char", "bool", "float", "double", "int", "size_t", "uintptr_t"};
  for (const char* bits : {"8", "16", "32", "64"}) {
    known.insert(std::string("int") + bits + "_t");
    known.insert(std::string("uint") + bits + "_t");
  }
  for (const char* list : {"handles", "enums", "types", "structs"}) {
    for (const json& item : Description().at(list)) EXPECT_TRUE(known.insert(Text(item, "name")).second) << item;
  }
  const auto expect_known = [&](const json& item, const json& in) {
    if (item.contains("type")) EXPECT_TRUE(known.count(Pointee(Text(item, "type")))) << item << " in " << in.at("name");
  };
  const auto expect_signature_known = [&](const json& item, const json& in) {
    if (!item.contains("parameters")) return expect_known(item, in);
    EXPECT_TRUE(known.count(Pointee(Text(item, "returns")))) << item << " in " << in.at("name");
    for (const json& parameter : item.at("parameters")) expect_known(parameter, in);
  };
  for (const json& item : Description().at("functions")) expect_signature_known(item, item);
  for (const json& item : Description().at("types")) expect_signature_known(item, item);
  for (const json& item : Description().at("structs")) {
    for (const json& member : item.at("members")) {
      if (Text(member, "declaration").rfind("union", 0) != 0) expect_signature_known(member, item);
    }
  }
}

TEST(Description, KnowsHandlesAndMacros) {
  for (const char* name : {"hal_device_t", "hal_fence_t", "hal_trace_writer_t", "DLManagedTensorVersioned"}) {
    EXPECT_NE(Text(Find("handles", name), "documentation"), "");
    EXPECT_THROW(Find("structs", name), std::runtime_error) << "a binding would take it for a struct by value";
  }
  const json& macro = Find("macros", "HAL_ELEMENT_TYPE");
  EXPECT_EQ(macro.at("parameters"), (json{"kind", "bits"}));
  EXPECT_EQ(macro.at("value"), "(((uint32_t)(kind) << 8) | (uint32_t)(bits))");
}

TEST(Description, SplitsDeclarationsIntoNamesAndTypes) {
  const json& copy = Find("functions", "hal_device_queue_copy");
  EXPECT_EQ(copy.at("returns"), "hal_status_t");
  EXPECT_EQ(copy.at("parameters").size(), 4u);
  EXPECT_EQ(copy.at("parameters")[3], (json{{"name", "target"}, {"type", "hal_buffer_ref_t"}}));
  const json& version = Find("functions", "hal_version");
  EXPECT_TRUE(version.at("parameters").empty());
  for (const json& member : Find("structs", "hal_device_properties_t").at("members")) {
    if (member.at("name") == "uuid") {
      EXPECT_EQ(member.at("type"), "uint8_t");
      EXPECT_EQ(member.at("array"), 16);
    }
  }
  const json& callback = Find("types", "hal_timepoint_fn_t");
  EXPECT_EQ(callback.at("returns"), "void");
  EXPECT_EQ(callback.at("parameters")[2].at("type"), "hal_string_view_t");
}

}  // namespace
}  // namespace halyard::abi
