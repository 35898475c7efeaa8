// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_sim_test.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

namespace halyard::cuda::abi {

void PrintTo(CUresult result, std::ostream* out) {
  const char* name = nullptr;
  sim::CudaApi::Get().cuGetErrorName(result, &name);
  *out << (name == nullptr ? "an unknown result" : name);
}

}  // namespace halyard::cuda::abi

namespace halyard::sim {

void CudaSimTest::SetUp() {
  api_.Reset();
  ASSERT_CU(api_.cuInit(0));
  ASSERT_CU(api_.cuDevicePrimaryCtxRetain(&context_, 0));
  ASSERT_CU(api_.cuCtxPushCurrent_v2(context_));
  stream_ = MakeStream();
  gate_ = MakePinned<uint64_t>(1);
}

void CudaSimTest::TearDown() {
  Open();
  // A lost context answers all of this with its error.
  for (CUstream stream : streams_) api_.cuStreamSynchronize(stream);
  for (CUstream stream : streams_) api_.cuStreamDestroy_v2(stream);
  for (CUevent event : events_) api_.cuEventDestroy_v2(event);
  for (CUmodule module : modules_) api_.cuModuleUnload(module);
  for (CUdeviceptr memory : memory_) api_.cuMemFree_v2(memory);
  for (void* memory : pinned_) api_.cuMemFreeHost(memory);
  EXPECT_CU(api_.cuCtxPopCurrent_v2(nullptr));
  EXPECT_CU(api_.cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_EQ(Report(), "");
}

CUstream CudaSimTest::MakeStream() {
  CUstream stream = nullptr;
  EXPECT_CU(api_.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return streams_.emplace_back(stream);
}

CUevent CudaSimTest::MakeEvent(CUevent_flags flags) {
  CUevent event = nullptr;
  EXPECT_CU(api_.cuEventCreate(&event, static_cast<unsigned>(flags)));
  return events_.emplace_back(event);
}

CUdeviceptr CudaSimTest::MakeMemory(size_t size) {
  CUdeviceptr address = 0;
  EXPECT_CU(api_.cuMemAlloc_v2(&address, size));
  return memory_.emplace_back(address);
}

void* CudaSimTest::MakePinnedBytes(size_t size) {
  void* memory = nullptr;
  EXPECT_CU(api_.cuMemHostAlloc(&memory, size, CU_MEMHOSTALLOC_DEVICEMAP));
  std::memset(memory, 0, size);
  return pinned_.emplace_back(memory);
}

CUmodule CudaSimTest::LoadModule() {
  if (!modules_.empty()) return modules_.front();
  std::ifstream file(HALYARD_SIM_PTX);
  const std::string ptx((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::string log(1024, '\0');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  CUmodule module = nullptr;
  EXPECT_CU(api_.cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, values)) << log.c_str();
  return modules_.emplace_back(module);
}

CUfunction CudaSimTest::GetFunction(const char* name) {
  CUfunction function = nullptr;
  EXPECT_CU(api_.cuModuleGetFunction(&function, LoadModule(), name));
  return function;
}

CUresult CudaSimTest::Append(uint32_t* log, uint32_t value, CUstream stream) {
  void* params[] = {&log, &value};
  return api_.cuLaunchKernel(GetFunction("append"), 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr);
}

CUDA_KERNEL_NODE_PARAMS CudaSimTest::AppendParams(void** params) {
  return {GetFunction("append"), 1, 1, 1, 1, 1, 1, 0, params, nullptr, nullptr, nullptr};
}

void CudaSimTest::Close(CUstream stream) {
  ++gates_closed_;
  EXPECT_CU(api_.cuStreamWaitValue64_v2(stream, reinterpret_cast<CUdeviceptr>(gate_), gates_closed_,
                                        CU_STREAM_WAIT_VALUE_GEQ));
}

void CudaSimTest::Open() { std::atomic_ref(*gate_).store(gates_closed_, std::memory_order_release); }

void CudaSimTest::OpenWhenReported(const char* rule) {
  while (api_.Reports(rule) == 0) std::this_thread::yield();
  Open();
}

}  // namespace halyard::sim
