// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "msl/clang.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "msl/files.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): not every system declares it

namespace halyard::msl_host {
namespace {

// Kernels are checked as the program is.
#ifdef __has_feature
#define HAS_SANITIZER(NAME) __has_feature(NAME)
#else
#define HAS_SANITIZER(NAME) 0
#endif
#if defined(__SANITIZE_THREAD__) || HAS_SANITIZER(thread_sanitizer)
constexpr const char* kSanitizer = "-fsanitize=thread";
#elif defined(__SANITIZE_ADDRESS__) || HAS_SANITIZER(address_sanitizer)
constexpr const char* kSanitizer = "-fsanitize=address";
#else
constexpr const char* kSanitizer = "";
#endif

bool IsProgram(const std::string& path) { return access(path.c_str(), X_OK) == 0; }

// A program by its path, or by its name in the search path; empty if there is none.
std::string FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return IsProgram(name) ? name : "";
  const char* const search = std::getenv("PATH");
  std::istringstream folders(search != nullptr ? search : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    folder.append("/").append(name);
    if (IsProgram(folder)) return folder;
  }
  return {};
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
}

// Nothing of the host's own headers, and messages of one line.
constexpr const char* kCommonFlags =
    "-x c++ -nostdinc -nostdinc++ -Wno-everything -fno-caret-diagnostics -ferror-limit=0 ";

std::vector<std::string> LanguageFlags(const std::string& more) {
  std::vector<std::string> flags = Words(kCommonFlags + ("-std=c++20 -Werror=vla " + more));
  const std::string host = HALYARD_MSL_FOLDER "/host";
  flags.insert(flags.end(), {"-I" + host, "-include", host + "/metal_host.h"});
  return flags;
}

}  // namespace

std::string FindClang() {
  const char* const chosen = std::getenv("HALYARD_CLANG");
  return FindProgram(chosen != nullptr && *chosen != '\0' ? chosen : HALYARD_MSL_CLANG);
}

std::string DescribeClang(const std::string& clang) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical(clang, error);
  return path.string() + " " + std::to_string(std::filesystem::file_size(path, error)) + " " +
         std::to_string(std::filesystem::last_write_time(path, error).time_since_epoch().count());
}

Command::Command(const std::string& program, std::vector<std::string> flags, const std::vector<std::string>& files,
                 std::string messages)
    : messages_(std::move(messages)) {
  std::vector<std::string> words = std::move(flags);
  words.insert(words.begin(), program);
  words.insert(words.end(), files.begin(), files.end());
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, messages_.c_str(), kFlags, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  const int error = posix_spawn(&process_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return;
  process_ = 0;
  failure_ = "error: cannot run '" + words[0] + "': " + std::strerror(error) + "\n";
}

bool Command::Wait() {
  if (process_ == 0) return succeeded_;
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
  succeeded_ = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return succeeded_;
}

std::string Command::Messages() const { return failure_.empty() ? ReadFile(messages_) : failure_; }

std::vector<std::string> PreprocessFlags(const std::vector<std::pair<std::string, std::string>>& macros) {
  std::vector<std::string> flags =
      Words(std::string(kCommonFlags) + "-E -std=c++17 -D__METAL__=1 " + "-D__METAL_VERSION__=310 -D__METAL_MACOS__=1");
  flags.emplace_back("-I" HALYARD_MSL_FOLDER "/include");
  for (const auto& [name, value] : macros) flags.push_back(std::string("-D").append(name).append("=").append(value));
  return flags;
}

std::vector<std::string> CheckFlags() { return LanguageFlags("-fsyntax-only -DHALYARD_MSL_STRICT"); }

std::vector<std::string> CompileFlags() {
  return LanguageFlags(
      std::string("-O1 -g1 -fPIC -shared -fvisibility=hidden -ffp-contract=off -fno-math-errno -fwrapv -nostdlib++ "
                  "-fno-strict-aliasing -fno-exceptions -fno-rtti -fno-omit-frame-pointer ") +
      kSanitizer);
}

std::string DescribeFlags() {
  static const auto* const description = [] {  // never destroyed: threads may compile until the process ends
    std::string text;
    for (const auto& flags : {CheckFlags(), CompileFlags()}) {
      for (const std::string& flag : flags) text += flag + "\n";
    }
    std::vector<std::filesystem::path> headers;
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(HALYARD_MSL_FOLDER "/host", error)) {
      headers.push_back(entry.path());
    }
    std::ranges::sort(headers);
    for (const std::filesystem::path& header : headers) text += HashName({ReadFile(header)}) + "\n";
    return new std::string(std::move(text));
  }();
  return *description;
}

}  // namespace halyard::msl_host
