// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "core/validation/checks.h"
#include "fake_driver.h"
#include "support/temporary_files.h"

namespace halyard {
namespace {

using testing::MessageHas;

constexpr hal_file_access_t kRead = HAL_FILE_ACCESS_READ;
constexpr hal_file_access_t kWrite = HAL_FILE_ACCESS_WRITE;

/// What only a caller of the vtable shows, and the messages of refusals. The suite checks all else (tests/cts).
class FileTest : public ::testing::Test {
 protected:
  ~FileTest() override {
    hal_file_release(file_);
    if (descriptor_ >= 0) close(descriptor_);
  }

  hal_status_t Open(const std::string& path, hal_file_access_t access) {
    return hal_file_open({path.data(), path.size()}, access, &file_);
  }
  hal_status_t FromDescriptor(int flags, hal_file_access_t access) {
    const std::string path = folder_.Write("file", "0123456789");
    descriptor_ = open(path.c_str(), flags);
    EXPECT_GE(descriptor_, 0);
    return hal_file_from_descriptor(descriptor_, access, &file_);
  }
  /// As a driver reads and writes.
  hal_status_t Read(uint64_t offset, uint64_t length, std::string* out) {
    out->assign(length, '?');
    return Publish(FromC(VtableOf(file_)->read(file_, offset, out->data(), length)));
  }

  TemporaryFolder folder_;
  hal_file_t* file_ = nullptr;
  int descriptor_ = -1;
};

TEST_F(FileTest, FailureNamesTheFunctionAndThePath) {
  EXPECT_EQ(Open(folder_ / "missing", kWrite), HAL_STATUS_NOT_FOUND);
  EXPECT_TRUE(MessageHas("hal_file_open"));
  EXPECT_TRUE(MessageHas("missing"));
}

TEST_F(FileTest, PipesAreRefusedWithoutWaitingForTheirOtherEnd) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(Open(pipe, kRead), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("not a regular file"));
  EXPECT_EQ(Open(pipe, kWrite), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(FileTest, PathHoldsNoZeroByte) { EXPECT_EQ(Open(std::string("a\0b", 3), kRead), HAL_STATUS_INVALID_ARGUMENT); }

TEST_F(FileTest, AFileThatShrankIsDataLoss) {
  const std::string path = folder_.Write("file", "0123456789");
  ASSERT_EQ(Open(path, kRead), HAL_STATUS_OK);
  ASSERT_EQ(truncate(path.c_str(), 7), 0);
  std::string text;
  EXPECT_EQ(Read(2, 8, &text), HAL_STATUS_DATA_LOSS);
  EXPECT_TRUE(MessageHas("8 bytes at offset 2"));
  EXPECT_TRUE(MessageHas("after 5"));
}

TEST_F(FileTest, DescriptorMustBeOpenedForTheAccess) {
  EXPECT_EQ(FromDescriptor(O_RDONLY, kWrite), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("hal_file_from_descriptor"));
  EXPECT_TRUE(MessageHas("not opened for writing"));
}

TEST_F(FileTest, DescriptorThatAppendsIsNotWritten) {
  EXPECT_EQ(FromDescriptor(O_RDWR | O_APPEND, kWrite), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_file_from_descriptor(descriptor_, kRead, &file_), HAL_STATUS_OK);
}

// Ranges that the checks of a queue operation would refuse.
TEST_F(FileTest, MemoryIsNotReadPastItsEnd) {
  std::string memory = "0123456789";
  ASSERT_EQ(hal_file_from_memory(memory.data(), 10, kRead, nullptr, nullptr, &file_), HAL_STATUS_OK);
  std::string text;
  EXPECT_EQ(Read(4, 7, &text), HAL_STATUS_DATA_LOSS);
  EXPECT_EQ(Read(UINT64_MAX, 2, &text), HAL_STATUS_DATA_LOSS);
}

TEST_F(FileTest, AbsurdLengthOfMemory) {
  char byte = 0;
  EXPECT_EQ(hal_file_from_memory(&byte, UINT64_MAX, kRead, nullptr, nullptr, &file_), HAL_STATUS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace halyard
