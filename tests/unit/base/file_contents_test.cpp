// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file/file_contents.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "fake_driver.h"
#include "support/temporary_files.h"

namespace halyard {
namespace {

using testing::MessageHas;

std::string Text(const HostVector<std::byte>& contents) {
  return {reinterpret_cast<const char*>(contents.data()), contents.size()};
}

TEST(FileContentsTest, AreTheWholeFile) {
  const TemporaryFolder folder;
  for (const size_t size : {size_t{0}, size_t{1}, size_t{256} << 10, (size_t{256} << 10) + 1, size_t{1} << 20}) {
    const std::string written(size, 'x');
    HostVector<std::byte> contents;
    EXPECT_EQ(ReadFile(folder.Write("file", written).c_str(), &contents), kOk);
    EXPECT_TRUE(Text(contents) == written) << size << " bytes";
  }
}

TEST(FileContentsTest, OfWhatIsNotThere) {
  HostVector<std::byte> contents;
  EXPECT_EQ(Publish(ReadFile("/no/such/file", &contents)), HAL_STATUS_NOT_FOUND);
  EXPECT_TRUE(MessageHas("cannot read '/no/such/file': "));
}

// What has no end would be read for ever, and a pipe without a writer would not even open.
TEST(FileContentsTest, OnlyRegularFilesHaveThem) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, std::string("/dev/zero"), std::string("/")}) {
    HostVector<std::byte> contents;
    EXPECT_EQ(Publish(ReadFile(path.c_str(), &contents)), HAL_STATUS_INVALID_ARGUMENT);
    EXPECT_TRUE(MessageHas(("'" + path + "': not a regular file").c_str()));
  }
}

TEST(FileContentsTest, OfDevicesAreReadWhereTheyAreWelcome) {
  HostVector<std::byte> contents;
  EXPECT_EQ(ReadFile("/dev/null", &contents, SpecialFiles::kUse), kOk);
  EXPECT_TRUE(contents.empty());
  EXPECT_EQ(Publish(ReadFile("/dev/zero", &contents, SpecialFiles::kUse, 1000)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("cannot read '/dev/zero': it has more than 1000 bytes"));
}

TEST(FileContentsTest, HaveAtMostSoManyBytes) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("file", std::string(1000, 'x'));
  HostVector<std::byte> contents;
  EXPECT_EQ(ReadFile(path.c_str(), &contents, SpecialFiles::kRefuse, 1000), kOk);
  EXPECT_EQ(Publish(ReadFile(path.c_str(), &contents, SpecialFiles::kRefuse, 999)), HAL_STATUS_OUT_OF_RANGE);
}

}  // namespace
}  // namespace halyard
