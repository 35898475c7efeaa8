// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many small kernels at once: objects of a device share mappings, and what one costs does not grow with their number.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "host_code.h"

namespace halyard::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

size_t CountMappings() {
  std::ifstream maps("/proc/self/maps");
  return static_cast<size_t>(std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n'));
}

/// Whether a mapping of this process may be written and executed.
bool HasWritableCode() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::string access = line.substr(line.find(' ') + 1, 4);
    if (access[1] == 'w' && access[2] == 'x') return true;
  }
  return false;
}

class ManyObjectsTest : public HostCodeTest {
 protected:
  /// Executables that return different numbers.
  void Make(size_t count) {
    const std::vector<std::byte> object = ReadObject("small");
    for (size_t i = 0; i < count; ++i) {
      const std::vector<std::byte> own = WithNumber(object, static_cast<uint32_t>(made_.size()) + 1);
      Ref<hal_executable_t>& executable = made_.emplace_back();
      const hal_executable_params_t params = ObjectParams(own);
      ASSERT_EQ(hal_executable_create(device_.get(), &params, executable.out()), HAL_STATUS_OK)
          << i << ": " << hal_last_error_message();
    }
  }
  /// Compilers put the number into the code, in two parts on AArch64; there all have the same one.
  static std::vector<std::byte> WithNumber(std::vector<std::byte> object, uint32_t number) {
    const uint32_t mark = 0x12345678;
    std::byte bytes[4];
    std::memcpy(bytes, &mark, 4);
    const auto place = std::search(object.begin(), object.end(), std::begin(bytes), std::end(bytes));
    if (place != object.end()) std::memcpy(&*place, &number, 4);
    return object;
  }
  void ExpectRuns(size_t index, int32_t calls) {
    executable_ = made_[index];
    const Ref<hal_buffer_t> y = Buffer(2);
    hal_buffer_t* const buffers[] = {y.get()};
    ASSERT_EQ(Run(0, buffers), HAL_STATUS_OK) << hal_last_error_message();
#if defined(__x86_64__)
    EXPECT_THAT(Read<int32_t>(y, 2), ElementsAre(static_cast<int32_t>(index) + 1, calls));
#else
    EXPECT_THAT(Read<int32_t>(y, 2), ElementsAre(0x12345678, calls));
#endif
  }

  std::vector<Ref<hal_executable_t>> made_;
};

TEST_F(ManyObjectsTest, ShareMappings) {
  Make(1);
  const size_t before = CountMappings();
  Make(3000);
  // One mapping for each 64 KiB or so would be many; heaps take a few of their own.
  EXPECT_LE(CountMappings(), before + 24);
  EXPECT_FALSE(HasWritableCode());
  for (const size_t index : {0, 1, 1500, 3000}) ExpectRuns(index, 1);
}

TEST_F(ManyObjectsTest, MemoryIsUsedAgainAndZero) {
  if (HALYARD_EMULATED) GTEST_SKIP() << "QEMU before 8.1 does not see that code changes through another mapping";
  Make(2000);
  const size_t before = CountMappings();
  for (int round = 0; round < 5; ++round) {
    ExpectRuns(1000, 1);
    executable_ = {};
    made_.clear();
    Make(2000);
  }
  EXPECT_LE(CountMappings(), before + 6);
  for (const size_t index : {0, 999, 1999}) ExpectRuns(index, 1);
}

TEST_F(ManyObjectsTest, AnObjectThatIsTooLargeIsRefused) {
  std::vector<std::byte> object = ReadObject("small");
  // The size of .bss, which the file does not hold: of its only section of type NOBITS.
  uint64_t table = 0;
  uint16_t count = 0;
  std::memcpy(&table, &object[40], 8);
  std::memcpy(&count, &object[60], 2);
  for (uint16_t i = 0; i < count; ++i) {
    uint32_t type = 0;
    std::memcpy(&type, &object[table + 64 * i + 4], 4);
    const uint64_t size = uint64_t{1} << 40;
    if (type == 8) std::memcpy(&object[table + 64 * i + 32], &size, 8);
  }
  EXPECT_EQ(Create(ObjectParams(object)), HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("'.bss'"));
}

class ManyObjectsSlowTest : public ManyObjectsTest {};

TEST_F(ManyObjectsSlowTest, AHundredThousandAtOnce) {
  Make(1);
  const size_t before = CountMappings();
  Make(99'999);
  EXPECT_LE(CountMappings(), before + 200);
  for (const size_t index : {0, 1, 50'000, 99'999}) ExpectRuns(index, 1);
}

}  // namespace
}  // namespace halyard::testing
