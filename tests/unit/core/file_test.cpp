// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
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
    return VtableOf(file_)->read(file_, offset, out->data(), length);
  }
  hal_status_t Write(uint64_t offset, const std::string& text) {
    return VtableOf(file_)->write(file_, offset, text.data(), text.size());
  }

  TemporaryFolder folder_;
  hal_file_t* file_ = nullptr;
  int descriptor_ = -1;
};

TEST_F(FileTest, ReadsAndWritesByPath) {
  ASSERT_EQ(Open(folder_.Write("file", "0123456789"), kRead | kWrite), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(hal_file_length(file_), 10u);
  std::string text;
  EXPECT_EQ(Read(3, 4, &text), HAL_STATUS_OK);
  EXPECT_EQ(text, "3456");
  EXPECT_EQ(Write(8, "xy"), HAL_STATUS_OK);
  EXPECT_EQ(Read(0, 10, &text), HAL_STATUS_OK);
  EXPECT_EQ(text, "01234567xy");
  EXPECT_EQ(Read(10, 0, &text), HAL_STATUS_OK);
}

TEST_F(FileTest, NothingIsCreatedOrCut) {
  EXPECT_EQ(Open(folder_ / "missing", kWrite), HAL_STATUS_NOT_FOUND);
  EXPECT_TRUE(MessageHas("hal_file_open"));
  EXPECT_TRUE(MessageHas("missing"));
  EXPECT_EQ(file_, nullptr);
  EXPECT_EQ(folder_.Names().size(), 0u);
  ASSERT_EQ(Open(folder_.Write("file", "0123456789"), kWrite), HAL_STATUS_OK);
  EXPECT_EQ(ReadText(folder_ / "file"), "0123456789");
}

TEST_F(FileTest, RefusesWhatIsNoRegularFile) {
  EXPECT_EQ(Open(folder_ / "", kRead), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("not a regular file"));
  EXPECT_EQ(Open(folder_ / "", kWrite), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Open("/dev/null", kRead), HAL_STATUS_INVALID_ARGUMENT);
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(Open(pipe, kRead), HAL_STATUS_INVALID_ARGUMENT);  // and does not wait for a writer
  EXPECT_EQ(Open(pipe, kWrite), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(FileTest, ChecksItsArguments) {
  const std::string path = folder_.Write("file", "");
  EXPECT_EQ(Open(path, 0), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Open(path, 4 | kRead), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Open("", kRead), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Open(std::string("a\0b", 3), kRead), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_file_open(hal_string_view(path.c_str()), kRead, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(file_, nullptr);
  EXPECT_EQ(hal_file_length(nullptr), 0u);
  hal_file_retain(nullptr);
  hal_file_release(nullptr);
}

TEST_F(FileTest, NeedsPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may do everything";
  const std::string path = folder_.Write("file", "x");
  chmod(path.c_str(), 0400);
  EXPECT_EQ(Open(path, kWrite), HAL_STATUS_PERMISSION_DENIED);
}

TEST_F(FileTest, AFileThatShrankIsDataLoss) {
  const std::string path = folder_.Write("file", "0123456789");
  ASSERT_EQ(Open(path, kRead), HAL_STATUS_OK);
  ASSERT_EQ(truncate(path.c_str(), 7), 0);
  std::string text;
  EXPECT_EQ(Read(2, 8, &text), HAL_STATUS_DATA_LOSS);
  EXPECT_TRUE(MessageHas("8 bytes at offset 2"));
  EXPECT_TRUE(MessageHas("after 5"));
}

TEST_F(FileTest, DescriptorIsUsedByOffsetAndStaysOpen) {
  ASSERT_EQ(FromDescriptor(O_RDWR, kRead | kWrite), HAL_STATUS_OK) << hal_last_error_message();
  std::string text;
  EXPECT_EQ(Read(5, 2, &text), HAL_STATUS_OK);
  EXPECT_EQ(text, "56");
  EXPECT_EQ(Write(0, "ab"), HAL_STATUS_OK);
  EXPECT_EQ(lseek(descriptor_, 0, SEEK_CUR), 0);
  hal_file_release(file_);
  file_ = nullptr;
  EXPECT_NE(fcntl(descriptor_, F_GETFD), -1);
  EXPECT_EQ(ReadText(folder_ / "file"), "ab23456789");
}

TEST_F(FileTest, DescriptorMustBeOpenedForTheAccess) {
  EXPECT_EQ(FromDescriptor(O_RDONLY, kWrite), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("not opened for writing"));
}

TEST_F(FileTest, DescriptorThatOnlyWritesIsNotRead) {
  EXPECT_EQ(FromDescriptor(O_WRONLY, kRead), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(FileTest, DescriptorThatAppendsIsNotWritten) {
  EXPECT_EQ(FromDescriptor(O_RDWR | O_APPEND, kWrite), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_file_from_descriptor(descriptor_, kRead, &file_), HAL_STATUS_OK);
}

TEST_F(FileTest, DescriptorMustBeOpenAndRegular) {
  EXPECT_EQ(hal_file_from_descriptor(-1, kRead, &file_), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("hal_file_from_descriptor"));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(hal_file_from_descriptor(ends[0], kRead, &file_), HAL_STATUS_INVALID_ARGUMENT);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(FileTest, MemoryIsReadWrittenAndGivenBackOnce) {
  std::string memory = "0123456789";
  int released = 0;
  const auto release = [](void* user_data) { ++*static_cast<int*>(user_data); };
  ASSERT_EQ(hal_file_from_memory(memory.data(), 10, kRead | kWrite, release, &released, &file_), HAL_STATUS_OK);
  EXPECT_EQ(hal_file_length(file_), 10u);
  std::string text;
  EXPECT_EQ(Read(4, 6, &text), HAL_STATUS_OK);
  EXPECT_EQ(text, "456789");
  EXPECT_EQ(Write(0, "ab"), HAL_STATUS_OK);
  EXPECT_EQ(memory, "ab23456789");
  EXPECT_EQ(Read(4, 7, &text), HAL_STATUS_DATA_LOSS);
  EXPECT_EQ(Read(UINT64_MAX, 2, &text), HAL_STATUS_DATA_LOSS);
  hal_file_retain(file_);
  hal_file_release(file_);
  EXPECT_EQ(released, 0);
  hal_file_release(file_);
  file_ = nullptr;
  EXPECT_EQ(released, 1);
}

TEST_F(FileTest, MemoryMustBeGiven) {
  int released = 0;
  const auto release = [](void* user_data) { ++*static_cast<int*>(user_data); };
  EXPECT_EQ(hal_file_from_memory(nullptr, 1, kRead, release, &released, &file_), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_file_from_memory(&released, 1, 0, release, &released, &file_), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_file_from_memory(&released, UINT64_MAX, kRead, release, &released, &file_),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(released, 0);
  EXPECT_EQ(hal_file_from_memory(nullptr, 0, kRead, nullptr, nullptr, &file_), HAL_STATUS_OK);
}

}  // namespace
}  // namespace halyard
