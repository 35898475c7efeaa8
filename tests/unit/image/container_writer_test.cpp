// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executable files on a disk: they appear complete or not at all.
#include "image/halx/container_writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "base/file/atomic_file.h"
#include "container_samples.h"
#include "support/temporary_files.h"

namespace halyard::testing {
namespace {

std::string TextOf(const FileBytes& file) { return {reinterpret_cast<const char*>(file.data()), file.size()}; }

bool MessageSays(std::string_view text) { return LastErrorMessage().find(text) != std::string_view::npos; }

class ContainerWriterTest : public ::testing::Test {
 protected:
  Status Write(const std::string& name, const ContainerContents& contents = SampleContents()) {
    return WriteContainer(contents, (folder_ / name).c_str());
  }

  TemporaryFolder folder_;
};

TEST_F(ContainerWriterTest, WritesTheBytesThatItMakes) {
  ASSERT_EQ(Write("a.halx"), kOk) << LastErrorMessage();
  EXPECT_EQ(ReadText(folder_ / "a.halx"), TextOf(SampleFile()));
  EXPECT_EQ(folder_.Names().size(), 1u);
}

TEST_F(ContainerWriterTest, ReplacesWhatIsThere) {
  folder_.Write("a.halx", std::string(100000, 'x'));
  ASSERT_EQ(Write("a.halx"), kOk) << LastErrorMessage();
  EXPECT_EQ(ReadText(folder_ / "a.halx"), TextOf(SampleFile()));
  EXPECT_EQ(folder_.Names().size(), 1u);
}

TEST_F(ContainerWriterTest, WritesAnOpenFileAnew) {
  ASSERT_EQ(Write("a.halx"), kOk);
  Container container;
  ASSERT_EQ(container.Open((folder_ / "a.halx").c_str()), kOk);
  ContainerContents other = SampleContents();
  other.exports[0].name = "other";
  ASSERT_EQ(Write("a.halx", other), kOk);
  ExpectSame(container.contents(), SampleContents());
}

TEST_F(ContainerWriterTest, BadContentsLeaveTheOldFile) {
  folder_.Write("a.halx", "old");
  ContainerContents contents = SampleContents();
  contents.exports[1].name = "scale";
  EXPECT_EQ(Publish(Write("a.halx", contents)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageSays("exports[1].name: 'scale' is the name of exports[0] already")) << LastErrorMessage();
  EXPECT_EQ(ReadText(folder_ / "a.halx"), "old");
  EXPECT_EQ(folder_.Names().size(), 1u);
}

TEST_F(ContainerWriterTest, MoreMetadataThanAReaderTakesIsRefused) {
  const std::string name(60000, 'n');
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i) names.push_back(std::to_string(i) + name);
  ContainerContents contents = SampleContents();
  contents.exports.clear();
  for (const std::string& each : names) contents.exports.push_back({each, {1, 1, 1}, 0, 0, {}});
  for (ContainerVariant& variant : contents.variants)
    variant.entry_points = EntryPointsOf(std::vector<std::string_view>(300));
  EXPECT_EQ(Publish(Write("a.halx", contents)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageSays("metadata: at least 18")) << LastErrorMessage();
}

TEST_F(ContainerWriterTest, MissingFoldersAreNamed) {
  EXPECT_EQ(Publish(Write("no/such/a.halx")), HAL_STATUS_NOT_FOUND);
  EXPECT_TRUE(MessageSays("no/such/a.halx': No such file or directory")) << LastErrorMessage();
}

TEST_F(ContainerWriterTest, OnlyFilesAreReplaced) {
  std::filesystem::create_directory(folder_ / "folder");
  EXPECT_EQ(Publish(Write("folder")), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Publish(WriteContainer(SampleContents(), "/dev/null")), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageSays("cannot write '/dev/null': it is there already and not a regular file"));
  EXPECT_EQ(folder_.Names().size(), 1u);
}

TEST_F(ContainerWriterTest, LinksStayLinks) {
  folder_.Write("real.halx", "old");
  std::filesystem::create_symlink(folder_ / "real.halx", folder_ / "link.halx");
  ASSERT_EQ(Write("link.halx"), kOk) << LastErrorMessage();
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.halx"));
  EXPECT_EQ(ReadText(folder_ / "real.halx"), TextOf(SampleFile()));
}

TEST_F(ContainerWriterTest, PermissionsAreKept) {
  folder_.Write("a.halx", "old");
  ASSERT_EQ(chmod((folder_ / "a.halx").c_str(), 0640), 0);
  ASSERT_EQ(Write("a.halx"), kOk);
  struct stat about = {};
  ASSERT_EQ(stat((folder_ / "a.halx").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0640u);
}

TEST_F(ContainerWriterTest, NamesThatAKilledProcessLeftAreNoObstacle) {
  AtomicFile first;
  ASSERT_EQ(first.Create((folder_ / "a").c_str()), kOk);
  const std::string left = std::filesystem::directory_iterator(folder_ / "")->path().filename();
  const size_t number = std::stoul(left.substr(left.rfind('-') + 1));
  const std::string stem = left.substr(0, left.rfind('-') + 1);
  for (size_t i = 1; i < 4; ++i) folder_.Write(stem + std::to_string(number + i) + ".tmp", "left");
  AtomicFile second;
  EXPECT_EQ(second.Create((folder_ / "a").c_str()), kOk) << LastErrorMessage();
}

TEST_F(ContainerWriterTest, WhatIsNotCommittedLeavesNothing) {
  folder_.Write("a", "old");
  {
    AtomicFile file;
    ASSERT_EQ(file.Create((folder_ / "a").c_str()), kOk);
    ASSERT_EQ(file.Write(std::as_bytes(std::span("new"))), kOk);
    EXPECT_EQ(folder_.Names().size(), 2u);
  }
  EXPECT_EQ(ReadText(folder_ / "a"), "old");
  EXPECT_EQ(folder_.Names().size(), 1u);
}

}  // namespace
}  // namespace halyard::testing
