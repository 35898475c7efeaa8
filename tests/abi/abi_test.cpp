// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The binary interface: what programs and plugins that are already built rely on.
//
// Two files hold it as it should be: layout-x86_64.golden.txt, with every struct, vtable, enum, constant and function
// of the public headers, and exports.golden.txt, with the symbols of the shared library. A difference is either a
// mistake or a decision; after a decision write the files anew:
//
//     build/release/bin/halyard-abi-tests --update
//
// Members may be added at the end of structs that begin with `struct_size`, and of vtables. All else breaks programs
// that are built, and needs a new HAL_DRIVER_ABI_VERSION or SOVERSION: see docs/abi-stability.md.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// Only for the two entry points; the helpers of the probe are for the probe.
extern "C" {
void HalyardPrintAbiInC(FILE* file);
void HalyardPrintAbiInCpp(FILE* file);
}

namespace {

using Lines = std::vector<std::string>;

constexpr const char* kLayoutFile = HALYARD_GOLDEN_DIR "/layout-x86_64.golden.txt";
constexpr const char* kExportsFile = HALYARD_GOLDEN_DIR "/exports.golden.txt";

Lines ReadLines(std::FILE* file) {
  Lines lines;
  std::string line;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    lines.push_back(line);
    line.clear();
  }
  return lines;
}

Lines PrintedBy(void (*print)(FILE*)) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  if (!file) return {"no temporary file"};
  print(file.get());
  std::rewind(file.get());
  return ReadLines(file.get());
}

// The library's dynamic symbols of a kind, which is an option of nm.
Lines Symbols(const std::string& kind) {
  const std::string command = HALYARD_NM " --dynamic --format=just-symbols " + kind + " " HALYARD_LIBRARY;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> nm(popen(command.c_str(), "r"), pclose);
  if (!nm) return {"cannot run " HALYARD_NM};
  Lines lines = ReadLines(nm.get());
  std::ranges::sort(lines);
  return lines;
}

// The names alone. Behind each stands its version, as "@@HALYARD_0.1", which is a symbol too.
Lines Exports() {
  Lines names;
  for (const std::string& line : Symbols("--defined-only")) {
    const std::string name = line.substr(0, line.find('@'));
    if (name != HALYARD_SYMBOL_VERSION) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

Lines Golden(const char* path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "r"),
                                                             [](std::FILE* f) { return f ? std::fclose(f) : 0; });
  if (!file) return {"cannot read " + std::string(path)};
  return ReadLines(file.get());
}

// The differing lines as a patch would show them; far easier to read than two long lists.
std::string Difference(const Lines& golden, const Lines& actual) {
  const std::multiset<std::string> before(golden.begin(), golden.end());
  const std::multiset<std::string> after(actual.begin(), actual.end());
  Lines gone;
  Lines added;
  std::ranges::set_difference(before, after, std::back_inserter(gone));
  std::ranges::set_difference(after, before, std::back_inserter(added));
  std::string text;
  for (const std::string& line : gone) text += "- " + line + "\n";
  for (const std::string& line : added) text += "+ " + line + "\n";
  return text + "If this is meant, run halyard-abi-tests --update (see tests/abi/abi_test.cpp).";
}

TEST(Layout, IsThatOfTheGoldenFile) {
  const Lines golden = Golden(kLayoutFile);
  const Lines actual = PrintedBy(HalyardPrintAbiInC);
  EXPECT_TRUE(golden == actual) << Difference(golden, actual);
}

TEST(Layout, IsTheSameInBothLanguages) {
  const Lines c = PrintedBy(HalyardPrintAbiInC);
  const Lines cpp = PrintedBy(HalyardPrintAbiInCpp);
  EXPECT_TRUE(c == cpp) << Difference(c, cpp);
}

TEST(Layout, CoversWhatTheHeadersDeclare) {
  // A reader of headers that stopped early would make the two tests above pass for nothing.
  const Lines lines = PrintedBy(HalyardPrintAbiInC);
  for (const char* beginning : {"struct hal_driver_interface_t:", "struct hal_local_dispatch_t:", "enum hal_status_t:",
                                "constant HAL_WHOLE_SIZE =", "function hal_status_t hal_device_queue_copy("}) {
    EXPECT_THAT(lines, testing::Contains(testing::StartsWith(beginning)));
  }
  EXPECT_THAT(lines, testing::Not(testing::Contains(testing::HasSubstr("WRONG"))));
}

TEST(Exports, AreThoseOfTheGoldenFile) {
  const Lines golden = Golden(kExportsFile);
  const Lines actual = Exports();
  EXPECT_TRUE(golden == actual) << Difference(golden, actual);
}

TEST(Exports, AreTheFunctionsOfTheHeaders) {
  const std::regex name_of_function(R"(^function [^(]*?(\w+)\()");
  Lines declared;
  std::smatch match;
  for (const std::string& line : PrintedBy(HalyardPrintAbiInC)) {
    if (std::regex_search(line, match, name_of_function)) declared.push_back(match[1]);
  }
  std::ranges::sort(declared);
  const Lines exported = Exports();
  EXPECT_TRUE(declared == exported) << Difference(declared, exported);
}

// So a program that was linked with one SONAME never takes a function of a library with another.
TEST(Exports, HaveTheVersionOfTheSoname) {
  EXPECT_THAT(Symbols("--defined-only"), testing::Each(testing::EndsWith(HALYARD_SYMBOL_VERSION)));
}

// A static object that is local to a function is made under a lock of the compiler's. A child of fork() waits for ever
// if a thread of the parent had it.
TEST(Imports, NothingIsMadeUnderALockOfTheCompilers) {
  const Lines imports = Symbols("--undefined-only");
  EXPECT_THAT(imports, testing::Contains(testing::StartsWith("pthread_mutex_lock"))) << "nm printed something else";
  EXPECT_THAT(imports, testing::Not(testing::Contains(testing::HasSubstr("__cxa_guard_acquire"))));
}

bool Update(const char* path, const Lines& lines) {
  std::ofstream file(path);
  for (const std::string& line : lines) file << line << '\n';
  std::printf("%s %s\n", file ? "wrote" : "cannot write", path);
  return static_cast<bool>(file);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  if (argc == 2 && std::string_view(argv[1]) == "--update") {
    const bool written = Update(kLayoutFile, PrintedBy(HalyardPrintAbiInC)) && Update(kExportsFile, Exports());
    return written ? 0 : 1;
  }
  return RUN_ALL_TESTS();
}
