// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip_sim_test.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

namespace halyard::hip::abi {

void PrintTo(hipError_t result, std::ostream* out) { *out << sim::HipApi::Get().hipGetErrorName(result); }

}  // namespace halyard::hip::abi

namespace halyard::sim {

void HipSimTest::SetUp() {
  api_.Reset();
  api_.SetVersion(kHip64);
  api_.SetArchitecture("gfx942:sramecc+:xnack-");
  ASSERT_HIP(api_.hipInit(0));
  stream_ = MakeStream();
}

void HipSimTest::TearDown() {
  Open();
  EXPECT_EQ(Report(), "");
  for (hipStream_t stream : streams_) api_.hipStreamSynchronize(stream);  // a lost device answers its error
  api_.Forget();
  api_.hipGetLastError();
}

hipStream_t HipSimTest::MakeStream() {
  hipStream_t stream = nullptr;
  EXPECT_HIP(api_.hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  return streams_.emplace_back(stream);
}

hipEvent_t HipSimTest::MakeEvent() {
  hipEvent_t event = nullptr;
  EXPECT_HIP(api_.hipEventCreateWithFlags(&event, hipEventDisableTiming));
  return event;
}

void* HipSimTest::MakeMemory(size_t size) {
  void* address = nullptr;
  EXPECT_HIP(api_.hipMalloc(&address, size));
  return address;
}

void* HipSimTest::MakePinnedBytes(size_t size) {
  void* memory = nullptr;
  EXPECT_HIP(api_.hipHostMalloc(&memory, size, hipHostMallocMapped));
  std::memset(memory, 0, size);
  return memory;
}

std::string HipSimTest::CodeObject() {
  std::ifstream file(HALYARD_SIM_CODE_OBJECT, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

hipFunction_t HipSimTest::GetFunction(const char* name) {
  hipFunction_t function = nullptr;
  if (module_ == nullptr) EXPECT_HIP(api_.hipModuleLoadData(&module_, CodeObject().data()));
  EXPECT_HIP(api_.hipModuleGetFunction(&function, module_, name));
  return function;
}

hipError_t HipSimTest::Append(uint32_t* log, uint32_t value, hipStream_t stream) {
  void* params[] = {&log, &value};
  return api_.hipModuleLaunchKernel(GetFunction("append"), 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr);
}

void HipSimTest::Close(hipStream_t stream) {
  open_ = false;
  EXPECT_HIP(api_.hipLaunchHostFunc(
      stream, [](void* open) { static_cast<std::atomic<bool>*>(open)->wait(false); }, &open_));
}

void HipSimTest::Open() {
  open_ = true;
  open_.notify_all();
}

bool HipSimTest::WaitsForStream(const char* name, const std::function<void()>& call) {
  const uint64_t before = api_.Calls(name);
  Close(stream_);
  bool was_open = false;
  std::thread caller([&] {
    call();
    was_open = open_;
  });
  while (api_.Calls(name) == before) std::this_thread::yield();
  Open();
  caller.join();
  return was_open;
}

}  // namespace halyard::sim
