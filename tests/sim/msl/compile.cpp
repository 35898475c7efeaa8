// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <filesystem>

#include "msl/clang.h"
#include "msl/files.h"
#include "msl/library.h"
#include "msl/msl_host.h"
#include "msl/translate.h"

namespace halyard::msl_host {
namespace {

using Macros = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> operator+(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Errors of the check that valid texts have, too: classes of C++ have no functions for objects in address spaces, which
// those of Metal have.
bool IsErrorOfTheCheck(std::string_view line) {
  constexpr std::array<std::string_view, 5> kTexts = {"no matching constructor for initialization of",
                                                      "no viable overloaded '='", "'this' argument to member function",
                                                      "no viable overloaded operator[]", "no viable conversion from"};
  return std::ranges::any_of(kTexts, [&](std::string_view text) { return line.find(text) != std::string_view::npos; });
}

// The messages without those errors and what belongs to them.
std::string ErrorsOfTheText(std::string_view messages) {
  std::string result;
  bool keep = false;
  while (!messages.empty()) {
    const std::string_view line = messages.substr(0, messages.find('\n'));
    messages.remove_prefix(std::min(line.size() + 1, messages.size()));
    if (line.find(" error: ") != std::string_view::npos) keep = !IsErrorOfTheCheck(line);
    if (keep) result.append(line).append("\n");
  }
  return result;
}

// One text on its way to a library in the cache.
class Compilation {
 public:
  Compilation(std::string clang, const std::filesystem::path& cache) : clang_(std::move(clang)), work_(cache) {}

  // Compiles into a file, which appears complete or not at all. Returns what is wrong with the text.
  std::string Run(std::string_view source, const Macros& macros, const std::filesystem::path& target) {
    std::string errors = Preprocess(source, macros);
    if (!errors.empty()) return errors;
    const Translation translation = Translate(ReadFile(work_ / "preprocessed"));
    if (!translation.errors.empty()) return translation.errors;
    WriteFile(work_ / "rewritten.cpp", translation.text);
    errors = CheckAndCompile();
    if (!errors.empty()) return errors;
    std::error_code error;
    std::filesystem::rename(work_ / "library.so", target, error);
    return error ? "error: cannot write '" + target.string() + "': " + error.message() + "\n" : "";
  }

 private:
  std::string Preprocess(std::string_view source, const Macros& macros) {
    const std::string path = work_ / "source.metal";
    WriteFile(path, "#line 1 \"program_source\"\n" + std::string(source) + "\n");
    return Finish({clang_}, PreprocessFlags(macros) + std::vector<std::string>{path, "-o", work_ / "preprocessed"},
                  "preprocessing");
  }

  std::string Finish(const std::vector<std::string>& program, const std::vector<std::string>& flags,
                     std::string_view name) {
    Command command(program + flags, work_ / name);
    if (command.Wait()) return {};
    return Complaint(command.Messages());
  }

  static std::string Complaint(std::string messages) {
    return messages.empty() ? "error: the compiler failed and said nothing\n" : messages;
  }

  // Both at once. What the compiler says comes first, as it is right about all but address spaces.
  std::string CheckAndCompile() {
    const std::string path = work_ / "rewritten.cpp";
    Command check(std::vector<std::string>{clang_} + CheckFlags() + std::vector<std::string>{path}, work_ / "check");
    const std::vector<std::string> output = {path, "-o", work_ / "library.so", "-lm"};
    Command compile(std::vector<std::string>{clang_} + CompileFlags() + output, work_ / "compile");
    if (!compile.Wait()) return Complaint(compile.Messages());
    return check.Wait() ? "" : ErrorsOfTheText(check.Messages());
  }

  std::string clang_;
  WorkFolder work_;
};

}  // namespace

CompileResult Compile(std::string_view source, std::span<const std::pair<std::string, std::string>> macros) {
  const std::string clang = FindClang();
  if (clang.empty()) {
    return {nullptr, "error: no compiler for MSL on the host: clang++-19 is neither in HALYARD_CLANG nor in PATH\n"};
  }
  CompileResult result;
  const std::filesystem::path cache = CacheFolder(&result.messages);
  if (cache.empty()) return result;
  const Macros defined(macros.begin(), macros.end());
  std::string definitions;
  for (const auto& [name, value] : defined) definitions += HashName({name, value});
  const std::filesystem::path path =
      cache / (HashName({source, definitions, DescribeClang(clang), DescribeFlags()}) + ".so");
  result.library = LoadLibrary(path, &result.messages);
  if (result.library != nullptr) return {result.library, ""};
  result.messages = Compilation(clang, cache).Run(source, defined, path);
  if (result.messages.empty()) result.library = LoadLibrary(path, &result.messages);
  return result;
}

}  // namespace halyard::msl_host
