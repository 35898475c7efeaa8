// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interop_test.h"

#include <cstring>

#include "halyard/cpp/submit.hpp"
#include "test_kernel.h"

namespace halyard::interop {
namespace {

constexpr size_t kLogLength = 4096;  // words, the first of which counts the others

}  // namespace

void InteropTest::SetUp() {
  sim().Reset();
  sim().Ignore("destroy-in-use");  // vendors let an application destroy its events early, and some tests do
  sim().SetDelay(50);
  ASSERT_DONE(vendor::Initialize());
  for (int i = 0; i < 2; ++i) ASSERT_DONE(vendor::Retain(i));
  device_ = OpenDevice(0);
  interop_ = vendor::GetInterop(device_.get());
  ASSERT_NE(interop_.end_stream, nullptr);
  LoadKernels();
}

void InteropTest::LoadKernels() {
  const TestKernel append("append", AppendParameters());
  const vendor::Current current(0);
  void* log = nullptr;
  ASSERT_DONE(vendor::AllocatePinned(&log, kLogLength * sizeof(uint32_t)));
  std::memset(log, 0, kLogLength * sizeof(uint32_t));
  log_ = static_cast<uint32_t*>(log);
  ASSERT_DONE(vendor::LoadModule(append.image(), &module_));
  ASSERT_DONE(vendor::FindKernel(module_, "append", &append_kernel_));

  ASSERT_OK(hal_executable_create(device_.get(), &append.params(), append_.out()));

  hal_buffer_params_t buffer = HAL_BUFFER_PARAMS_INIT;
  buffer.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE;
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  memory.handle = reinterpret_cast<uintptr_t>(log_);
  memory.length = kLogLength * sizeof(uint32_t);
  ASSERT_OK(
      hal_allocator_import(hal_device_allocator(device_.get()), &buffer, &memory, nullptr, nullptr, log_buffer_.out()));
}

void InteropTest::TearDown() {
  for (const Gate& gate : gates_) gate.Open();
  EXPECT_EQ(vendor::LastError(), 0);
  for (const auto& [ordinal, stream] : streams_) {
    const vendor::Current current(ordinal);
    static_cast<void>(vendor::SynchronizeStream(stream));  // a lost device answers all of this with its error
    static_cast<void>(vendor::DestroyStream(stream));
  }
  for (const auto& [ordinal, event] : events_) {
    const vendor::Current current(ordinal);
    static_cast<void>(vendor::DestroyEvent(event));
  }
  append_ = {};
  log_buffer_ = {};
  device_ = {};
  ReleaseMemory();
  for (int i = 0; i < 2; ++i) vendor::Release(i);
  EXPECT_TRUE(vendor::Settle()) << "a device is still alive";
  EXPECT_EQ(Report(), "");
}

void InteropTest::ReleaseMemory() {
  const vendor::Current current(0);
  static_cast<void>(vendor::SynchronizeDevice());
  static_cast<void>(vendor::UnloadModule(module_));
  static_cast<void>(vendor::FreePinned(log_));
  for (const Gate& gate : gates_) static_cast<void>(vendor::FreePinned(gate.word));
}

std::string InteropTest::DeviceUri(int ordinal, const std::string& parameters) const {
  return vendor::kNames.driver + ("://" + std::to_string(ordinal)) + "?completion=" + GetParam() + parameters;
}

Ref<hal_device_t> InteropTest::OpenDevice(int ordinal, const std::string& parameters) const {
  Ref<hal_device_t> device;
  EXPECT_OK(hal_device_create(hal_string_view(DeviceUri(ordinal, parameters).c_str()), device.out()));
  return device;
}

Stream InteropTest::MakeStream(int ordinal) {
  Stream stream = nullptr;
  const vendor::Current current(ordinal);
  EXPECT_DONE(vendor::CreateStream(&stream));
  return streams_.emplace_back(ordinal, stream).second;
}

Event InteropTest::MakeEvent(int ordinal) {
  Event event = nullptr;
  const vendor::Current current(ordinal);
  EXPECT_DONE(vendor::CreateEvent(&event));
  return events_.emplace_back(ordinal, event).second;
}

Gate InteropTest::Close(Stream stream) {
  void* word = nullptr;
  const vendor::Current current(0);
  EXPECT_DONE(vendor::AllocatePinned(&word, sizeof(uint64_t)));
  gates_.push_back({static_cast<uint64_t*>(word)});
  *gates_.back().word = 0;
  EXPECT_DONE(vendor::Hold(stream, gates_.back().word));
  return gates_.back();
}

Stream InteropTest::QueueStream(const Ref<hal_device_t>& device, uint32_t queue) const {
  void* stream = nullptr;
  EXPECT_OK(interop().queue_stream(device.get(), queue, &stream));
  return stream;
}

void InteropTest::AppendTo(void* log, Stream stream, uint32_t value) const {
  const vendor::Current current(0);
  void* params[] = {&log, &value};
  EXPECT_DONE(vendor::Launch(append_kernel_, stream, params));
}

hal_status_t InteropTest::QueueAppend(const Points& waits, const Points& signals, uint32_t value,
                                      hal_queue_mask_t queue) {
  const hal_buffer_ref_t binding = hal_buffer_ref(log_buffer_.get(), 0, HAL_WHOLE_SIZE);
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  params.constants = &value;
  params.constants_size = sizeof(value);
  params.bindings = hal_buffer_ref_list(&binding, 1);
  return hal_device_queue_dispatch(device_.get(), hal::SubmitParams(List(waits), List(signals), queue), append_.get(),
                                   0, &params);
}

std::vector<uint32_t> InteropTest::Log() const { return {log_ + 1, log_ + 1 + log_[0]}; }

Ref<hal_semaphore_t> InteropTest::MakeSemaphore(const Ref<hal_device_t>& device) const {
  Ref<hal_semaphore_t> semaphore;
  EXPECT_OK(hal_semaphore_create(device.get(), nullptr, semaphore.out()));
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
  std::string text(sim().Report(nullptr, 0), '\0');
  sim().Report(text.data(), text.size());
  text.pop_back();
  return text;
}

}  // namespace halyard::interop
