// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <span>
#include <string_view>

#include "support/failure.h"
#include "support/temporary_files.h"

namespace halyard::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::span<const std::byte> BytesOf(std::string_view text) { return std::as_bytes(std::span(text)); }

constexpr FileKind kKind = {"list of words", "words:", 0};

void WriteWords(const std::string& path, std::string_view text, Replace replace = Replace::kSameKind) {
  WriteFile(path, kKind, replace, BytesOf(text));
}

std::string CheckRefusalOf(const std::string& path) {
  try {
    CheckWritable(path, kKind, Replace::kSameKind);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kOutput);
    return failure.what();
  }
  return "it could be written";
}

TEST(OutputFileTest, AppearsAtCommit) {
  const TemporaryFolder folder;
  OutputFile file(folder / "result", kKind, Replace::kSameKind);
  file.Write(BytesOf("one "));
  file.Write(BytesOf("two"));
  EXPECT_FALSE(std::filesystem::exists(folder / "result"));
  file.Commit();
  EXPECT_EQ(ReadText(folder / "result"), "one two");
  EXPECT_THAT(folder.Names(), ElementsAre("result"));
}

TEST(OutputFileTest, LeavesNothingBehindWithoutCommit) {
  const TemporaryFolder folder;
  folder.Write("result", "words: old");
  {
    OutputFile file(folder / "result", kKind, Replace::kSameKind);
    file.Write(BytesOf("new"));
  }
  EXPECT_EQ(ReadText(folder / "result"), "words: old");
  EXPECT_THAT(folder.Names(), ElementsAre("result"));
}

TEST(OutputFileTest, ReplacesAFileAndKeepsItsPermissions) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("result", "words: old");
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  WriteWords(path, "new");
  struct stat info = {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
  EXPECT_EQ(ReadText(path), "new");
}

TEST(OutputFileTest, FollowsLinks) {
  const TemporaryFolder folder;
  folder.Write("target", "words: old");
  std::filesystem::create_symlink("target", folder / "link");
  WriteWords(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(ReadText(folder / "target"), "new");
}

TEST(OutputFileTest, WritesIntoDevicesDirectly) {
  WriteWords("/dev/null", "gone");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(OutputFileTest, SaysWhyAFileCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_THAT(CheckRefusalOf(""), HasSubstr("its name is empty"));
  EXPECT_THAT(CheckRefusalOf(folder / "."), HasSubstr("it is a folder"));
  EXPECT_THAT(CheckRefusalOf(folder / "missing/result"), HasSubstr("there is no folder"));
  EXPECT_EQ(CheckRefusalOf(folder / "result"), "it could be written");
  EXPECT_THROW(WriteWords(folder / "missing/result", {}), Failure);
}

TEST(OutputFileTest, FollowsLinksToWhatIsNotThereYet) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("target", folder / "link");
  WriteWords(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(ReadText(folder / "target"), "new");
}

TEST(OutputFileTest, ReplacesNoFileOfAnotherKindUnlessForced) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("result", "a letter");
  EXPECT_THAT(CheckRefusalOf(path), HasSubstr("it is there already, and is no list of words; --force replaces it"));
  EXPECT_THROW(WriteWords(path, "new"), Failure);
  EXPECT_EQ(ReadText(path), "a letter");
  WriteWords(path, "new", Replace::kAnything);
  EXPECT_EQ(ReadText(path), "new");
}

TEST(OutputFileTest, ReplacesAnEmptyFile) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("result", "");
  WriteWords(path, "new");
  EXPECT_EQ(ReadText(path), "new");
}

// Even with --force: another user may have put the link there.
TEST(OutputFileTest, FollowsNoLinkOutOfAFolderThatAllUsersCanWriteTo) {
  const TemporaryFolder folder;
  const std::string target = folder.Write("target", "words: old");
  std::filesystem::create_directory(folder / "open");
  std::filesystem::create_symlink(target, folder / "open/link");
  std::filesystem::create_symlink("..", folder / "open/up");
  std::filesystem::create_symlink("open/link", folder / "chain");
  ASSERT_EQ(chmod((folder / "open").c_str(), 01777), 0);
  for (const char* const path : {"open/link", "open/up/target", "chain"}) {
    EXPECT_THAT(CheckRefusalOf(folder / path), HasSubstr("is a link in a folder that all users can write to"));
    EXPECT_THROW(WriteWords(folder / path, "new", Replace::kAnything), Failure);
  }
  EXPECT_EQ(ReadText(target), "words: old");
  WriteWords(folder / "open/own", "new");  // no link
}

TEST(OutputFileTest, LinksInACircleAreRefused) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("b", folder / "a");
  std::filesystem::create_symlink("a", folder / "b");
  EXPECT_THAT(CheckRefusalOf(folder / "a"), HasSubstr("too many links"));
}

}  // namespace
}  // namespace halyard::tools
