// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA driver on a real device. Tests that lose a context run in processes of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cuda/hardware/cuda_test.h"
#include "halyard/cpp/submit.hpp"
#include "halyard/executable_targets.h"

namespace halyard::cuda {
namespace {

using testing::HasSubstr;

constexpr uint64_t kDispatches = 20;  // that are under way when the process ends

TEST_F(CudaDeviceTest, IsFoundByOrdinalUuidAndAddress) {
  const CudaLibrary* cuda = nullptr;
  ASSERT_EQ(Publish(CudaLibrary::Get(&cuda)), HAL_STATUS_OK);
  char address[64] = {};
  ASSERT_EQ(cuda->cuDeviceGetPCIBusId(address, sizeof(address), ordinal()), CUDA_SUCCESS);
  const std::string uuid = hal_device_info(device_.get())->id.data;
  EXPECT_THAT(uuid, testing::StartsWith("GPU-"));
  for (const std::string& id : {std::to_string(ordinal()), uuid, std::string(address)}) {
    Ref<hal_device_t> device;
    ASSERT_EQ(Open("cuda://" + id, &device), HAL_STATUS_OK) << id << ": " << hal_last_error_message();
    EXPECT_STREQ(hal_device_info(device.get())->id.data, uuid.c_str());
  }
}

TEST_F(CudaDeviceTest, CompilersLogIsInTheError) {
  Ref<hal_executable_t> executable;
  const std::string bad =
      ".version 6.0\n.target sm_60\n.address_size 64\n.visible .entry k() { bogus.f32 %f1; ret; }\n";
  EXPECT_EQ(Load(device_, bad, "k", 0, &executable), HAL_STATUS_ABORTED);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX"));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("bogus"));
}

TEST_F(CudaDeviceTest, ParameterListThatDoesNotFitIsRefused) {
  Ref<hal_executable_t> executable;
  EXPECT_EQ(Load(device_, kKernels, "spin", 4, &executable), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("parameter 0 has 4 bytes in the list, 8 in the kernel"));
  EXPECT_EQ(Load(device_, kKernels, "spin", 0, &executable), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Load(device_, kKernels, "do_trap", 8, &executable), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Load(device_, kKernels, "spin", 8, &executable), HAL_STATUS_OK) << hal_last_error_message();
}

TEST_F(CudaDeviceTest, PrefersMachineCodeAndRefusesWhatIsTooNew) {
  const void* table = nullptr;
  ASSERT_EQ(hal_device_query_interface(device_.get(), hal_string_view(HAL_EXECUTABLE_TARGETS_INTERFACE), 1, &table),
            HAL_STATUS_OK);
  const auto* const targets = static_cast<const hal_executable_targets_interface_t*>(table);
  const auto rank = [&](const char* format, const char* target, uint32_t* out) {
    return targets->rank(device_.get(), hal_string_view(format), hal_string_view(target), out);
  };
  uint32_t old_ptx = 0;
  uint32_t newer_ptx = 0;
  EXPECT_EQ(rank("ptx", "sm_50", &old_ptx), HAL_STATUS_OK);
  EXPECT_EQ(rank("ptx", "sm_60", &newer_ptx), HAL_STATUS_OK);
  EXPECT_LT(newer_ptx, old_ptx);
  EXPECT_EQ(rank("ptx", "sm_999", &old_ptx), HAL_STATUS_INCOMPATIBLE);
  EXPECT_EQ(rank("cubin", "sm_20", &old_ptx), HAL_STATUS_INCOMPATIBLE);
  EXPECT_EQ(rank("hsaco", "gfx90a", &old_ptx), HAL_STATUS_INCOMPATIBLE);
}

TEST_F(CudaDeviceTest, CallersContextIsLeftAsItWas) {
  const CudaLibrary* cuda = nullptr;
  ASSERT_EQ(Publish(CudaLibrary::Get(&cuda)), HAL_STATUS_OK);
  const Ref<hal_semaphore_t> done = MakeSemaphore();
  CUcontext before = nullptr;
  CUcontext after = nullptr;
  ASSERT_EQ(cuda->cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  for (uint64_t i = 0; i < 2; ++i) {
    ASSERT_EQ(cuda->cuCtxGetCurrent(&before), CUDA_SUCCESS);
    Ref<hal_executable_t> executable;
    const uint64_t duration = 1000;
    ASSERT_EQ(Load(device_, kKernels, "spin", 8, &executable), HAL_STATUS_OK) << hal_last_error_message();
    ASSERT_EQ(Dispatch(device_, {}, {{done.get(), i + 1}}, executable, &duration), HAL_STATUS_OK);
    ASSERT_EQ(hal_semaphore_wait(done.get(), i + 1, kTenSeconds), HAL_STATUS_OK);
    ASSERT_EQ(cuda->cuCtxGetCurrent(&after), CUDA_SUCCESS);
    EXPECT_EQ(before, after);
    CUcontext primary = nullptr;  // the second round finds a context
    ASSERT_EQ(cuda->cuDevicePrimaryCtxRetain(&primary, ordinal()), CUDA_SUCCESS);
    ASSERT_EQ(cuda->cuCtxSetCurrent(primary), CUDA_SUCCESS);
  }
  ASSERT_EQ(cuda->cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(cuda->cuDevicePrimaryCtxRelease_v2(ordinal()), CUDA_SUCCESS);
}

// The vendor's copy from host memory to host memory would wait for the kernel, on this thread.
TEST_F(CudaDeviceTest, CopyBetweenHostBuffersDoesNotBlock) {
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  Ref<hal_buffer_t> source;
  Ref<hal_buffer_t> target;
  const uint32_t value = 0x1234;
  ASSERT_EQ(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, 4096, source.out()), HAL_STATUS_OK);
  ASSERT_EQ(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, 4096, target.out()), HAL_STATUS_OK);
  ASSERT_EQ(hal_buffer_write(source.get(), 0, &value, sizeof(value)), HAL_STATUS_OK);
  Ref<hal_executable_t> executable;
  ASSERT_EQ(Load(device_, kKernels, "spin", 8, &executable), HAL_STATUS_OK) << hal_last_error_message();
  const Ref<hal_semaphore_t> timeline = MakeSemaphore();
  const Points steps[3] = {{{timeline.get(), 1}}, {{timeline.get(), 2}}, {{timeline.get(), 3}}};
  const uint64_t duration = 300'000'000;
  ASSERT_EQ(Dispatch(device_, {}, steps[0], executable, &duration), HAL_STATUS_OK);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(hal_device_queue_copy(device_.get(), hal::SubmitParams(List(steps[0]), List(steps[1]), 1),
                                  hal_buffer_ref(source.get(), 0, 4096), hal_buffer_ref(target.get(), 0, 4096)),
            HAL_STATUS_OK);
  ASSERT_EQ(hal_device_queue_update(device_.get(), hal::SubmitParams(List(steps[1]), List(steps[2]), 1), &value,
                                    hal_buffer_ref(target.get(), 4, 4)),
            HAL_STATUS_OK);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(200));
  EXPECT_EQ(hal_semaphore_wait(timeline.get(), 3, kTenSeconds), HAL_STATUS_OK);
  uint32_t read[2] = {};
  ASSERT_EQ(hal_buffer_read(target.get(), 0, read, sizeof(read)), HAL_STATUS_OK);
  EXPECT_EQ(read[0], value);
  EXPECT_EQ(read[1], value);
}

// --- In processes of their own ---

#define CHECK_THAT(condition)                                                                   \
  if (!(condition)) {                                                                           \
    std::fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #condition, hal_last_error_message()); \
    std::exit(1);                                                                               \
  }

// A kernel fails: everything of the device fails with it, what depends on it elsewhere too, and all can be released.
void RunFault(const std::string& parameters, const char* kernel) {
  {
    Ref<hal_device_t> device;
    Ref<hal_device_t> local;
    CHECK_THAT(Open(Uri(parameters), &device) == HAL_STATUS_OK);
    CHECK_THAT(Open("local://sync", &local) == HAL_STATUS_OK);
    Ref<hal_executable_t> executable;
    CHECK_THAT(Load(device, kKernels, kernel, 0, &executable) == HAL_STATUS_OK);
    Ref<hal_semaphore_t> done, held, gate, elsewhere, well;
    for (auto* semaphore : {&done, &held, &gate}) hal_semaphore_create(device.get(), nullptr, semaphore->out());
    for (auto* semaphore : {&elsewhere, &well}) hal_semaphore_create(local.get(), nullptr, semaphore->out());
    const Points after = {{done.get(), 1}};
    CHECK_THAT(hal_device_queue_barrier(local.get(), hal::SubmitParams(List(after), List({{elsewhere.get(), 1}}), 1)) ==
               HAL_STATUS_OK);
    CHECK_THAT(hal_device_queue_barrier(device.get(), hal::SubmitParams(List({{gate.get(), 1}}),
                                                                        List({{held.get(), 1}}), 1)) == HAL_STATUS_OK);
    CHECK_THAT(Dispatch(device, {}, after, executable) == HAL_STATUS_OK);
    CHECK_THAT(hal_semaphore_wait(done.get(), 1, kTenSeconds) == HAL_STATUS_DEVICE_LOST);
    CHECK_THAT(std::string_view(hal_last_error_message()).find("CUDA_ERROR_") != std::string_view::npos);
    CHECK_THAT(hal_semaphore_wait(held.get(), 1, kTenSeconds) == HAL_STATUS_DEVICE_LOST);
    CHECK_THAT(hal_semaphore_wait(elsewhere.get(), 1, kTenSeconds) == HAL_STATUS_DEVICE_LOST);
    CHECK_THAT(hal_device_query_health(device.get()) == HAL_STATUS_DEVICE_LOST);
    CHECK_THAT(Dispatch(device, {}, {}, executable) == HAL_STATUS_DEVICE_LOST);
    CHECK_THAT(hal_device_queue_barrier(local.get(), hal::SubmitParams(List({}), List({{well.get(), 1}}), 1)) ==
               HAL_STATUS_OK);
    CHECK_THAT(hal_semaphore_wait(well.get(), 1, kTenSeconds) == HAL_STATUS_OK);
    std::fprintf(stderr, "lost: %s\n", hal_last_error_message());
  }
  std::exit(0);
}

class CudaFaultTest : public testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // starts the program again
    const CudaLibrary* cuda = nullptr;
    if (Publish(CudaLibrary::Get(&cuda)) != HAL_STATUS_OK) GTEST_SKIP() << hal_last_error_message();
  }
};

TEST_P(CudaFaultTest, FailsEverythingAndClosesCleanly) {
  const auto& [mode, kernel] = GetParam();
  EXPECT_EXIT(RunFault(std::string("completion=") + mode, kernel), testing::ExitedWithCode(0), "lost: ");
}

INSTANTIATE_TEST_SUITE_P(Kernels, CudaFaultTest,
                         testing::Combine(testing::Values("fast", "portable"), testing::Values("do_trap", "write_far")),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param);
                         });

/// What is left when the process ends. Made before main(), and so before CUDA is loaded. Destructors run in
/// reverse order, so this one runs after the handlers by which CUDA shuts down.
struct LastHoldings {
  Ref<hal_device_t> device;
  Ref<hal_executable_t> executable;
  Ref<hal_buffer_t> buffer;
  Ref<hal_semaphore_t> done;
  Ref<hal_semaphore_t> gate;  // never signalled
  Ref<hal_semaphore_t> held;  // signalled by what waits for that

  ~LastHoldings() {
    if (device) Release();
  }
  void Release();
};
LastHoldings g_last;

// Also prints what CUDA returns by now, for the test and for readers of its output.
void LastHoldings::Release() {
  const CudaLibrary* cuda = nullptr;
  if (Publish(CudaLibrary::Get(&cuda)) != HAL_STATUS_OK) _exit(1);
  int count = 0;
  CUcontext current = nullptr;
  const CUresult counted = cuda->cuDeviceGetCount(&count);
  std::fprintf(stderr, "at the end: cuDeviceGetCount %d, cuCtxGetCurrent %d\n", static_cast<int>(counted),
               static_cast<int>(cuda->cuCtxGetCurrent(&current)));
  if (counted != CUDA_SUCCESS) {  // else the work may come to its end
    const hal_status_t status = hal_semaphore_wait(done.get(), kDispatches, kTenSeconds);
    std::fprintf(stderr, "the wait: %s\n", hal_last_error_message());
    // Work that the device had done before it shut down counts.
    if (status != HAL_STATUS_DEVICE_LOST && status != HAL_STATUS_OK) _exit(2);
    if (status != HAL_STATUS_OK && hal_semaphore_wait(held.get(), 1, kTenSeconds) != HAL_STATUS_DEVICE_LOST) _exit(3);
  }
  *this = {};
  std::fprintf(stderr, "released%s\n", counted == CUDA_ERROR_DEINITIALIZED ? " after CUDA" : "");
}

// Work is under way when the process ends, and something is deferred.
void ExitAtWork(const std::string& parameters) {
  alarm(60);  // rather than hang
  CHECK_THAT(Open(Uri(parameters), &g_last.device) == HAL_STATUS_OK);
  CHECK_THAT(Load(g_last.device, kKernels, "spin", 8, &g_last.executable) == HAL_STATUS_OK);
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  CHECK_THAT(hal_allocator_allocate(hal_device_allocator(g_last.device.get()), &params, 4096, g_last.buffer.out()) ==
             HAL_STATUS_OK);
  for (auto* semaphore : {&g_last.done, &g_last.gate, &g_last.held}) {
    CHECK_THAT(hal_semaphore_create(g_last.device.get(), nullptr, semaphore->out()) == HAL_STATUS_OK);
  }
  CHECK_THAT(hal_device_queue_barrier(g_last.device.get(), hal::SubmitParams(List({{g_last.gate.get(), 1}}),
                                                                             List({{g_last.held.get(), 1}}), 1)) ==
             HAL_STATUS_OK);
  const uint64_t duration = 50'000'000;
  for (uint64_t i = 0; i < kDispatches; ++i) {
    CHECK_THAT(Dispatch(g_last.device, {{g_last.done.get(), i}}, {{g_last.done.get(), i + 1}}, g_last.executable,
                        &duration) == HAL_STATUS_OK);
  }
  std::exit(0);
}

class CudaExitTest : public CudaFaultTest {};

TEST_P(CudaExitTest, GlobalsAreReleasedWithWorkUnderWay) {
  std::string log;
  const auto keep = [&](const std::string& text) {
    log = text;
    return text.find("released") != std::string::npos;
  };
  EXPECT_EXIT(ExitAtWork(std::string("completion=") + std::get<0>(GetParam())), testing::ExitedWithCode(0),
              testing::Truly(keep));
  std::printf("%s", log.c_str());
  if (!HasFailure() && log.find("released after CUDA") == std::string::npos) {
    GTEST_SKIP() << "all was released well, but before this CUDA shut down, which is what was to be tried:\n" << log;
  }
}

INSTANTIATE_TEST_SUITE_P(Completion, CudaExitTest,
                         testing::Combine(testing::Values("fast", "portable"), testing::Values("")),
                         [](const auto& test) { return std::string(std::get<0>(test.param)); });

}  // namespace
}  // namespace halyard::cuda
