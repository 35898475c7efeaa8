// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which folder includes which: the table of docs/architecture.md, held against every #include of src and drivers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// Each folder of the table, and the beginnings of the include paths that it may use.
std::map<std::string, std::vector<std::string>> ReadTable() {
  std::map<std::string, std::vector<std::string>> table;
  std::ifstream page(HALYARD_SOURCE_DIR "/docs/architecture.md");
  const std::regex row(R"(\| ((?:src|drivers)/[a-z_/]+) \| ([-a-z_/, ]+) \|)");
  const std::regex entry("[a-z_/]+");
  std::smatch match;
  for (std::string line; std::getline(page, line);) {
    if (!std::regex_match(line, match, row)) continue;
    const std::string entries = match[2];
    table[match[1]] = {std::sregex_token_iterator(entries.begin(), entries.end(), entry), {}};
  }
  return table;
}

bool LiesIn(const std::string& path, const std::string& folder) {
  return path.rfind(folder, 0) == 0 &&
         (path.size() == folder.size() || path[folder.size()] == '/' || path[folder.size()] == '.');
}

TEST(Includes, GoTheWaysThatTheArchitecturePageShows) {
  const auto table = ReadTable();
  ASSERT_THAT(table, testing::SizeIs(testing::Ge(10)));
  const std::regex include("#include \"([a-z_/]+/[a-z_0-9.]+)\"");
  std::smatch match;
  int seen = 0;
  for (const std::string root : {"src", "drivers"}) {
    for (const auto& file : fs::recursive_directory_iterator(fs::path(HALYARD_SOURCE_DIR) / root)) {
      const std::string name = fs::relative(file.path(), HALYARD_SOURCE_DIR).string();
      const std::string own = name.substr(name.find('/') + 1);
      const std::pair<const std::string, std::vector<std::string>>* rule = nullptr;  // of the longest folder
      for (const auto& each : table) {
        if (LiesIn(name, each.first)) rule = &each;
      }
      std::ifstream text(file.path());
      for (std::string line; std::getline(text, line);) {
        if (!std::regex_search(line, match, include)) continue;
        const std::string target = match[1];
        if (LiesIn(target, "halyard") || fs::exists(file.path().parent_path() / target)) continue;
        ASSERT_TRUE(rule) << name << " lies in no folder of the table in docs/architecture.md";
        bool allowed = LiesIn(target, rule->first.substr(rule->first.find('/') + 1));
        for (const std::string& entry : rule->second) allowed = allowed || LiesIn(target, entry);
        EXPECT_TRUE(allowed) << name << " includes " << target << ", which docs/architecture.md does not allow "
                             << rule->first;
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 500);
}

/// The rooms of the build with the names of their objects.
std::map<std::string, std::string> ReadRooms() {
  std::map<std::string, std::string> rooms;
  std::ifstream file(HALYARD_ROOMS);
  for (std::string line; std::getline(file, line);) rooms[line.substr(0, line.find(' '))] = line.substr(line.find(' '));
  return rooms;
}

/// The project's C++ functions and variables that objects define, or the ones that they take from others.
std::set<std::string> Symbols(const std::string& objects, const std::string& which) {
  std::set<std::string> symbols;
  FILE* const list = popen((HALYARD_NM " -P " + which + objects).c_str(), "r");
  for (char line[4096]; list && std::fgets(line, sizeof(line), list);) {
    const std::string name(line, std::strcspn(line, " "));
    if (name.find("7halyard") != std::string::npos) symbols.insert(name);
  }
  EXPECT_TRUE(list && pclose(list) == 0) << HALYARD_NM << objects;
  return symbols;
}

/// The rooms that a room may use, and those that these may use.
void AddUsed(const std::string& room, std::set<std::string>* used) {
  if (!used->insert(room).second) return;
  for (const auto& [folder, entries] : ReadTable()) {
    if (!LiesIn(folder, room)) continue;
    for (const std::string& entry : entries) {
      if (entry != "-" && !LiesIn("drivers/" + entry, room)) AddUsed("src/" + entry.substr(0, entry.find('/')), used);
    }
  }
}

/// A declaration in the room itself would need no include. Only the functions of the C API may be those of any room.
TEST(Rooms, TakeNothingOfOthersThanTheyMayInclude) {
  const std::map<std::string, std::string> rooms = ReadRooms();
  ASSERT_THAT(rooms, testing::SizeIs(testing::Ge(8)));
  for (const auto& [room, objects] : rooms) {
    std::set<std::string> used;
    AddUsed(room, &used);
    std::set<std::string> known;
    for (const std::string& one : used) {
      ASSERT_EQ(rooms.count(one), 1u) << one << ", which docs/architecture.md has " << room << " use";
      known.merge(Symbols(rooms.at(one), "--defined-only"));
    }
    for (const std::string& symbol : Symbols(objects, "--undefined-only")) {
      EXPECT_EQ(known.count(symbol), 1u) << room << " uses " << symbol << " of a room that it may not include";
    }
  }
}

/// Headers of the C++ library and of compilers, without ".h" in their names for the most part. All others are the
/// system's.
TEST(Includes, OnlyThePlatformAsksTheSystem) {
  const std::set<std::string> systems = {"csignal"};
  const std::set<std::string> others = {"cpuid.h", "emmintrin.h", "vulkan/vulkan_core.h", "xmmintrin.h", "xxhash.h"};
  const std::regex include(R"(^\s*#\s*(?:include|import)\s*<([^>]+)>)");
  std::smatch match;
  int seen = 0;
  for (const std::string root : {"src", "drivers"}) {
    for (const auto& file : fs::recursive_directory_iterator(fs::path(HALYARD_SOURCE_DIR) / root)) {
      const std::string name = fs::relative(file.path(), HALYARD_SOURCE_DIR).string();
      if (!file.is_regular_file() || std::regex_search(name, std::regex("^src/platform/[a-z]+/"))) continue;
      std::ifstream text(file.path());
      for (std::string line; std::getline(text, line);) {
        if (!std::regex_search(line, match, include)) continue;
        const std::string header = match[1];
        const bool standard = header.find('.') == std::string::npos && systems.count(header) == 0;
        const bool apples = LiesIn(name, "drivers/metal") && header.find('/') != std::string::npos;
        EXPECT_TRUE(standard || apples || others.count(header) == 1)
            << name << " includes <" << header << ">: what the library asks of the system goes through src/platform";
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 500);
}

/// A variable that is read elsewhere would have its say in setuid programs, too.
TEST(Environment, IsReadInOneFile) {
  const std::regex call(R"(\b(secure_)?getenv\b|\benviron\b)");
  std::vector<std::string> readers;
  for (const std::string root : {"src", "drivers"}) {
    for (const auto& file : fs::recursive_directory_iterator(fs::path(HALYARD_SOURCE_DIR) / root)) {
      if (!file.is_regular_file()) continue;
      std::ifstream stream(file.path());
      const std::string text{std::istreambuf_iterator<char>(stream), {}};
      if (std::regex_search(text, call)) readers.push_back(fs::relative(file.path(), HALYARD_SOURCE_DIR).string());
    }
  }
  EXPECT_THAT(readers, testing::ElementsAre("src/platform/posix/environment.cpp"));
}

}  // namespace
