// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "platform/memory.h"

namespace halyard {
namespace {

TEST(MemoryRights, OfEachPageOfTheRange) {
  const size_t page = PageSize();
  void* const mapped = mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  char* const begin = static_cast<char*>(mapped);
  EXPECT_TRUE(MayBeWritten(begin, 4 * page));
  EXPECT_TRUE(MayBeWritten(begin + 1, 1));
  ASSERT_EQ(mprotect(begin + 2 * page, page, PROT_READ), 0);
  EXPECT_TRUE(MayBeWritten(begin, 2 * page));
  EXPECT_TRUE(MayBeWritten(begin + 3 * page, page));
  EXPECT_FALSE(MayBeWritten(begin + 2 * page, 1));
  EXPECT_FALSE(MayBeWritten(begin, 4 * page)) << "the page within";
  EXPECT_FALSE(MayBeWritten(begin + 2 * page - 1, 2)) << "the last byte";
  ASSERT_EQ(munmap(begin + page, page), 0);
  EXPECT_FALSE(MayBeWritten(begin, 2 * page)) << "nothing lies in the second page";
  munmap(begin, 4 * page);
}

}  // namespace
}  // namespace halyard
