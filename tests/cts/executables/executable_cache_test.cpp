// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executable caches: the same bytes are prepared once, and other bytes are never mistaken for them.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "support/temporary_files.h"

namespace halyard::cts {
namespace {

class ExecutableCacheTest : public DeviceTest {
 protected:
  ExecutableCacheTest() {
    Check(hal_executable_cache_create(device(), nullptr, cache_.out()), "hal_executable_cache_create");
  }

  hal_status_t Prepare(const hal_executable_params_t& params, Executable* out) const {
    return hal_executable_cache_prepare(cache_, &params, out->out());
  }
  Executable Prepared(const hal_executable_params_t& params) const {
    Executable executable;
    Check(Prepare(params, &executable), "hal_executable_cache_prepare");
    return executable;
  }
  /// The image as bytes instead of a path.
  hal_executable_params_t FromMemory(const std::vector<unsigned char>& image) const {
    hal_executable_params_t params = source_.params();
    params.path = {nullptr, 0};
    params.data = image.data();
    params.data_size = image.size();
    return params;
  }
  ExecutableCache cache_;
  /// Kernels that remember, where the device has such.
  const KernelSource source_{device(), HasKernels(device(), "state") ? "state" : "dispatch"};
};

/// Tells one loaded image from another by what each remembers.
class ExecutableCacheStateTest : public ExecutableCacheTest {
 protected:
  void SetUp() override {
    if (!HasKernels(device(), "state")) GTEST_SKIP() << "the device's kernels remember nothing";
  }
  /// How often the loaded image has been asked.
  uint32_t Ask(const Executable& executable) const {
    const Buffer answer = device().CreateBufferOf<uint32_t>({0});
    const Semaphore done = CreateSemaphore();
    Check(device().QueueDispatch(kNoWaits, {{done, 1}}, executable, "count_calls", Dispatch().Bind(answer)),
          "dispatch");
    Check(done.Wait(1), "dispatch");
    return Download<uint32_t>(answer).front();
  }
};

TEST_F(ExecutableCacheStateTest, GivesAnExecutableThatWorks) { EXPECT_EQ(Ask(Prepared(source_.params())), 1u); }

TEST_F(ExecutableCacheTest, GivesTheSameObjectBack) {
  const Executable first = Prepared(source_.params());
  EXPECT_EQ(Prepared(source_.params()).get(), first.get());
}

TEST_F(ExecutableCacheTest, ContentCountsNotWhereItComesFrom) {
  const std::vector<unsigned char> image = source_.ReadImage();
  const TemporaryFile copy(image);
  hal_executable_params_t other_path = source_.params();
  other_path.path = View(copy.path());
  const Executable first = Prepared(source_.params());
  EXPECT_EQ(Prepared(FromMemory(image)).get(), first.get());
  EXPECT_EQ(Prepared(other_path).get(), first.get());
}

// A byte after all that is loaded makes other content of it.
TEST_F(ExecutableCacheTest, OtherBytesAreAnotherObject) {
  std::vector<unsigned char> image = source_.ReadImage();
  const Executable first = Prepared(FromMemory(image));
  image.push_back(0);
  Executable second;
  if (Prepare(FromMemory(image), &second) != HAL_STATUS_OK) GTEST_SKIP() << "the format takes no byte too many";
  EXPECT_NE(second.get(), first.get());
}

TEST_F(ExecutableCacheTest, FileThatChangedIsAnotherObject) {
  std::vector<unsigned char> image = source_.ReadImage();
  const TemporaryFile file(image);
  hal_executable_params_t params = source_.params();
  params.path = View(file.path());
  const Executable first = Prepared(params);
  image.push_back(0);
  file.Write(image);
  Executable second;
  if (Prepare(params, &second) != HAL_STATUS_OK) GTEST_SKIP() << "the format takes no byte too many";
  EXPECT_NE(second.get(), first.get());
}

TEST_F(ExecutableCacheTest, OtherExportsAreAnotherObject) {
  if (source_.params().export_count == 0) GTEST_SKIP() << "images of this format describe their exports themselves";
  const Executable all = Prepared(source_.params());
  hal_executable_params_t params = source_.params();
  params.export_count = 1;
  const Executable fewer = Prepared(params);
  EXPECT_NE(fewer.get(), all.get());
  EXPECT_EQ(hal_executable_export_count(fewer), 1u);
  std::vector<hal_export_info_t> renamed(source_.params().exports, source_.params().exports + 2);
  renamed[0].symbol = renamed[0].name;
  renamed[0].name = View("another_name");
  params.exports = renamed.data();
  params.export_count = renamed.size();
  EXPECT_NE(Prepared(params).get(), all.get());
}

TEST_F(ExecutableCacheStateTest, OtherCachesPrepareForThemselves) {
  ExecutableCache other;
  ASSERT_OK(hal_executable_cache_create(device(), nullptr, other.out()));
  Executable elsewhere;
  ASSERT_OK(hal_executable_cache_prepare(other, &source_.params(), elsewhere.out()));
  const Executable here = Prepared(source_.params());
  EXPECT_NE(here.get(), elsewhere.get());
  EXPECT_EQ(Ask(elsewhere), 1u);
  EXPECT_EQ(Ask(here), 1u);
}

TEST_F(ExecutableCacheTest, ThreadsThatAskAtOnceGetTheSameObject) {
  for (int round = 0; round < 5; ++round) {
    ExecutableCache cache;
    ASSERT_OK(hal_executable_cache_create(device(), nullptr, cache.out()));
    std::vector<Executable> got(4);
    OnThreads(4, [&](size_t thread) {
      EXPECT_OK(hal_executable_cache_prepare(cache, &source_.params(), got[thread].out()));
    });
    for (const Executable& executable : got) {
      EXPECT_NE(executable.get(), nullptr);
      EXPECT_EQ(executable.get(), got[0].get());
    }
  }
}

TEST_F(ExecutableCacheTest, ThreadsPrepareAndTrimAtOnce) {
  const KernelSource other(device(), "basic");
  OnThreads(4, [&](size_t thread) {
    for (int i = 0; i < 10; ++i) {
      const Executable executable = Prepared(thread % 2 == 0 ? source_.params() : other.params());
      EXPECT_GT(hal_executable_export_count(executable), 0u);
      EXPECT_OK(hal_executable_cache_trim(cache_));
    }
  });
}

// --- Forgetting ---

// The image counts how often it is asked, from when it was loaded: an image that starts again at 1 was loaded anew.
TEST_F(ExecutableCacheStateTest, KeepsWhatIsNotUsedElsewhere) {
  EXPECT_EQ(Ask(Prepared(source_.params())), 1u);
  EXPECT_EQ(Ask(Prepared(source_.params())), 2u);
}

TEST_F(ExecutableCacheStateTest, TrimForgetsWhatIsNotUsedElsewhere) {
  EXPECT_EQ(Ask(Prepared(source_.params())), 1u);
  EXPECT_OK(hal_executable_cache_trim(cache_));
  EXPECT_EQ(Ask(Prepared(source_.params())), 1u);
}

TEST_F(ExecutableCacheStateTest, TrimKeepsWhatIsInUse) {
  const Executable used = Prepared(source_.params());
  EXPECT_EQ(Ask(used), 1u);
  EXPECT_OK(hal_executable_cache_trim(cache_));
  EXPECT_EQ(Prepared(source_.params()).get(), used.get());
  EXPECT_EQ(Ask(used), 2u);
}

TEST_F(ExecutableCacheStateTest, RecordingsCountAsUse) {
  const Buffer answer = device().CreateBufferOf<uint32_t>({0});
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    Check(c.Dispatch(Prepared(source_.params()), "count_calls", Dispatch().Bind(answer)), "dispatch");
  });
  EXPECT_OK(hal_executable_cache_trim(cache_));
  for (uint32_t i = 1; i <= 3; ++i) {
    const Semaphore done = CreateSemaphore();
    ASSERT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands));
    ASSERT_OK(done.Wait(1));
    EXPECT_EQ(Download<uint32_t>(answer).front(), i);
  }
}

TEST_F(ExecutableCacheTest, TrimOfAnEmptyCacheIsHarmless) { EXPECT_OK(hal_executable_cache_trim(cache_)); }

TEST_F(ExecutableCacheStateTest, ExecutablesOutliveTheCache) {
  const Executable executable = Prepared(source_.params());
  cache_.reset();
  EXPECT_EQ(Ask(executable), 1u);
}

TEST_F(ExecutableCacheTest, KeepsItsDevice) {
  ExecutableCache cache;
  {
    const Device other = OpenSecondDevice();
    ASSERT_OK(hal_executable_cache_create(other, nullptr, cache.out()));
  }
  const Device again = OpenSecondDevice();
  const KernelSource source(again, "basic");
  Executable executable;
  EXPECT_OK(hal_executable_cache_prepare(cache, &source.params(), executable.out()));
}

// --- Failures ---

TEST_F(ExecutableCacheTest, FailuresAreThoseOfCreation) {
  hal_executable_params_t params = source_.params();
  Executable executable;
  params.format = View("no-such-format");
  EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, Prepare(params, &executable));
  params = source_.params();
  params.path = View("/no/such/file");
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, Prepare(params, &executable));
  EXPECT_EQ(executable.get(), nullptr);
}

TEST_F(ExecutableCacheStateTest, FailuresAreNotKept) {
  const TemporaryFile file;
  hal_executable_params_t params = source_.params();
  params.path = View(file.path());
  Executable executable;
  EXPECT_NE(Prepare(params, &executable), HAL_STATUS_OK);
  file.Write(source_.ReadImage());
  EXPECT_OK(Prepare(params, &executable));
  EXPECT_EQ(Ask(executable), 1u);
}

TEST_F(ExecutableCacheTest, ThreadsThatAskForABadImageAllFail) {
  std::vector<unsigned char> image = source_.ReadImage();
  image.resize(100);
  OnThreads(4, [&](size_t) {
    Executable executable;
    EXPECT_NE(Prepare(FromMemory(image), &executable), HAL_STATUS_OK);
    EXPECT_STRNE(hal_last_error_message(), "");
    EXPECT_EQ(executable.get(), nullptr);
  });
}

TEST_F(ExecutableCacheTest, NullIsNothing) {
  hal_executable_cache_retain(nullptr);
  hal_executable_cache_release(nullptr);
}

}  // namespace
}  // namespace halyard::cts
