// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code that was compiled from PTX is cached beyond the process. Each test starts processes of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include "cts/memory_blobs.h"
#include "driver_kit/object/object.h"
#include "halyard/cpp/submit.hpp"
#include "halyard/halyard.h"
#include "test_kernel.h"
#include "unit/cuda_api.h"

namespace halyard::interop {
namespace {

#define CHECK_THAT(condition)                                                                   \
  if (!(condition)) {                                                                           \
    std::fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #condition, hal_last_error_message()); \
    std::exit(99);                                                                              \
  }

// Prepares the kernels of `ptx`, by a cache with a folder or by a store, and launches one that tells its result.
// Returns how often PTX was compiled.
uint64_t CompileCount(const char* directory, const hal_blob_store_t* store, const std::string& ptx) {
  setenv("HALYARD_CUDA_LIBRARY", HALYARD_SIM_LIBRARY, 1);
  const sim::CudaApi& cuda = sim::CudaApi::Get();
  cuda.Reset();
  Ref<hal_device_t> device;
  CHECK_THAT(hal_device_create(hal_string_view("cuda://0"), device.out()) == HAL_STATUS_OK);
  hal_executable_cache_params_t cache_params = HAL_INIT(hal_executable_cache_params_t);
  if (directory) cache_params.directory = hal_string_view(directory);
  cache_params.blobs = store;
  Ref<hal_executable_cache_t> cache;
  CHECK_THAT(hal_executable_cache_create(device.get(), &cache_params, cache.out()) == HAL_STATUS_OK);

  const TestKernel append("append", AppendParameters(), ptx);
  Ref<hal_executable_t> executable;
  CHECK_THAT(hal_executable_cache_prepare(cache.get(), &append.params(), executable.out()) == HAL_STATUS_OK);

  const hal_buffer_params_t staging = {
      sizeof(staging), HAL_MEMORY_TYPE_HOST_VISIBLE, HAL_BUFFER_USAGE_ALL, HAL_QUEUE_ANY, 0, 0, 0};
  Ref<hal_buffer_t> log;
  CHECK_THAT(hal_allocator_allocate(hal_device_allocator(device.get()), &staging, 64, log.out()) == HAL_STATUS_OK);
  uint32_t words[2] = {};
  CHECK_THAT(hal_buffer_write(log.get(), 0, words, sizeof(words)) == HAL_STATUS_OK);
  Ref<hal_semaphore_t> done;
  CHECK_THAT(hal_semaphore_create(device.get(), nullptr, done.out()) == HAL_STATUS_OK);
  const hal_timeline_point_t point = hal_timeline_point(done.get(), 1);
  const hal_buffer_ref_t binding = hal_buffer_ref(log.get(), 0, HAL_WHOLE_SIZE);
  const uint32_t value = 77;
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.constants = &value;
  dispatch.constants_size = sizeof(value);
  dispatch.bindings = hal_buffer_ref_list(&binding, 1);
  CHECK_THAT(hal_device_queue_dispatch(device.get(),
                                       hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&point, 1), 1),
                                       executable.get(), 0, &dispatch) == HAL_STATUS_OK);
  CHECK_THAT(hal_semaphore_wait(done.get(), 1, 10'000'000'000) == HAL_STATUS_OK);
  CHECK_THAT(hal_buffer_read(log.get(), 0, words, sizeof(words)) == HAL_STATUS_OK);
  CHECK_THAT(words[0] == 1 && words[1] == value);
  return cuda.Calls("cuLinkComplete");
}

[[noreturn]] void RunProcess(const std::string& directory, const std::string& ptx) {
  std::exit(static_cast<int>(CompileCount(directory.c_str(), nullptr, ptx)));
}

class CodeCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // starts the program again
    // The same for the process that starts and the one that is started, which runs this as well.
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    directory_ = std::filesystem::temp_directory_path() / (std::string("halyard-code-cache-") + test->name());
    if (!testing::internal::InDeathTestChild()) std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
    std::filesystem::permissions(directory_, std::filesystem::perms::owner_all);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // A process that is started comes by here as well, on its way to what it is to do, and must leave things alone.
  void CutFiles() const {
    if (testing::internal::InDeathTestChild()) return;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_)) {
      if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), entry.file_size() / 2);
    }
  }

  std::filesystem::path directory_;
};

constexpr int kCompiled = 1;
constexpr int kFound = 0;

TEST_F(CodeCacheTest, TheSecondProcessDoesNotCompile) {
  EXPECT_EXIT(RunProcess(directory_, vendor::Image()), testing::ExitedWithCode(kCompiled), "");
  EXPECT_EXIT(RunProcess(directory_, vendor::Image()), testing::ExitedWithCode(kFound), "");
}

TEST_F(CodeCacheTest, FilesThatWereCutAreMadeAgain) {
  EXPECT_EXIT(RunProcess(directory_, vendor::Image()), testing::ExitedWithCode(kCompiled), "");
  CutFiles();
  EXPECT_EXIT(RunProcess(directory_, vendor::Image()), testing::ExitedWithCode(kCompiled), "");
  EXPECT_EXIT(RunProcess(directory_, vendor::Image()), testing::ExitedWithCode(kFound), "");
}

TEST(CodeCacheStoreTest, KeysNameDriverArchitectureAndContents) {
  cts::MemoryBlobs store;
  const hal_blob_store_t interface = store.Interface();
  EXPECT_EQ(CompileCount(nullptr, &interface, vendor::Image()), 1U);
  ASSERT_EQ(store.blobs.size(), 1U);
  EXPECT_THAT(store.blobs.begin()->first, testing::MatchesRegex("cuda/driver-13\\.0/sm_90/ptx/[0-9a-f]{32}"));
  EXPECT_EQ(CompileCount(nullptr, &interface, vendor::Image()), 0U);
}

// A store that returns anything else costs a compilation at most.
TEST(CodeCacheStoreTest, DamageIsHarmless) {
  cts::MemoryBlobs store;
  const hal_blob_store_t interface = store.Interface();
  EXPECT_EQ(CompileCount(nullptr, &interface, vendor::Image()), 1U);
  const std::function<std::string(std::string)> damages[] = {
      [](std::string) { return std::string(); },
      [](std::string blob) { return blob.substr(0, 10); },
      [](std::string blob) { return blob.substr(0, 64); },
      [](std::string blob) { return blob.substr(0, blob.size() / 2); },
      [](std::string blob) { return blob.substr(0, blob.size() - 1); },
      [](std::string blob) { return std::string(blob.size(), 'x'); },
      [](std::string blob) {
        for (size_t i = 18; i < 64; ++i) blob[i] = '\xFF';
        return blob;
      },
  };
  for (const auto& damage : damages) {
    store.alter = damage;
    EXPECT_EQ(CompileCount(nullptr, &interface, vendor::Image()), 1U);
  }
  store.alter = [](std::string blob) { return blob; };
  EXPECT_EQ(CompileCount(nullptr, &interface, vendor::Image()), 0U);
}

TEST(CodeCacheStoreTest, MistakesAreToldAndNotKept) {
  setenv("HALYARD_CUDA_LIBRARY", HALYARD_SIM_LIBRARY, 1);
  sim::CudaApi::Get();
  Ref<hal_device_t> device;
  ASSERT_EQ(hal_device_create(hal_string_view("cuda://0"), device.out()), HAL_STATUS_OK);
  cts::MemoryBlobs store;
  const hal_blob_store_t interface = store.Interface();
  const TestKernel bad("k", {},
                       ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .nonsense p) { ret; }");
  hal_executable_params_t params = bad.params();
  params.blobs = &interface;
  Ref<hal_executable_t> executable;
  EXPECT_EQ(hal_executable_create(device.get(), &params, executable.out()), HAL_STATUS_ABORTED);
  EXPECT_THAT(hal_last_error_message(), testing::HasSubstr("cuLinkAddData_v2: CUDA_ERROR_INVALID_PTX"));
  EXPECT_THAT(hal_last_error_message(), testing::HasSubstr("the compiler says: "));
  EXPECT_TRUE(store.blobs.empty());
}

}  // namespace
}  // namespace halyard::interop
