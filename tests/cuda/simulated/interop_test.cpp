// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interop_test.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "ptx_kernel.h"

namespace halyard::interop {
namespace {

constexpr uint64_t kTenSeconds = 10'000'000'000;  // nanoseconds
constexpr size_t kLogLength = 4096;               // words, the first of which counts the others

}  // namespace

void InteropTest::SetUp() {
  setenv("HALYARD_CUDA_LIBRARY", HALYARD_SIM_LIBRARY, 1);
  cuda().Reset();
  cuda().Ignore("destroy-in-use");  // CUDA lets an application destroy its events early, and some tests do
  cuda().SetDelay(50);
  ASSERT_CU(cuda().cuInit(0));
  for (int i = 0; i < 2; ++i) ASSERT_CU(cuda().cuDevicePrimaryCtxRetain(&contexts_[i], i));
  device_ = OpenDevice(0);
  const void* table = nullptr;
  ASSERT_OK(hal_device_query_interface(device_.get(), hal_string_view(HAL_CUDA_INTEROP_INTERFACE), 1, &table));
  interop_ = static_cast<const hal_cuda_interop_interface_t*>(table);
  ASSERT_EQ(interop_->struct_size, sizeof(*interop_));
  LoadKernels();
}

void InteropTest::LoadKernels() {
  const PtxKernel append("append", AppendParameters());
  PushContext(0);
  void* log = nullptr;
  ASSERT_CU(cuda().cuMemHostAlloc(&log, kLogLength * sizeof(uint32_t), CU_MEMHOSTALLOC_DEVICEMAP));
  std::memset(log, 0, kLogLength * sizeof(uint32_t));
  log_ = static_cast<uint32_t*>(log);
  ASSERT_CU(cuda().cuModuleLoadDataEx(&module_, append.ptx().c_str(), 0, nullptr, nullptr));
  ASSERT_CU(cuda().cuModuleGetFunction(&append_function_, module_, "append"));
  ASSERT_CU(cuda().cuCtxPopCurrent_v2(nullptr));

  ASSERT_OK(hal_executable_create(device_.get(), &append.params(), append_.out()));

  hal_buffer_params_t buffer = HAL_BUFFER_PARAMS_INIT;
  buffer.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE;
  hal_external_memory_t memory = HAL_EXTERNAL_MEMORY_INIT;
  memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  memory.handle = reinterpret_cast<uintptr_t>(log_);
  memory.length = kLogLength * sizeof(uint32_t);
  ASSERT_OK(
      hal_allocator_import(hal_device_allocator(device_.get()), &buffer, &memory, nullptr, nullptr, log_buffer_.out()));
}

void InteropTest::TearDown() {
  for (const Gate& gate : gates_) gate.Open();
  for (const auto& [ordinal, stream] : streams_) {
    PushContext(ordinal);
    static_cast<void>(cuda().cuStreamSynchronize(stream));  // a lost context answers all of this with its error
    static_cast<void>(cuda().cuStreamDestroy_v2(stream));
    static_cast<void>(cuda().cuCtxPopCurrent_v2(nullptr));
  }
  for (const auto& [ordinal, event] : events_) {
    PushContext(ordinal);
    static_cast<void>(cuda().cuEventDestroy_v2(event));
    static_cast<void>(cuda().cuCtxPopCurrent_v2(nullptr));
  }
  append_ = {};
  log_buffer_ = {};
  device_ = {};
  PushContext(0);
  static_cast<void>(cuda().cuCtxSynchronize());
  static_cast<void>(cuda().cuModuleUnload(module_));
  static_cast<void>(cuda().cuMemFreeHost(log_));
  for (const Gate& gate : gates_) static_cast<void>(cuda().cuMemFreeHost(gate.word));
  EXPECT_CU(cuda().cuCtxPopCurrent_v2(nullptr));
  for (int i = 0; i < 2; ++i) EXPECT_CU(cuda().cuDevicePrimaryCtxRelease_v2(i));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(ContextEnds(i)) << "a device is still alive";
  EXPECT_EQ(Report(), "");
}

// A device may go on one of its own threads, some time after its last reference: the next test wants a fresh context.
bool InteropTest::ContextEnds(int ordinal) const {
  for (int milliseconds = 0; milliseconds < 10'000; ++milliseconds) {
    unsigned int flags = 0;
    int active = 0;
    EXPECT_CU(cuda().cuDevicePrimaryCtxGetState(ordinal, &flags, &active));
    if (active == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

void InteropTest::PushContext(int ordinal) { ASSERT_CU(cuda().cuCtxPushCurrent_v2(contexts_[ordinal])); }

Ref<hal_device_t> InteropTest::OpenDevice(int ordinal) const {
  const std::string uri = "cuda://" + std::to_string(ordinal) + "?completion=" + GetParam();
  Ref<hal_device_t> device;
  EXPECT_OK(hal_device_create(hal_string_view(uri.c_str()), device.out()));
  return device;
}

CUstream InteropTest::MakeStream(int ordinal) {
  CUstream stream = nullptr;
  PushContext(ordinal);
  EXPECT_CU(cuda().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  EXPECT_CU(cuda().cuCtxPopCurrent_v2(nullptr));
  return streams_.emplace_back(ordinal, stream).second;
}

CUevent InteropTest::MakeEvent(int ordinal) {
  CUevent event = nullptr;
  PushContext(ordinal);
  EXPECT_CU(cuda().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  EXPECT_CU(cuda().cuCtxPopCurrent_v2(nullptr));
  return events_.emplace_back(ordinal, event).second;
}

Gate InteropTest::Close(CUstream stream) {
  void* word = nullptr;
  PushContext(0);
  EXPECT_CU(cuda().cuMemHostAlloc(&word, sizeof(uint64_t), CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE));
  gates_.push_back({static_cast<uint64_t*>(word)});
  *gates_.back().word = 0;
  EXPECT_CU(cuda().cuStreamWaitValue64_v2(stream, reinterpret_cast<CUdeviceptr>(word), 1, CU_STREAM_WAIT_VALUE_GEQ));
  EXPECT_CU(cuda().cuCtxPopCurrent_v2(nullptr));
  return gates_.back();
}

CUstream InteropTest::QueueStream(const Ref<hal_device_t>& device, uint32_t queue) const {
  void* stream = nullptr;
  EXPECT_OK(interop().queue_stream(device.get(), queue, &stream));
  return static_cast<CUstream>(stream);
}

void InteropTest::Append(CUstream stream, uint32_t value) {
  PushContext(0);
  void* params[] = {&log_, &value};
  EXPECT_CU(cuda().cuLaunchKernel(append_function_, 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr));
  EXPECT_CU(cuda().cuCtxPopCurrent_v2(nullptr));
}

hal_status_t InteropTest::QueueAppend(const Points& waits, const Points& signals, uint32_t value,
                                      hal_queue_mask_t queue) {
  const hal_buffer_ref_t binding = hal_buffer_ref(log_buffer_.get(), 0, HAL_WHOLE_SIZE);
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  params.constants = &value;
  params.constants_size = sizeof(value);
  params.bindings = hal_buffer_ref_list(&binding, 1);
  return hal_device_queue_dispatch(device_.get(), queue, List(waits), List(signals), append_.get(), 0, &params);
}

std::vector<uint32_t> InteropTest::Log() const { return {log_ + 1, log_ + 1 + log_[0]}; }

Ref<hal_semaphore_t> InteropTest::MakeSemaphore(const Ref<hal_device_t>& device) const {
  Ref<hal_semaphore_t> semaphore;
  EXPECT_OK(hal_semaphore_create(device.get(), 0, semaphore.out()));
  return semaphore;
}

hal_status_t InteropTest::Wait(const Ref<hal_semaphore_t>& semaphore, uint64_t value) {
  return hal_semaphore_wait(semaphore.get(), value, kTenSeconds);
}

uint64_t InteropTest::ValueOf(const Ref<hal_semaphore_t>& semaphore) {
  uint64_t value = 0;
  EXPECT_OK(hal_semaphore_query(semaphore.get(), &value));
  return value;
}

std::string InteropTest::Report() const {
  std::string text(cuda().Report(nullptr, 0), '\0');
  cuda().Report(text.data(), text.size());
  text.pop_back();
  return text;
}

}  // namespace halyard::interop
