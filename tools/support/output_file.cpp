// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/file/output_path.h"
#include "support/failure.h"

namespace halyard::tools {
namespace {

[[noreturn]] void FailToWrite(const std::string& path, const std::string& why) {
  Fail(ExitCode::kOutput, "cannot write '", path, "': ", why);
}

[[noreturn]] void FailToWrite(const std::string& path) { FailToWrite(path, std::strerror(errno)); }

// The messages name the file.
void CheckOutput(Status status) {
  if (const halyard::Failure failure(status); failure) Fail(ExitCode::kOutput, failure.message());
}

// Where the path leads, whether or not something is there.
std::string FollowLinks(const std::string& path) {
  HostString target;
  if (const halyard::Failure failure(ResolveOutputPath(path, &target)); failure) {
    FailToWrite(path, std::string(failure.message()));
  }
  return std::string(target);
}

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

enum class Target { kNew, kRegular, kFolder, kOther };

Target Classify(const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) return Target::kNew;
  if (S_ISREG(info.st_mode)) return Target::kRegular;
  return S_ISDIR(info.st_mode) ? Target::kFolder : Target::kOther;
}

}  // namespace

void CheckWritable(const std::string& path, const FileKind& kind, Replace replace) {
  if (path.empty()) FailToWrite(path, "its name is empty");
  const std::string target = FollowLinks(path);
  const Target present = Classify(target);
  if (present == Target::kFolder) FailToWrite(path, "it is a folder");
  if (present == Target::kOther) {
    if (access(target.c_str(), W_OK) != 0) FailToWrite(path);
    return;
  }
  const std::string folder = FolderOf(target);
  if (Classify(folder) != Target::kFolder) FailToWrite(path, Concat("there is no folder '", folder, "'"));
  if (access(folder.c_str(), W_OK | X_OK) != 0) FailToWrite(path);
  if (present == Target::kNew || replace == Replace::kAnything || IsOfKind(target, kind)) return;
  FailToWrite(path, Concat("it is there already, and is no ", kind.name, "; --force replaces it"));
}

OutputFile::OutputFile(const std::string& path, const FileKind& kind, Replace replace) {
  CheckWritable(path, kind, replace);
  CheckOutput(file_.Create(path.c_str(), SpecialFiles::kUse));
}

void OutputFile::Write(std::span<const std::byte> bytes) { CheckOutput(file_.Write(bytes)); }

void OutputFile::Commit() { CheckOutput(file_.Commit()); }

void WriteFile(const std::string& path, const FileKind& kind, Replace replace, std::span<const std::byte> bytes) {
  OutputFile file(path, kind, replace);
  file.Write(bytes);
  file.Commit();
}

}  // namespace halyard::tools
