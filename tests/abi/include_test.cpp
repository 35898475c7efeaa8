// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which folder includes which: the table of docs/architecture.md, held against every #include of src and drivers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
