// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A capture of the application, anywhere in the process, and Halyard's work leave each other alone.
#include <thread>

#include "cuda/cuda_api.h"
#include "interop_test.h"

namespace halyard::interop {
namespace {

class CapturesTest : public InteropTest {
 protected:
  void SetUp() override {
    InteropTest::SetUp();
    stream_ = MakeStream();
    CUcontext context = nullptr;
    ASSERT_CU(cuda().cuDevicePrimaryCtxRetain(&context, 0));
    ASSERT_CU(cuda().cuCtxPushCurrent_v2(context));
  }
  void TearDown() override {
    EXPECT_CU(cuda().cuCtxPopCurrent_v2(nullptr));
    EXPECT_CU(cuda().cuDevicePrimaryCtxRelease_v2(0));
    InteropTest::TearDown();
  }
  void EndCapture() {
    CUgraph graph = nullptr;
    EXPECT_CU(cuda().cuStreamEndCapture(stream_, &graph)) << "a call has invalidated the capture";
    if (graph) EXPECT_CU(cuda().cuGraphDestroy(graph));
  }
  Gate CloseQueue() { return Close(QueueStream(device_, 0)); }
  /// Waits that end and waits that do not, memory and a device, created and released. What the test itself would
  /// have to be exempt for is done before: it closes the queue.
  void UseHalyard(const Gate& gate);

  CUstream stream_ = nullptr;
};

void CapturesTest::UseHalyard(const Gate& gate) {
  const Ref<hal_semaphore_t> done = MakeSemaphore();
  ASSERT_OK(QueueAppend({}, {{done.get(), 1}}, 1));
  EXPECT_EQ(hal_semaphore_wait(done.get(), 1, 30'000'000), HAL_STATUS_DEADLINE_EXCEEDED);  // asks its event at the end
  EXPECT_EQ(ValueOf(done), 0U);
  gate.Open();
  EXPECT_OK(Wait(done, 1));
  ASSERT_OK(QueueAppend({{done.get(), 1}}, {{done.get(), 2}}, 2, 2));
  EXPECT_OK(Wait(done, 2));
  for (const hal_memory_type_t type : {HAL_MEMORY_TYPE_DEVICE_LOCAL, HAL_MEMORY_TYPE_HOST_VISIBLE}) {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = type;
    Ref<hal_buffer_t> buffer;
    EXPECT_OK(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, 4096, buffer.out()));
  }
  for (const uint64_t length : {uint64_t{4096}, uint64_t{100} << 20}) {  // cached; too large
    const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    const Ref<hal_semaphore_t> chain = MakeSemaphore();
    const hal_timeline_point_t made = {chain.get(), 1};
    const hal_timeline_point_t freed = {chain.get(), 2};
    Ref<hal_buffer_t> buffer;
    EXPECT_OK(hal_device_queue_alloca(device_.get(), 1, hal_semaphore_list(nullptr, 0), hal_semaphore_list(&made, 1),
                                      &params, length, buffer.out()));
    EXPECT_OK(hal_device_queue_dealloca(device_.get(), 1, hal_semaphore_list(&made, 1), hal_semaphore_list(&freed, 1),
                                        buffer.get()));
    EXPECT_OK(Wait(chain, 2));
  }
  EXPECT_TRUE(OpenDevice(1));
  EXPECT_OK(hal_device_query_health(device_.get()));
}

TEST_P(CapturesTest, OfAnotherThreadInGlobalMode) {
  const Ref<hal_semaphore_t> before = MakeSemaphore();
  const Gate gate = Close(QueueStream(device_, 1));
  ASSERT_OK(QueueAppend({}, {{before.get(), 1}}, 3, 2));
  const Gate later = CloseQueue();
  ASSERT_CU(cuda().cuStreamBeginCapture_v2(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
  gate.Open();
  EXPECT_OK(Wait(before, 1));
  std::thread user([&] { UseHalyard(later); });
  user.join();
  EndCapture();
}

TEST_P(CapturesTest, OfTheCallersThread) {
  for (const CUstreamCaptureMode mode : {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL}) {
    const Gate gate = CloseQueue();
    ASSERT_CU(cuda().cuStreamBeginCapture_v2(stream_, mode));
    UseHalyard(gate);
    EndCapture();
  }
}

TEST_P(CapturesTest, TheThreadsModeIsPutBack) {
  UseHalyard(CloseQueue());
  auto mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
  ASSERT_CU(cuda().cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  UseHalyard(CloseQueue());
  ASSERT_CU(cuda().cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}

// What would happen otherwise, so that the tests above mean something.
TEST_P(CapturesTest, EndAtACallThatTheyForbid) {
  const CUevent event = MakeEvent();
  CUgraph graph = nullptr;
  ASSERT_CU(cuda().cuStreamBeginCapture_v2(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CUresult seen = CUDA_SUCCESS;
  CUcontext context = nullptr;
  ASSERT_CU(cuda().cuCtxGetCurrent(&context));
  std::thread other([&] {
    EXPECT_CU(cuda().cuCtxPushCurrent_v2(context));
    seen = cuda().cuEventQuery(event);
    EXPECT_CU(cuda().cuCtxPopCurrent_v2(nullptr));
  });
  other.join();
  EXPECT_EQ(seen, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuda().cuStreamEndCapture(stream_, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(graph, nullptr);
}

// A query that is refused all the same says nothing of the device.
TEST_P(CapturesTest, ARefusedQueryIsNoFailure) {
  const halyard::cuda::CudaLibrary* library = nullptr;
  ASSERT_OK(halyard::cuda::CudaLibrary::Get(&library));
  halyard::cuda::CudaApi api(*library, 0);
  ASSERT_OK(api.Open());
  const auto event = reinterpret_cast<stream::NativeEvent>(MakeEvent());
  bool done = true;
  cuda().Fail("cuEventQuery", 1, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_OK(api.QueryEvent(event, &done));
  EXPECT_FALSE(done);
  EXPECT_STREQ(cuda().FailedCall(), "cuEventQuery");
  EXPECT_OK(api.QueryEvent(event, &done));
  EXPECT_TRUE(done);
}

INSTANTIATE_TEST_SUITE_P(Completion, CapturesTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
