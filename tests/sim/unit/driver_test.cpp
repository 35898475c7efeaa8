// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading, initialisation, devices, contexts.
#include <thread>

#include "cuda_sim_test.h"

namespace halyard::sim {
namespace {

using DriverTest = CudaSimTest;
using cu::Result;

TEST_F(DriverTest, GetProcAddressGivesTheSignatureOfTheVersion) {
  void* old_form = nullptr;
  void* new_form = nullptr;
  cu::ProcAddressResult found;
  ASSERT_CU(api_.GetProcAddress("cuMemAdvise", &old_form, 8000, 0, &found));
  ASSERT_CU(api_.GetProcAddress("cuMemAdvise", &new_form, 12020, 0, &found));
  EXPECT_EQ(old_form, reinterpret_cast<void*>(api_.MemAdvise));
  EXPECT_EQ(new_form, reinterpret_cast<void*>(api_.MemAdviseFor));
}

TEST_F(DriverTest, GetProcAddressSaysWhatIsMissing) {
  void* function = nullptr;
  cu::ProcAddressResult found;
  EXPECT_EQ(api_.GetProcAddress("cuFrobnicate", &function, 13000, 0, &found), Result::kErrorNotFound);
  EXPECT_EQ(found, cu::ProcAddressResult::kSymbolNotFound);
  EXPECT_EQ(api_.GetProcAddress("cuFuncGetParamInfo", &function, 12000, 0, &found), Result::kErrorNotFound);
  EXPECT_EQ(found, cu::ProcAddressResult::kVersionNotSufficient);
}

TEST_F(DriverTest, EveryFunctionIsFoundByItsNameAndVersion) {
  for (const cu::FunctionInfo& info : cu::kFunctions) {
    void* function = nullptr;
    EXPECT_CU(api_.GetProcAddress(info.name, &function, info.version, 0, nullptr)) << info.symbol;
    EXPECT_NE(function, nullptr) << info.symbol;
  }
}

TEST_F(DriverTest, DevicesAreToldApart) {
  int count = 0;
  ASSERT_CU(api_.DeviceGetCount(&count));
  ASSERT_EQ(count, 2);
  char ids[2][32];
  cu::Uuid uuids[2];
  for (int i = 0; i < count; ++i) {
    cu::Device device = -1;
    ASSERT_CU(api_.DeviceGetPCIBusId(ids[i], sizeof(ids[i]), i));
    ASSERT_CU(api_.DeviceGetUuid(&uuids[i], i));
    ASSERT_CU(api_.DeviceGetByPCIBusId(&device, ids[i]));
    EXPECT_EQ(device, i);
  }
  EXPECT_STRNE(ids[0], ids[1]);
  EXPECT_NE(std::string(uuids[0].bytes, 16), std::string(uuids[1].bytes, 16));
  cu::Device device = 0;
  EXPECT_EQ(api_.DeviceGet(&device, 2), Result::kErrorInvalidDevice);
}

TEST_F(DriverTest, ACallWithoutContextIsRefused) {
  ASSERT_CU(api_.CtxPopCurrent(nullptr));
  cu::DevicePtr address = 0;
  EXPECT_EQ(api_.MemAlloc(&address, 64), Result::kErrorInvalidContext);
  EXPECT_EQ(TakeReports("no-context"), 1U);
  ASSERT_CU(api_.CtxPushCurrent(context_));
}

TEST_F(DriverTest, ContextsAreCurrentForOneThread) {
  std::thread([&] {
    cu::Context current = context_;
    EXPECT_CU(api_.CtxGetCurrent(&current));
    EXPECT_EQ(current, nullptr);
    EXPECT_EQ(api_.CtxSynchronize(), Result::kErrorInvalidContext);
  }).join();
  EXPECT_EQ(TakeReports("no-context"), 1U);
}

TEST_F(DriverTest, ADestroyedContextIsNotUsed) {
  cu::Context other = nullptr;
  ASSERT_CU(api_.DevicePrimaryCtxRetain(&other, 1));
  ASSERT_CU(api_.CtxPushCurrent(other));
  ASSERT_CU(api_.DevicePrimaryCtxRelease(1));
  EXPECT_EQ(api_.CtxSynchronize(), Result::kErrorContextIsDestroyed);
  ASSERT_CU(api_.CtxPopCurrent(nullptr));
  EXPECT_EQ(api_.CtxPushCurrent(other), Result::kErrorInvalidContext);
  EXPECT_EQ(TakeReports("invalid-handle"), 1U);
}

TEST_F(DriverTest, WhatIsLeftInAContextIsALeak) {
  cu::Context other = nullptr;
  cu::DevicePtr memory = 0;
  cu::Event event = nullptr;
  ASSERT_CU(api_.DevicePrimaryCtxRetain(&other, 1));
  ASSERT_CU(api_.CtxPushCurrent(other));
  ASSERT_CU(api_.MemAlloc(&memory, 64));
  ASSERT_CU(api_.EventCreate(&event, 0));
  ASSERT_CU(api_.CtxPopCurrent(nullptr));
  ASSERT_CU(api_.DevicePrimaryCtxRelease(1));
  EXPECT_EQ(TakeReports("leak"), 2U);
}

TEST_F(DriverTest, LeaksAreReportedOnDemand) {
  api_.CheckLeaks();  // this test's own context, stream and gate
  EXPECT_EQ(TakeReports("leak"), 3U);
}

TEST_F(DriverTest, AttributesCanBeChanged) {
  constexpr auto kAttribute = cu::DeviceAttribute::kCanUse64BitStreamMemOps;
  int value = 0;
  ASSERT_CU(api_.DeviceGetAttribute(&value, kAttribute, 0));
  EXPECT_EQ(value, 1);
  ASSERT_EQ(api_.SetAttribute(0, static_cast<int>(kAttribute), 0), 1);
  uint64_t* word = MakePinned<uint64_t>(1);
  EXPECT_EQ(api_.StreamWriteValue64(stream_, reinterpret_cast<cu::DevicePtr>(word), 1, 0), Result::kErrorNotSupported);
  ASSERT_EQ(api_.SetAttribute(0, static_cast<int>(kAttribute), 1), 1);
  EXPECT_EQ(api_.SetAttribute(7, static_cast<int>(kAttribute), 0), 0);
}

TEST_F(DriverTest, AFailureThatStaysLosesTheContext) {
  int count = 0;
  api_.Fail(nullptr, 1, static_cast<int>(Result::kErrorIllegalAddress));
  EXPECT_EQ(api_.DeviceGetCount(&count), Result::kErrorIllegalAddress);
  EXPECT_STREQ(api_.FailedCall(), "cuDeviceGetCount");
  EXPECT_EQ(api_.CtxSynchronize(), Result::kErrorIllegalAddress);
}

TEST_F(DriverTest, TheNthCallFails) {
  int count = 0;
  api_.Fail(nullptr, 2, static_cast<int>(Result::kErrorUnknown));
  EXPECT_CU(api_.DeviceGetCount(&count));
  EXPECT_EQ(api_.DeviceGetCount(&count), Result::kErrorUnknown);
  EXPECT_CU(api_.DeviceGetCount(&count));
  EXPECT_EQ(api_.Failures(), 1U);
  EXPECT_EQ(api_.Calls("cuDeviceGetCount"), 3U);
}

TEST_F(DriverTest, TheNthCallOfAFunctionFails) {
  int count = 0;
  int version = 0;
  api_.Fail("cuDeviceGetCount", 2, static_cast<int>(Result::kErrorUnknown));
  EXPECT_CU(api_.DriverGetVersion(&version));
  EXPECT_CU(api_.DeviceGetCount(&count));
  EXPECT_CU(api_.DriverGetVersion(&version));
  EXPECT_EQ(api_.DeviceGetCount(&count), Result::kErrorUnknown);
  EXPECT_CU(api_.DeviceGetCount(&count));
  EXPECT_EQ(api_.Failures(), 1U);
}

}  // namespace
}  // namespace halyard::sim
