// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of blob directories: what was written comes back, and nothing else is taken for it.
#include "core/executable/blob_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace halyard {
namespace {

constexpr std::string_view kKey = "cuda/13.0/sm_90/0123";
const std::string kBlob = "machine code";

std::vector<std::byte> FileOf(std::string_view key, std::string_view blob) {
  const auto bytes = std::as_bytes(std::span(blob));
  const auto header = MakeBlobHeader(key, bytes);
  std::vector<std::byte> file(header.begin(), header.end());
  for (const char c : key) file.push_back(static_cast<std::byte>(c));
  file.insert(file.end(), bytes.begin(), bytes.end());
  return file;
}

Status Parse(std::span<const std::byte> file, std::string_view key, std::string* out = nullptr) {
  std::span<const std::byte> blob;
  const Status status = ParseBlobFile(file, key, &blob);
  if (status == kOk && out) out->assign(reinterpret_cast<const char*>(blob.data()), blob.size());
  return status;
}

TEST(BlobFileTest, WhatWasWrittenComesBack) {
  std::string blob;
  ASSERT_EQ(Parse(FileOf(kKey, kBlob), kKey, &blob), kOk) << LastErrorMessage();
  EXPECT_EQ(blob, kBlob);
  ASSERT_EQ(Parse(FileOf(kKey, ""), kKey, &blob), kOk) << LastErrorMessage();
  EXPECT_EQ(blob, "");
}

TEST(BlobFileTest, EveryTruncationIsNoticed) {
  const auto file = FileOf(kKey, kBlob);
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_EQ(Publish(Parse(std::span(file).first(size), kKey)), HAL_STATUS_DATA_LOSS) << size;
  }
}

TEST(BlobFileTest, EveryFlippedBitIsNoticed) {
  for (size_t bit = 0; bit < 8 * FileOf(kKey, kBlob).size(); ++bit) {
    auto file = FileOf(kKey, kBlob);
    file[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_NE(Publish(Parse(file, kKey)), HAL_STATUS_OK) << bit;
  }
}

TEST(BlobFileTest, ByteTooManyIsNoticed) {
  auto file = FileOf(kKey, kBlob);
  file.push_back({});
  EXPECT_EQ(Publish(Parse(file, kKey)), HAL_STATUS_DATA_LOSS);
}

// The hash of both is the same; only the place where the key ends differs.
TEST(BlobFileTest, BlobThatContinuesTheKeyIsAnotherKeys) {
  EXPECT_EQ(Publish(Parse(FileOf("cuda", "/13.0"), "cuda/13.0")), HAL_STATUS_NOT_FOUND);
  auto file = FileOf("cuda", "/13.0");
  file[8] = std::byte{9};
  file[16] = std::byte{0};
  EXPECT_EQ(Publish(Parse(file, "cuda")), HAL_STATUS_NOT_FOUND);
}

TEST(BlobFileTest, SizesThatOverflowAreNoticed) {
  for (const size_t field : {8, 16}) {
    auto file = FileOf(kKey, kBlob);
    for (size_t i = 0; i < 8; ++i) file[field + i] = std::byte{0xFF};
    EXPECT_EQ(Publish(Parse(file, kKey)), HAL_STATUS_DATA_LOSS) << field;
  }
}

}  // namespace
}  // namespace halyard
