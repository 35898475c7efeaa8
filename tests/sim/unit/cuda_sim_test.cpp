// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_sim_test.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

namespace halyard::cuda::abi {

void PrintTo(Result result, std::ostream* out) {
  const char* name = nullptr;
  sim::CudaApi::Get().GetErrorName(result, &name);
  *out << (name == nullptr ? "an unknown result" : name);
}

}  // namespace halyard::cuda::abi

namespace halyard::sim {

void CudaSimTest::SetUp() {
  api_.Reset();
  ASSERT_CU(api_.Init(0));
  ASSERT_CU(api_.DevicePrimaryCtxRetain(&context_, 0));
  ASSERT_CU(api_.CtxPushCurrent(context_));
  stream_ = MakeStream();
  gate_ = MakePinned<uint64_t>(1);
}

void CudaSimTest::TearDown() {
  Open();
  // A lost context answers all of this with its error.
  for (cu::Stream stream : streams_) api_.StreamSynchronize(stream);
  for (cu::Stream stream : streams_) api_.StreamDestroy(stream);
  for (cu::Event event : events_) api_.EventDestroy(event);
  for (cu::Module module : modules_) api_.ModuleUnload(module);
  for (cu::DevicePtr memory : memory_) api_.MemFree(memory);
  for (void* memory : pinned_) api_.MemFreeHost(memory);
  EXPECT_CU(api_.CtxPopCurrent(nullptr));
  EXPECT_CU(api_.DevicePrimaryCtxRelease(0));
  EXPECT_EQ(Report(), "");
}

cu::Stream CudaSimTest::MakeStream() {
  cu::Stream stream = nullptr;
  EXPECT_CU(api_.StreamCreate(&stream, static_cast<unsigned>(cu::StreamFlags::kNonBlocking)));
  return streams_.emplace_back(stream);
}

cu::Event CudaSimTest::MakeEvent(cu::EventFlags flags) {
  cu::Event event = nullptr;
  EXPECT_CU(api_.EventCreate(&event, static_cast<unsigned>(flags)));
  return events_.emplace_back(event);
}

cu::DevicePtr CudaSimTest::MakeMemory(size_t size) {
  cu::DevicePtr address = 0;
  EXPECT_CU(api_.MemAlloc(&address, size));
  return memory_.emplace_back(address);
}

void* CudaSimTest::MakePinnedBytes(size_t size) {
  void* memory = nullptr;
  EXPECT_CU(api_.MemHostAlloc(&memory, size, cu::kMemHostAllocDeviceMap));
  std::memset(memory, 0, size);
  return pinned_.emplace_back(memory);
}

cu::Module CudaSimTest::LoadModule() {
  if (!modules_.empty()) return modules_.front();
  std::ifstream file(HALYARD_SIM_PTX);
  const std::string ptx((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::string log(1024, '\0');
  cu::JitOption options[] = {cu::JitOption::kErrorLogBuffer, cu::JitOption::kErrorLogBufferSizeBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  cu::Module module = nullptr;
  EXPECT_CU(api_.ModuleLoadDataEx(&module, ptx.c_str(), 2, options, values)) << log.c_str();
  return modules_.emplace_back(module);
}

cu::Function CudaSimTest::GetFunction(const char* name) {
  cu::Function function = nullptr;
  EXPECT_CU(api_.ModuleGetFunction(&function, LoadModule(), name));
  return function;
}

cu::Result CudaSimTest::Append(uint32_t* log, uint32_t value, cu::Stream stream) {
  void* params[] = {&log, &value};
  return api_.LaunchKernel(GetFunction("append"), 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr);
}

cu::KernelNodeParams CudaSimTest::AppendParams(void** params) {
  return {GetFunction("append"), 1, 1, 1, 1, 1, 1, 0, params, nullptr, nullptr, nullptr};
}

void CudaSimTest::Close(cu::Stream stream) {
  ++gates_closed_;
  EXPECT_CU(api_.StreamWaitValue64(stream, reinterpret_cast<cu::DevicePtr>(gate_), gates_closed_,
                                   static_cast<unsigned>(cu::WaitValueFlags::kGeq)));
}

void CudaSimTest::Open() { std::atomic_ref(*gate_).store(gates_closed_, std::memory_order_release); }

void CudaSimTest::OpenWhenReported(const char* rule) {
  while (api_.Reports(rule) == 0) std::this_thread::yield();
  Open();
}

uint64_t CudaSimTest::TakeReports(const char* rule) {
  const uint64_t count = api_.Reports(rule);
  const uint64_t all = api_.Reports(nullptr);
  EXPECT_EQ(count, all) << Report();
  api_.Reset();
  return count;
}

std::string CudaSimTest::Report() {
  std::string text(api_.Report(nullptr, 0), '\0');
  api_.Report(text.data(), text.size());
  text.pop_back();
  return text;
}

}  // namespace halyard::sim
