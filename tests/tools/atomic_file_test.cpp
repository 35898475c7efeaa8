// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <span>
#include <string_view>

#include "support/failure.h"
#include "temporary_folder.h"

namespace halyard::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string RefusalOf(const std::string& path) {
  try {
    CheckWritable(path);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kOutput);
    return failure.what();
  }
  return "it could be written";
}

TEST(AtomicFileTest, AppearsAtCommit) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "result");
  file.Write(Bytes("one "));
  file.Write(Bytes("two"));
  EXPECT_FALSE(std::filesystem::exists(folder / "result"));
  file.Commit();
  EXPECT_EQ(ReadText(folder / "result"), "one two");
  EXPECT_THAT(folder.Names(), ElementsAre("result"));
}

TEST(AtomicFileTest, LeavesNothingBehindWithoutCommit) {
  const TemporaryFolder folder;
  folder.Write("result", "old");
  {
    AtomicFile file(folder / "result");
    file.Write(Bytes("new"));
  }
  EXPECT_EQ(ReadText(folder / "result"), "old");
  EXPECT_THAT(folder.Names(), ElementsAre("result"));
}

TEST(AtomicFileTest, ReplacesAFileAndKeepsItsPermissions) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("result", "old");
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  WriteFile(path, Bytes("new"));
  struct stat info = {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
  EXPECT_EQ(ReadText(path), "new");
}

TEST(AtomicFileTest, FollowsLinks) {
  const TemporaryFolder folder;
  folder.Write("target", "old");
  std::filesystem::create_symlink("target", folder / "link");
  WriteFile(folder / "link", Bytes("new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(ReadText(folder / "target"), "new");
}

TEST(AtomicFileTest, WritesIntoDevicesDirectly) {
  WriteFile("/dev/null", Bytes("gone"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(AtomicFileTest, SaysWhyAFileCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_THAT(RefusalOf(""), HasSubstr("its name is empty"));
  EXPECT_THAT(RefusalOf(folder / "."), HasSubstr("it is a folder"));
  EXPECT_THAT(RefusalOf(folder / "missing/result"), HasSubstr("there is no folder"));
  EXPECT_EQ(RefusalOf(folder / "result"), "it could be written");
  EXPECT_THROW(WriteFile(folder / "missing/result", {}), Failure);
}

}  // namespace
}  // namespace halyard::tools
