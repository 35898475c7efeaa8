// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules, functions and launches; devices that are lost.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "cuda_sim_test.h"
#include "host_code/kernel_code.h"

namespace halyard::sim {
namespace {

using LaunchTest = CudaSimTest;

TEST_F(LaunchTest, ParametersArriveInTheOrderOfTheImage) {
  const CUdeviceptr x = MakeMemory(400);
  float* y = MakePinned<float>(100);
  ASSERT_CU(api_.cuMemsetD32Async(x, 0x3F800000, 100, stream_));  // 1.0f
  float a = 2.5F;
  uint32_t count = 100;
  void* params[] = {&y, &a, const_cast<CUdeviceptr*>(&x), &count};
  ASSERT_CU(api_.cuLaunchKernel(GetFunction("scale"), 2, 1, 1, 64, 1, 1, 0, stream_, params, nullptr));
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  EXPECT_THAT(std::vector(y, y + 100), testing::Each(2.5F));
}

TEST_F(LaunchTest, ParametersMayComeAsOneBlock) {
  struct {
    uint32_t* log;
    uint32_t value;
  } block = {MakePinned<uint32_t>(2), 8};
  size_t size = 12;
  void* extra[] = {reinterpret_cast<void*>(CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT), &block,
                   reinterpret_cast<void*>(CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT), &size, nullptr};
  const CUfunction append = GetFunction("append");
  ASSERT_CU(api_.cuLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, extra));
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  EXPECT_EQ(block.log[1], 8U);
  size = 8;
  EXPECT_EQ(api_.cuLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, extra), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(TakeReports("kernel-parameters"), 1U);
}

class MachineCodeTest : public CudaSimTest {
 protected:
  /// What the build packed as a cubin: an ELF file, as cubins are.
  static std::string Cubin() {
    std::ifstream file(HALYARD_SIM_HOST_OBJECT, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  /// A fatbin with that inside.
  static std::string Fatbin() {
    const std::string cubin = Cubin();
    const uint32_t magic = 0xBA55ED50;
    const uint16_t version_and_size[] = {1, 16};
    const uint64_t size = cubin.size();
    std::string image(reinterpret_cast<const char*>(&magic), sizeof(magic));
    image.append(reinterpret_cast<const char*>(version_and_size), sizeof(version_and_size));
    image.append(reinterpret_cast<const char*>(&size), sizeof(size));
    return image + cubin;
  }
  static std::filesystem::path HostCodeOf(const std::string& image, const char* ending) {
    return std::filesystem::path(HALYARD_SIM_KERNEL_DIR) / (ImageName(std::as_bytes(std::span(image))) + ending);
  }

  void ExpectRuns(const std::string& image) {
    CUmodule module = nullptr;
    ASSERT_CU(api_.cuModuleLoadDataEx(&module, image.data(), 0, nullptr, nullptr));
    modules_.push_back(module);
    CUfunction append = nullptr;
    ASSERT_CU(api_.cuModuleGetFunction(&append, module, "append"));
    auto* log = MakePinned<uint32_t>(2);
    uint32_t value = 9;
    void* params[] = {&log, &value};
    ASSERT_CU(api_.cuLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, stream_, params, nullptr));
    ASSERT_CU(api_.cuStreamSynchronize(stream_));
    EXPECT_EQ(log[1], 9U);
    CUfunction missing = nullptr;
    EXPECT_EQ(api_.cuModuleGetFunction(&missing, module, "nothing"), CUDA_ERROR_NOT_FOUND);
  }
};

TEST_F(MachineCodeTest, ACubinRuns) { ExpectRuns(Cubin()); }

TEST_F(MachineCodeTest, AFatbinRuns) {
  // A file appears complete or not at all: other processes may run this test at the same time.
  for (const char* ending : {".so", ".kernels"}) {
    const std::filesystem::path target = HostCodeOf(Fatbin(), ending);
    const std::filesystem::path part = target.string() + ".part" + std::to_string(getpid());
    std::filesystem::copy_file(HostCodeOf(Cubin(), ending), part);
    std::filesystem::rename(part, target);
  }
  ExpectRuns(Fatbin());
}

TEST_F(MachineCodeTest, WithoutHostCodeThereIsNoBinary) {
  std::string image = Cubin();
  image.back() = static_cast<char>(image.back() ^ 1);
  CUmodule module = nullptr;
  EXPECT_EQ(api_.cuModuleLoadDataEx(&module, image.data(), 0, nullptr, nullptr), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST_F(LaunchTest, AMissingParameterIsReported) {
  void* params[] = {nullptr, nullptr};
  const CUfunction append = GetFunction("append");
  EXPECT_EQ(api_.cuLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, stream_, params, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(TakeReports("kernel-parameters"), 1U);
}

TEST_F(LaunchTest, TheLayoutOfParametersIsThatOfTheText) {
  size_t offset = 0;
  size_t size = 0;
  ASSERT_CU(api_.cuFuncGetParamInfo(GetFunction("scale"), 2, &offset, &size));
  EXPECT_EQ(offset, 16U);  // behind a pointer and an aligned float
  EXPECT_EQ(size, 8U);
  EXPECT_EQ(api_.cuFuncGetParamInfo(GetFunction("scale"), 4, &offset, &size), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(LaunchTest, BlocksAndGridsHaveLimits) {
  uint32_t* log = MakePinned<uint32_t>(2);
  uint32_t value = 0;
  void* params[] = {&log, &value};
  const auto launch = [&](const char* name, unsigned grid, unsigned block) {
    return api_.cuLaunchKernel(GetFunction(name), 1, grid, 1, block, 1, 1, 0, stream_, params, nullptr);
  };
  EXPECT_EQ(launch("append", 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("append", 65536, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("append", 1, 2), CUDA_ERROR_INVALID_VALUE);   // .reqntid 1
  EXPECT_EQ(launch("scale", 1, 257), CUDA_ERROR_INVALID_VALUE);  // .maxntid 256
  EXPECT_EQ(launch("local_size", 1, 1025), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(TakeReports("launch-limits"), 5U);
}

TEST_F(LaunchTest, MuchSharedMemoryHasToBeAskedFor) {
  uint32_t* out = MakePinned<uint32_t>(1);
  void* params[] = {&out};
  const CUfunction function = GetFunction("local_size");
  const auto launch = [&](unsigned bytes) {
    return api_.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, bytes, stream_, params, nullptr);
  };
  ASSERT_CU(launch(49152 - 1024));
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  EXPECT_EQ(*out, 49152U);
  EXPECT_EQ(launch(49152), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(TakeReports("launch-limits"), 1U);
  ASSERT_CU(api_.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
  ASSERT_CU(launch(100000));
  EXPECT_EQ(api_.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(LaunchTest, VariablesOfAModuleAreFound) {
  CUdeviceptr address = 0;
  size_t size = 0;
  ASSERT_CU(api_.cuModuleGetGlobal_v2(&address, &size, LoadModule(), "sim_table"));
  EXPECT_EQ(size, 16U);
  uint32_t* out = MakePinned<uint32_t>(4);
  ASSERT_CU(api_.cuMemcpyDtoHAsync_v2(out, address, size, stream_));
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  EXPECT_THAT(std::vector(out, out + 4), testing::ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(api_.cuModuleGetGlobal_v2(&address, &size, LoadModule(), "nothing"), CUDA_ERROR_NOT_FOUND);
}

TEST_F(LaunchTest, EachModuleHasItsOwnVariables) {
  const CUmodule first = LoadModule();
  modules_.clear();  // so that another one is loaded
  const CUmodule second = LoadModule();
  modules_.push_back(first);
  CUdeviceptr addresses[2] = {};
  ASSERT_CU(api_.cuModuleGetGlobal_v2(&addresses[0], nullptr, first, "sim_table"));
  ASSERT_CU(api_.cuModuleGetGlobal_v2(&addresses[1], nullptr, second, "sim_table"));
  EXPECT_NE(addresses[0], addresses[1]);
}

TEST_F(LaunchTest, WrongImagesAreRefusedWithALog) {
  CUmodule module = nullptr;
  char log[256];
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof(log))};
  EXPECT_EQ(api_.cuModuleLoadDataEx(&module, "nonsense", 2, options, values), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_THAT(log, testing::HasSubstr("neither PTX"));
  values[1] = reinterpret_cast<void*>(sizeof(log));
  EXPECT_EQ(api_.cuModuleLoadDataEx(&module, ".version 7.0\n.target sm_70\n", 2, options, values),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(log, testing::HasSubstr("there is no"));
}

TEST_F(LaunchTest, AModuleInUseIsNotUnloaded) {
  const CUmodule module = LoadModule();
  uint32_t* log = MakePinned<uint32_t>(2);
  Close(stream_);
  ASSERT_CU(Append(log, 1, stream_));
  std::thread opener([&] { OpenWhenReported("destroy-in-use"); });
  EXPECT_CU(api_.cuModuleUnload(module));
  opener.join();
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
  modules_.clear();
}

TEST_F(LaunchTest, AKernelDoesNotTouchFreedMemory) {
  CUdeviceptr memory = 0;
  ASSERT_CU(api_.cuMemAlloc_v2(&memory, 64));
  ASSERT_CU(api_.cuMemFree_v2(memory));
  ASSERT_CU(Append(reinterpret_cast<uint32_t*>(memory), 1, stream_));
  EXPECT_EQ(api_.cuStreamSynchronize(stream_), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(TakeReports("use-after-free"), 1U);
}

TEST_F(LaunchTest, OtherDevicesMemoryNeedsPeerAccess) {
  CUcontext other = nullptr;
  CUdeviceptr memory = 0;
  ASSERT_CU(api_.cuDevicePrimaryCtxRetain(&other, 1));
  ASSERT_CU(api_.cuCtxPushCurrent_v2(other));
  ASSERT_CU(api_.cuMemAlloc_v2(&memory, 64));
  ASSERT_CU(api_.cuCtxPopCurrent_v2(nullptr));
  auto* log = reinterpret_cast<uint32_t*>(memory);
  ASSERT_CU(api_.cuCtxEnablePeerAccess(other, 0));
  EXPECT_EQ(api_.cuCtxEnablePeerAccess(other, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  ASSERT_CU(api_.cuMemsetD32Async(memory, 0, 16, stream_));
  ASSERT_CU(Append(log, 1, stream_));
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  EXPECT_EQ(log[0], 1U);
  ASSERT_CU(api_.cuCtxDisablePeerAccess(other));
  ASSERT_CU(Append(log, 1, stream_));
  EXPECT_EQ(api_.cuStreamSynchronize(stream_), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(TakeReports("peer-access"), 1U);
  ASSERT_CU(api_.cuCtxPushCurrent_v2(other));
  ASSERT_CU(api_.cuMemFree_v2(memory));
  ASSERT_CU(api_.cuCtxPopCurrent_v2(nullptr));
  ASSERT_CU(api_.cuDevicePrimaryCtxRelease_v2(1));
}

TEST_F(LaunchTest, AKernelThatFailsLosesItsContext) {
  CUevent event = MakeEvent();
  Close(stream_);
  ASSERT_CU(api_.cuLaunchKernel(GetFunction("trap"), 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, nullptr));
  ASSERT_CU(api_.cuEventRecord(event, stream_));
  Open();
  while (api_.cuEventQuery(event) == CUDA_ERROR_NOT_READY) std::this_thread::yield();
  EXPECT_EQ(api_.cuEventQuery(event), CUDA_ERROR_LAUNCH_FAILED);
  CUdeviceptr memory = 0;
  EXPECT_EQ(api_.cuMemAlloc_v2(&memory, 64), CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(LaunchTest, ADeviceIsLostOnDemand) {
  uint32_t* log = MakePinned<uint32_t>(8);
  uint64_t* epoch = MakePinned<uint64_t>(1);
  const auto never = reinterpret_cast<CUdeviceptr>(MakePinned<uint64_t>(1));
  CUstream other = MakeStream();
  api_.LoseDevice(0, 2, CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_CU(api_.cuStreamWaitValue64_v2(other, never, 1, 0));
  Close(stream_);
  for (uint32_t i = 0; i < 3; ++i) {
    ASSERT_CU(Append(log, i, stream_));
    ASSERT_CU(api_.cuStreamWriteValue64_v2(stream_, reinterpret_cast<CUdeviceptr>(epoch), i + 1, 0));
  }
  Open();
  while (api_.cuStreamQuery(stream_) == CUDA_ERROR_NOT_READY) std::this_thread::yield();
  EXPECT_EQ(api_.cuStreamSynchronize(stream_), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(api_.cuStreamQuery(other), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(log[0], 1U);
  EXPECT_EQ(std::atomic_ref(*epoch).load(std::memory_order_acquire), 1U);
}

}  // namespace
}  // namespace halyard::sim
