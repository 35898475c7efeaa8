// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many small kernels at once: objects of a device share mappings, and what one costs does not grow with their number.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "host_code.h"
#include "support/joining_thread.h"

namespace halyard::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Mappings of code and constants. Each chunk has one of data beside them, which other memory may join.
size_t CountMappings() {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);)
    count += line.find("memfd:halyard-code") != std::string::npos ? 1 : 0;
  return count;
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
  /// What the kernel of an object writes; the executable goes afterwards.
  int32_t RunOnce(const std::vector<std::byte>& object) {
    const hal_executable_params_t params = ObjectParams(object);
    Ref<hal_executable_t> executable;
    Ref<hal_semaphore_t> done;
    if (hal_executable_create(device_.get(), &params, executable.out()) != HAL_STATUS_OK ||
        hal_semaphore_create(device_.get(), nullptr, done.out()) != HAL_STATUS_OK) {
      return -1;
    }
    const Ref<hal_buffer_t> y = Buffer(2);
    const hal_buffer_ref_t ref = hal_buffer_ref(y.get(), 0, HAL_WHOLE_SIZE);
    hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
    dispatch.bindings = {&ref, 1};
    const hal_timeline_point_t point = hal_timeline_point(done.get(), 1);
    hal_submit_params_t submit = HAL_INIT(hal_submit_params_t);
    submit.signal_list = hal_semaphore_list(&point, 1);
    if (hal_device_queue_dispatch(device_.get(), &submit, executable.get(), 0, &dispatch) != HAL_STATUS_OK ||
        hal_semaphore_wait(done.get(), 1, HAL_TIMEOUT_INFINITE) != HAL_STATUS_OK) {
      return -1;
    }
    return Read<int32_t>(y, 2)[0];
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
  const size_t of_one = CountMappings();
  EXPECT_THAT(of_one, ::testing::AnyOf(1u, 2u)) << "an emulator may show what lies side by side as one";
  Make(3000);
  EXPECT_LE(CountMappings(), 8u);
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
  EXPECT_LE(CountMappings(), before + 2);
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

// Each thread loads, runs and releases what others have beside it in memory.
TEST_F(ManyObjectsTest, ThreadsLoadAndReleaseAtOnce) {
  if (HALYARD_EMULATED) GTEST_SKIP() << "as above";
  const std::vector<std::byte> object = ReadObject("small");
  std::atomic<int> right{0};
  constexpr int kThreads = 4, kRounds = 40;
  {
    std::vector<JoiningThread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int round = 0; round < kRounds; ++round) {
          const auto number = static_cast<uint32_t>(1000 * thread + round + 1);
          right += RunOnce(WithNumber(object, number)) == static_cast<int32_t>(number) ? 1 : 0;
        }
      });
    }
  }
#if defined(__x86_64__)
  EXPECT_EQ(right, kThreads * kRounds);
#endif
}

// At the limit of descriptors; that of mappings is the same to the library.
TEST_F(ManyObjectsTest, ALimitOfTheSystemIsExhaustion) {
  const std::vector<std::byte> object = ReadObject("small");
  hal_executable_params_t params = ObjectParams(object);
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const hal_status_t status = Create(params);
  const std::string message = hal_last_error_message();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(status, HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_THAT(message, HasSubstr("no memory for code"));
  EXPECT_EQ(Create(params), HAL_STATUS_OK) << hal_last_error_message();
}

class ManyObjectsSlowTest : public ManyObjectsTest {};

TEST_F(ManyObjectsSlowTest, AHundredThousandAtOnce) {
  Make(100'000);
  EXPECT_LE(CountMappings(), 40u);
  for (const size_t index : {0, 1, 50'000, 99'999}) ExpectRuns(index, 1);
}

}  // namespace
}  // namespace halyard::testing
