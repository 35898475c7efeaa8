// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/program/command.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "platform/folder.h"
#include "support/failure.h"
#include "support/program/child_process.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

// As much of a compiler's complaint as a person reads.
constexpr size_t kMaxComplaint = 4000;

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

WorkFolder::WorkFolder() {
  path_ = (std::filesystem::temp_directory_path() / "halyard-XXXXXX").string();
  const int error = MakeNewFolder(path_.data());
  if (error != 0) Fail(ExitCode::kOutput, "cannot make a folder '", path_, "': ", std::strerror(error));
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string WorkFolder::Write(std::string_view name, std::string_view text) const {
  std::string path = *this / name;
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) Fail(ExitCode::kOutput, "cannot write '", path, "'");
  return path;
}

bool FindProgram(const std::string& name) {
#if defined(_WIN32)
  constexpr char kBetween = ';';
  const std::string file = name + ".exe";
#else
  constexpr char kBetween = ':';
  const std::string& file = name;
#endif
  const char* const path = std::getenv("PATH");
  for (const std::string_view folder : SplitText(path ? path : "/usr/local/bin:/usr/bin:/bin", kBetween)) {
    if (MayRun((std::string(folder) + "/" + file).c_str())) return true;
  }
  return false;
}

std::string RunCommand(const std::vector<std::string>& command, const WorkFolder& folder) {
  const std::string output = folder / "output";
  const std::string errors = folder / "errors";
  const int status = RunChild(command, output, errors);
  if (status == 0) return ReadAll(output);
  const std::string complaint = ReadAll(errors).substr(0, kMaxComplaint);
  Fail(ExitCode::kInput, command[0], status < 0 ? " crashed" : Concat(" failed with ", status),
       complaint.empty() ? "" : ":\n" + complaint);
}

}  // namespace halyard::tools
