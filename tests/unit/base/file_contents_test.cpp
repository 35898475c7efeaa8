// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file_contents.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "fake_driver.h"
#include "temporary_folder.h"

namespace halyard {
namespace {

using testing::MessageHas;

std::string Text(const FileContents& contents) {
  return {reinterpret_cast<const char*>(contents.bytes().data()), contents.bytes().size()};
}

TEST(FileContentsTest, AreTheWholeFile) {
  const testing::TemporaryFolder folder;
  for (const size_t size : {size_t{0}, size_t{1}, size_t{256} << 10, (size_t{256} << 10) + 1, size_t{1} << 20}) {
    const std::string written(size, 'x');
    FileContents contents;
    EXPECT_EQ(contents.Read(folder.Write("file", written).c_str()), kOk);
    EXPECT_TRUE(Text(contents) == written) << size << " bytes";
  }
}

TEST(FileContentsTest, OfWhatIsNotThere) {
  FileContents contents;
  EXPECT_EQ(contents.Read("/no/such/file"), HAL_STATUS_NOT_FOUND);
  EXPECT_TRUE(MessageHas("cannot open '/no/such/file': "));
}

// What has no end would be read for ever, and a pipe that nobody writes to would not even open.
TEST(FileContentsTest, OnlyRegularFilesHaveThem) {
  const testing::TemporaryFolder folder;
  const std::string pipe = folder.Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, std::string("/dev/zero"), std::string("/")}) {
    FileContents contents;
    EXPECT_EQ(contents.Read(path.c_str()), HAL_STATUS_INVALID_ARGUMENT);
    EXPECT_TRUE(MessageHas(("'" + path + "': not a regular file").c_str()));
  }
}

}  // namespace
}  // namespace halyard
