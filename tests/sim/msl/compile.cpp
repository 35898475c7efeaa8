// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "msl/clang.h"
#include "msl/files.h"
#include "msl/library.h"
#include "msl/messages.h"
#include "msl/msl_host.h"
#include "msl/translate.h"

namespace halyard::msl_host {
namespace {

using Macros = std::vector<std::pair<std::string, std::string>>;

// One text on its way to a library in the cache.
class Compilation {
 public:
  Compilation(std::string clang, std::filesystem::path cache)
      : clang_(std::move(clang)), cache_(std::move(cache)), work_(cache_) {}

  CompileResult Run(std::string_view source, const Macros& macros) {
    CompileResult result;
    std::string errors = Preprocess(source, macros);
    if (errors.empty()) errors = Rewrite();
    if (errors.empty()) {
      // Of the rewritten text, so that a change of the rewriting changes the name.
      const std::string name = HashName({text_, DescribeClang(clang_), DescribeFlags()}) + ".so";
      result.library = LoadLibrary(cache_ / name, &result.messages);
      if (result.library != nullptr) return {result.library, ""};
      errors = CheckAndCompile();
      if (errors.empty()) return Keep(name);
    }
    result.messages = WithSourceLines(errors, source);
    return result;
  }

 private:
  std::string Preprocess(std::string_view source, const Macros& macros) {
    const std::string path = work_ / "source.metal";
    WriteFile(path, "#line 1 \"" + std::string(kSourceName) + "\"\n" + std::string(source) + "\n");
    Command command(clang_, PreprocessFlags(macros), {path, "-o", work_ / "preprocessed"}, work_ / "preprocessing");
    return command.Wait() ? "" : Complaint(command.Messages());
  }

  std::string Rewrite() {
    const std::string preprocessed = ReadFile(work_ / "preprocessed");
    // What stands in front of the text's own lines names a path that is another one each time.
    const size_t begin = preprocessed.find("# 1 \"" + std::string(kSourceName));
    Translation translation = Translate(std::string_view(preprocessed).substr(std::min(begin, preprocessed.size())));
    text_ = std::move(translation.text);
    return std::move(translation.errors);
  }

  // Both at once. The check sees the text alone, so that its messages are about nothing else.
  std::string CheckAndCompile() {
    const std::string path = work_ / "rewritten.cpp";
    WriteFile(path, text_);
    Command check(clang_, CheckFlags(), {path}, work_ / "check");
    Command compile(clang_, CompileFlags(), {path, "-o", work_ / "library.so", "-lm"}, work_ / "compile");
    std::string errors = check.Wait() ? "" : WithoutErrorsOfTheCheck(check.Messages());
    if (!compile.Wait() && errors.empty()) errors = Complaint(compile.Messages());
    return errors;
  }

  // Moves the library to its place, where it appears complete or not at all.
  CompileResult Keep(const std::string& name) {
    CompileResult result;
    std::error_code error;
    std::filesystem::rename(work_ / "library.so", cache_ / name, error);
    if (error) return {nullptr, "error: cannot write '" + (cache_ / name).string() + "': " + error.message() + "\n"};
    result.library = LoadLibrary(cache_ / name, &result.messages);
    return result;
  }

  static std::string Complaint(const std::string& messages) {
    return messages.empty() ? "error: the compiler failed and said nothing\n" : messages;
  }

  std::string clang_;
  std::filesystem::path cache_;
  WorkFolder work_;
  std::string text_;  // rewritten
};

// The libraries of this process, which are found without the preprocessor.
class KnownLibraries {
 public:
  std::shared_ptr<const Library> Find(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = libraries_.find(name);
    return found != libraries_.end() ? found->second : nullptr;
  }
  void Add(const std::string& name, std::shared_ptr<const Library> library) {
    const std::lock_guard lock(mutex_);
    libraries_.emplace(name, std::move(library));
  }
  static KnownLibraries& Get() {
    static auto* const known = new KnownLibraries;  // never destroyed: threads may compile until the process ends
    return *known;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Library>> libraries_;  // under mutex_
};

}  // namespace

CompileResult Compile(std::string_view source, std::span<const std::pair<std::string, std::string>> macros) {
  const std::string clang = FindClang();
  if (clang.empty()) {
    return {nullptr,
            "error: no compiler for MSL on the host: HALYARD_CLANG, or else " HALYARD_MSL_CLANG ", is no program\n"};
  }
  std::string definitions;
  for (const auto& [name, value] : macros) definitions += HashName({name, value});
  const std::string known_name = HashName({source, definitions, clang});
  CompileResult result;
  result.library = KnownLibraries::Get().Find(known_name);
  if (result.library != nullptr) return result;
  const std::filesystem::path cache = CacheFolder(&result.messages);
  if (cache.empty()) return result;
  result = Compilation(clang, cache).Run(source, Macros(macros.begin(), macros.end()));
  if (result.library != nullptr) KnownLibraries::Get().Add(known_name, result.library);
  return result;
}

}  // namespace halyard::msl_host
