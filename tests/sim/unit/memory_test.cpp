// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory: what may be touched, and when it may be freed.
#include <thread>

#include "cuda_sim_test.h"

namespace halyard::sim {
namespace {

using MemoryTest = CudaSimTest;
using cu::Result;

TEST_F(MemoryTest, CopiesAndFills) {
  const cu::DevicePtr memory = MakeMemory(64);
  uint32_t* out = MakePinned<uint32_t>(16);
  const uint32_t words[2] = {11, 12};
  ASSERT_CU(api_.MemsetD32Async(memory, 5, 16, stream_));
  ASSERT_CU(api_.MemsetD16Async(memory + 16, 0x0102, 2, stream_));
  ASSERT_CU(api_.MemsetD8Async(memory + 20, 3, 4, stream_));
  ASSERT_CU(api_.MemcpyHtoDAsync(memory + 24, words, sizeof(words), stream_));
  ASSERT_CU(api_.MemcpyDtoDAsync(memory, memory + 24, 4, stream_));
  ASSERT_CU(api_.MemcpyDtoHAsync(out, memory, 64, stream_));
  ASSERT_CU(api_.StreamSynchronize(stream_));
  EXPECT_THAT(std::vector(out, out + 9), testing::ElementsAre(11, 5, 5, 5, 0x01020102, 0x03030303, 11, 12, 5));
}

TEST_F(MemoryTest, PageableMemoryIsReadBeforeTheCallReturns) {
  const cu::DevicePtr memory = MakeMemory(4);
  uint32_t* out = MakePinned<uint32_t>(1);
  uint32_t word = 1;
  Close(stream_);
  ASSERT_CU(api_.MemcpyHtoDAsync(memory, &word, 4, stream_));
  word = 2;
  Open();
  ASSERT_CU(api_.MemcpyDtoHAsync(out, memory, 4, stream_));
  ASSERT_CU(api_.StreamSynchronize(stream_));
  EXPECT_EQ(*out, 1U);
}

TEST_F(MemoryTest, ACopyToPageableMemoryIsAHiddenWait) {
  const CudaApi& api = api_;
  uint32_t word = 1;
  ASSERT_CU(api.MemsetD32Async(MakeMemory(4), 0, 1, stream_));
  ASSERT_CU(api.MemcpyDtoHAsync(&word, MakeMemory(4), 4, stream_));
  EXPECT_EQ(TakeReports("hidden-wait"), 1U);
}

TEST_F(MemoryTest, RangesStayInsideOfAllocations) {
  const cu::DevicePtr memory = MakeMemory(64);
  EXPECT_EQ(api_.MemsetD8Async(memory + 60, 0, 5, stream_), Result::kErrorInvalidValue);
  EXPECT_EQ(TakeReports("out-of-bounds"), 1U);
  EXPECT_EQ(api_.MemsetD32Async(memory + 2, 0, 1, stream_), Result::kErrorInvalidValue);  // not aligned
  EXPECT_EQ(api_.MemcpyDtoDAsync(memory, 0x1000, 4, stream_), Result::kErrorInvalidValue);
  EXPECT_EQ(TakeReports("out-of-bounds"), 1U);
}

TEST_F(MemoryTest, FreedMemoryIsNotTouched) {
  cu::DevicePtr memory = 0;
  ASSERT_CU(api_.MemAlloc(&memory, 64));
  ASSERT_CU(api_.MemFree(memory));
  EXPECT_EQ(api_.MemsetD8Async(memory, 0, 4, stream_), Result::kErrorInvalidValue);
  EXPECT_EQ(TakeReports("use-after-free"), 1U);
  EXPECT_EQ(api_.MemFree(memory), Result::kErrorInvalidValue);
  EXPECT_EQ(TakeReports("double-free"), 1U);
}

TEST_F(MemoryTest, MemoryInUseIsNotFreed) {
  cu::DevicePtr memory = 0;
  ASSERT_CU(api_.MemAlloc(&memory, 64));
  ASSERT_CU(api_.MemsetD8Async(memory, 0, 64, stream_));
  Close(stream_);
  ASSERT_CU(api_.MemsetD8Async(memory, 0, 64, stream_));
  std::thread opener([&] { OpenWhenReported("free-in-use"); });
  EXPECT_CU(api_.MemFree(memory));  // waits
  opener.join();
  EXPECT_EQ(TakeReports("free-in-use"), 1U);
}

TEST_F(MemoryTest, HostMemoryIsRegisteredOnce) {
  std::vector<uint64_t> words(512);
  ASSERT_CU(api_.MemHostRegister(words.data(), 4096, cu::kMemHostRegisterDeviceMap));
  EXPECT_EQ(api_.MemHostRegister(&words[8], 64, 0), Result::kErrorHostMemoryAlreadyRegistered);
  cu::DevicePtr address = 0;
  ASSERT_CU(api_.MemHostGetDevicePointer(&address, &words[1], 0));
  ASSERT_CU(api_.StreamWriteValue64(stream_, address, 77, 0));
  ASSERT_CU(api_.StreamSynchronize(stream_));
  EXPECT_EQ(words[1], 77U);
  ASSERT_CU(api_.MemHostUnregister(words.data()));
  EXPECT_EQ(api_.MemHostUnregister(words.data()), Result::kErrorHostMemoryNotRegistered);
}

TEST_F(MemoryTest, PointersAreKnown) {
  const cu::DevicePtr memory = MakeMemory(64);
  cu::MemoryType type = {};
  cu::DevicePtr start = 0;
  ASSERT_CU(api_.PointerGetAttribute(&type, cu::PointerAttribute::kMemoryType, memory + 8));
  ASSERT_CU(api_.PointerGetAttribute(&start, cu::PointerAttribute::kRangeStartAddr, memory + 8));
  EXPECT_EQ(type, cu::MemoryType::kDevice);
  EXPECT_EQ(start, memory);
  EXPECT_EQ(api_.PointerGetAttribute(&type, cu::PointerAttribute::kMemoryType, 0x1000), Result::kErrorInvalidValue);
  size_t size = 0;
  ASSERT_CU(api_.MemGetAddressRange(&start, &size, memory + 63));
  EXPECT_EQ(size, 64U);
}

TEST_F(MemoryTest, TheDeviceCanBeFull) {
  size_t total = 0;
  size_t free = 0;
  cu::DevicePtr memory = 0;
  ASSERT_CU(api_.MemGetInfo(&free, &total));
  EXPECT_EQ(free, total);
  EXPECT_EQ(api_.MemAlloc(&memory, total + 1), Result::kErrorOutOfMemory);
  EXPECT_EQ(api_.MemAlloc(&memory, 0), Result::kErrorInvalidValue);
}

TEST_F(MemoryTest, APoolGivesWhatIsAboutToBeFreed) {
  cu::MemPoolProps props{};
  props.alloc_type = cu::MemAllocationType::kPinned;
  props.location = {cu::MemLocationType::kDevice, 0};
  cu::MemPool pool = nullptr;
  ASSERT_CU(api_.MemPoolCreate(&pool, &props));
  size_t total = 0;
  size_t free = 0;
  ASSERT_CU(api_.MemGetInfo(&free, &total));
  const size_t most = total / 5 * 4;
  const cu::Stream other = MakeStream();
  cu::DevicePtr first = 0;
  cu::DevicePtr second = 0;
  cu::DevicePtr third = 0;
  ASSERT_CU(api_.MemAllocFromPoolAsync(&first, most, pool, stream_));
  EXPECT_EQ(api_.MemAllocFromPoolAsync(&second, most, pool, other), Result::kErrorOutOfMemory);
  Close(stream_);
  ASSERT_CU(api_.MemFreeAsync(first, stream_));
  ASSERT_CU(api_.MemAllocFromPoolAsync(&second, most, pool, other));  // waits for that on the device
  EXPECT_EQ(api_.MemAllocFromPoolAsync(&third, most, pool, other), Result::kErrorOutOfMemory) << "promised already";
  EXPECT_EQ(api_.StreamQuery(other), Result::kErrorNotReady);
  Open();
  ASSERT_CU(api_.StreamSynchronize(other));
  ASSERT_CU(api_.MemFreeAsync(second, other));
  ASSERT_CU(api_.StreamSynchronize(other));
  ASSERT_CU(api_.MemPoolDestroy(pool));
}

TEST_F(MemoryTest, ManagedMemoryIsPrefetchedWhereItCanBe) {
  cu::DevicePtr memory = 0;
  ASSERT_CU(api_.MemAllocManaged(&memory, 64, static_cast<unsigned>(cu::MemAttachFlags::kGlobal)));
  *reinterpret_cast<uint32_t*>(memory) = 3;
  EXPECT_CU(api_.MemPrefetchAsync(memory, 64, 0, stream_));
  EXPECT_CU(api_.MemAdvise(memory, 64, cu::MemAdvice::kSetPreferredLocation, 0));
  const int attribute = static_cast<int>(cu::DeviceAttribute::kConcurrentManagedAccess);
  ASSERT_EQ(api_.SetAttribute(0, attribute, 0), 1);
  EXPECT_EQ(api_.MemPrefetchAsync(memory, 64, 0, stream_), Result::kErrorInvalidDevice);
  ASSERT_EQ(api_.SetAttribute(0, attribute, 1), 1);
  ASSERT_CU(api_.StreamSynchronize(stream_));
  EXPECT_CU(api_.MemFree(memory));
}

class PoolTest : public CudaSimTest {
 protected:
  void SetUp() override {
    CudaSimTest::SetUp();
    cu::MemPoolProps props = {};
    props.alloc_type = cu::MemAllocationType::kPinned;
    props.location = {cu::MemLocationType::kDevice, 0};
    ASSERT_CU(api_.MemPoolCreate(&pool_, &props));
  }
  void TearDown() override {
    EXPECT_CU(api_.MemPoolDestroy(pool_));
    CudaSimTest::TearDown();
  }

  cu::MemPool pool_ = nullptr;
};

TEST_F(PoolTest, AllocatesInStreamOrder) {
  cu::DevicePtr memory = 0;
  uint32_t* out = MakePinned<uint32_t>(1);
  Close(stream_);
  ASSERT_CU(api_.MemAllocFromPoolAsync(&memory, 64, pool_, stream_));
  ASSERT_CU(api_.MemsetD32Async(memory, 6, 1, stream_));
  ASSERT_CU(api_.MemcpyDtoHAsync(out, memory, 4, stream_));
  ASSERT_CU(api_.MemFreeAsync(memory, stream_));
  Open();
  ASSERT_CU(api_.StreamSynchronize(stream_));
  EXPECT_EQ(*out, 6U);
}

TEST_F(PoolTest, MemoryIsNotUsedAheadOfItsAllocation) {
  cu::DevicePtr memory = 0;
  cu::Stream other = MakeStream();
  Close(stream_);
  ASSERT_CU(api_.MemAllocFromPoolAsync(&memory, 64, pool_, stream_));
  ASSERT_CU(api_.MemsetD32Async(memory, 6, 1, other));
  EXPECT_EQ(api_.StreamSynchronize(other), Result::kErrorIllegalAddress);
  EXPECT_EQ(TakeReports("use-before-allocation"), 1U);
}

TEST_F(PoolTest, MemoryIsNotUsedBehindItsFree) {
  cu::DevicePtr memory = 0;
  cu::Stream other = MakeStream();
  cu::Event event = MakeEvent();
  ASSERT_CU(api_.MemAllocFromPoolAsync(&memory, 64, pool_, stream_));
  Close(stream_);
  ASSERT_CU(api_.MemFreeAsync(memory, stream_));
  EXPECT_EQ(api_.MemFreeAsync(memory, stream_), Result::kErrorInvalidValue);
  EXPECT_EQ(TakeReports("double-free"), 1U);
  ASSERT_CU(api_.EventRecord(event, stream_));
  ASSERT_CU(api_.StreamWaitEvent(other, event, 0));
  ASSERT_CU(api_.MemsetD32Async(memory, 6, 1, other));
  Open();
  EXPECT_EQ(api_.StreamSynchronize(other), Result::kErrorIllegalAddress);
  EXPECT_EQ(api_.Reports("free-in-use"), 1U);  // the free saw work that was not ordered before it
  EXPECT_EQ(api_.Reports("use-after-free"), 1U);
  api_.Reset();
}

TEST_F(PoolTest, ThePoolKeepsWhatItsThresholdAllows) {
  uint64_t threshold = 128;
  uint64_t reserved = 0;
  cu::DevicePtr memory = 0;
  ASSERT_CU(api_.MemPoolSetAttribute(pool_, cu::MemPoolAttribute::kReleaseThreshold, &threshold));
  ASSERT_CU(api_.MemAllocFromPoolAsync(&memory, 256, pool_, stream_));
  ASSERT_CU(api_.MemFreeAsync(memory, stream_));
  ASSERT_CU(api_.StreamSynchronize(stream_));
  ASSERT_CU(api_.MemPoolGetAttribute(pool_, cu::MemPoolAttribute::kReservedMemCurrent, &reserved));
  EXPECT_EQ(reserved, 128U);
  ASSERT_CU(api_.MemPoolTrimTo(pool_, 0));
  size_t free = 0;
  size_t total = 0;
  ASSERT_CU(api_.MemGetInfo(&free, &total));
  EXPECT_EQ(free, total);
}

TEST_F(PoolTest, APoolInUseIsNotDestroyed) {
  cu::MemPoolProps props = {};
  props.alloc_type = cu::MemAllocationType::kPinned;
  props.location = {cu::MemLocationType::kDevice, 0};
  cu::MemPool pool = nullptr;
  cu::DevicePtr memory = 0;
  ASSERT_CU(api_.MemPoolCreate(&pool, &props));
  ASSERT_CU(api_.MemAllocFromPoolAsync(&memory, 64, pool, stream_));
  ASSERT_CU(api_.MemPoolDestroy(pool));
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
  ASSERT_CU(api_.MemFreeAsync(memory, stream_));
}

}  // namespace
}  // namespace halyard::sim
