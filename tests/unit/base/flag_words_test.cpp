// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/flag_words.h"

#include <gtest/gtest.h>

namespace halyard {
namespace {

TEST(FlagWordsTest, NamesAreThoseOfTheHeaders) {
  EXPECT_STREQ(UsageWords(HAL_BUFFER_USAGE_STORAGE).c_str(), "STORAGE");
  EXPECT_STREQ(UsageWords(HAL_BUFFER_USAGE_TRANSFER | HAL_BUFFER_USAGE_MAPPING).c_str(), "TRANSFER|MAPPING");
  EXPECT_STREQ(UsageWords(HAL_BUFFER_USAGE_TRANSFER_TARGET).c_str(), "TRANSFER_TARGET");
  EXPECT_STREQ(UsageWords(HAL_BUFFER_USAGE_NONE).c_str(), "NONE");
  EXPECT_STREQ(UsageWords(HAL_BUFFER_USAGE_ALL).c_str(), "TRANSFER|STORAGE|INDIRECT|MAPPING|EXPORT");
  EXPECT_STREQ(MemoryTypeWords(HAL_MEMORY_TYPE_ALL).c_str(),
               "DEVICE_LOCAL|HOST_LOCAL|HOST_VISIBLE|HOST_COHERENT|HOST_CACHED");
}

TEST(FlagWordsTest, BitsWithoutNameAreNumbers) {
  EXPECT_STREQ(UsageWords(HAL_BUFFER_USAGE_EXPORT | UINT64_C(1) << 40).c_str(), "EXPORT|0x10000000000");
}

}  // namespace
}  // namespace halyard
