// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading, initialisation, devices, contexts.
#include <thread>

#include "cuda_sim_test.h"

namespace halyard::sim {
namespace {

using DriverTest = CudaSimTest;

TEST_F(DriverTest, GetProcAddressGivesTheSignatureOfTheVersion) {
  void* old_form = nullptr;
  void* new_form = nullptr;
  CUdriverProcAddressQueryResult found;
  ASSERT_CU(api_.cuGetProcAddress_v2("cuMemAdvise", &old_form, 8000, 0, &found));
  ASSERT_CU(api_.cuGetProcAddress_v2("cuMemAdvise", &new_form, 12020, 0, &found));
  EXPECT_EQ(old_form, reinterpret_cast<void*>(api_.cuMemAdvise));
  EXPECT_EQ(new_form, reinterpret_cast<void*>(api_.cuMemAdvise_v2));
}

TEST_F(DriverTest, GetProcAddressSaysWhatIsMissing) {
  void* function = nullptr;
  CUdriverProcAddressQueryResult found;
  EXPECT_EQ(api_.cuGetProcAddress_v2("cuFrobnicate", &function, 13000, 0, &found), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(found, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(api_.cuGetProcAddress_v2("cuFuncGetParamInfo", &function, 12000, 0, &found), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(found, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
}

TEST_F(DriverTest, EveryFunctionIsFoundByItsNameAndVersion) {
  for (const FunctionInfo& info : kFunctions) {
    void* function = nullptr;
    EXPECT_CU(api_.cuGetProcAddress_v2(info.name, &function, info.version, 0, nullptr)) << info.symbol;
    EXPECT_NE(function, nullptr) << info.symbol;
  }
}

TEST_F(DriverTest, DevicesAreToldApart) {
  int count = 0;
  ASSERT_CU(api_.cuDeviceGetCount(&count));
  ASSERT_EQ(count, 2);
  char ids[2][32];
  CUuuid uuids[2];
  for (int i = 0; i < count; ++i) {
    CUdevice device = -1;
    ASSERT_CU(api_.cuDeviceGetPCIBusId(ids[i], sizeof(ids[i]), i));
    ASSERT_CU(api_.cuDeviceGetUuid_v2(&uuids[i], i));
    ASSERT_CU(api_.cuDeviceGetByPCIBusId(&device, ids[i]));
    EXPECT_EQ(device, i);
  }
  EXPECT_STRNE(ids[0], ids[1]);
  EXPECT_NE(std::string(uuids[0].bytes, 16), std::string(uuids[1].bytes, 16));
  CUdevice device = 0;
  EXPECT_EQ(api_.cuDeviceGet(&device, 2), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(DriverTest, ACallWithoutContextIsRefused) {
  ASSERT_CU(api_.cuCtxPopCurrent_v2(nullptr));
  CUdeviceptr address = 0;
  EXPECT_EQ(api_.cuMemAlloc_v2(&address, 64), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(TakeReports("no-context"), 1U);
  ASSERT_CU(api_.cuCtxPushCurrent_v2(context_));
}

TEST_F(DriverTest, ContextsAreCurrentForOneThread) {
  std::thread([&] {
    CUcontext current = context_;
    EXPECT_CU(api_.cuCtxGetCurrent(&current));
    EXPECT_EQ(current, nullptr);
    EXPECT_EQ(api_.cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  }).join();
  EXPECT_EQ(TakeReports("no-context"), 1U);
}

TEST_F(DriverTest, ADestroyedContextIsNotUsed) {
  CUcontext other = nullptr;
  ASSERT_CU(api_.cuDevicePrimaryCtxRetain(&other, 1));
  ASSERT_CU(api_.cuCtxPushCurrent_v2(other));
  ASSERT_CU(api_.cuDevicePrimaryCtxRelease_v2(1));
  EXPECT_EQ(api_.cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  ASSERT_CU(api_.cuCtxPopCurrent_v2(nullptr));
  EXPECT_EQ(api_.cuCtxPushCurrent_v2(other), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(TakeReports("invalid-handle"), 1U);
}

TEST_F(DriverTest, WhatIsLeftInAContextIsALeak) {
  CUcontext other = nullptr;
  CUdeviceptr memory = 0;
  CUevent event = nullptr;
  ASSERT_CU(api_.cuDevicePrimaryCtxRetain(&other, 1));
  ASSERT_CU(api_.cuCtxPushCurrent_v2(other));
  ASSERT_CU(api_.cuMemAlloc_v2(&memory, 64));
  ASSERT_CU(api_.cuEventCreate(&event, 0));
  ASSERT_CU(api_.cuCtxPopCurrent_v2(nullptr));
  ASSERT_CU(api_.cuDevicePrimaryCtxRelease_v2(1));
  EXPECT_EQ(TakeReports("leak"), 2U);
}

TEST_F(DriverTest, LeaksAreReportedOnDemand) {
  api_.CheckLeaks();  // this test's own context, stream and gate
  EXPECT_EQ(TakeReports("leak"), 3U);
}

TEST_F(DriverTest, AttributesCanBeChanged) {
  constexpr auto kAttribute = CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS;
  int value = 0;
  ASSERT_CU(api_.cuDeviceGetAttribute(&value, kAttribute, 0));
  EXPECT_EQ(value, 1);
  ASSERT_EQ(api_.SetAttribute(0, static_cast<int>(kAttribute), 0), 1);
  uint64_t* word = MakePinned<uint64_t>(1);
  EXPECT_EQ(api_.cuStreamWriteValue64_v2(stream_, reinterpret_cast<CUdeviceptr>(word), 1, 0), CUDA_ERROR_NOT_SUPPORTED);
  ASSERT_EQ(api_.SetAttribute(0, static_cast<int>(kAttribute), 1), 1);
  EXPECT_EQ(api_.SetAttribute(7, static_cast<int>(kAttribute), 0), 0);
}

TEST_F(DriverTest, AFailureThatStaysLosesTheContext) {
  int count = 0;
  api_.Fail(nullptr, 1, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(api_.cuDeviceGetCount(&count), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_STREQ(api_.FailedCall(), "cuDeviceGetCount");
  EXPECT_EQ(api_.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(DriverTest, TheNthCallFails) {
  int count = 0;
  api_.Fail(nullptr, 2, CUDA_ERROR_UNKNOWN);
  EXPECT_CU(api_.cuDeviceGetCount(&count));
  EXPECT_EQ(api_.cuDeviceGetCount(&count), CUDA_ERROR_UNKNOWN);
  EXPECT_CU(api_.cuDeviceGetCount(&count));
  EXPECT_EQ(api_.Failures(), 1U);
  EXPECT_EQ(api_.Calls("cuDeviceGetCount"), 3U);
}

TEST_F(DriverTest, TheNthCallOfAFunctionFails) {
  int count = 0;
  int version = 0;
  api_.Fail("cuDeviceGetCount", 2, CUDA_ERROR_UNKNOWN);
  EXPECT_CU(api_.cuDriverGetVersion(&version));
  EXPECT_CU(api_.cuDeviceGetCount(&count));
  EXPECT_CU(api_.cuDriverGetVersion(&version));
  EXPECT_EQ(api_.cuDeviceGetCount(&count), CUDA_ERROR_UNKNOWN);
  EXPECT_CU(api_.cuDeviceGetCount(&count));
  EXPECT_EQ(api_.Failures(), 1U);
}

}  // namespace
}  // namespace halyard::sim
