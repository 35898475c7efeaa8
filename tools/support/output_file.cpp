// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/output_file.h"

#include <cstring>
#include <filesystem>

#include "base/file/output_path.h"
#include "platform/folder.h"
#include "support/failure.h"

namespace halyard::tools {
namespace {

[[noreturn]] void FailToWrite(const std::string& path, const std::string& why) {
  Fail(ExitCode::kOutput, "cannot write '", path, "': ", why);
}

void Require(int error, const std::string& path) {
  if (error != 0) FailToWrite(path, std::strerror(error));
}

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
  FileFacts facts;
  if (ReadFacts(path.c_str(), &facts) != 0) return Target::kNew;
  if (facts.is_regular) return Target::kRegular;
  return facts.is_folder ? Target::kFolder : Target::kOther;
}

}  // namespace

void CheckWritable(const std::string& path, const FileKind& kind, Replace replace) {
  if (path.empty()) FailToWrite(path, "its name is empty");
  const std::string target = FollowLinks(path);
  const Target present = Classify(target);
  if (present == Target::kFolder) FailToWrite(path, "it is a folder");
  if (present == Target::kOther) return Require(CheckMayWrite(target.c_str()), path);
  const std::string folder = FolderOf(target);
  if (Classify(folder) != Target::kFolder) FailToWrite(path, Concat("there is no folder '", folder, "'"));
  FileDescriptor opened;
  Require(opened.OpenFolder(-1, folder.c_str()), path);
  Require(CheckMayWriteIn(opened.get()), path);
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
