// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory: what may be touched, and when it may be freed.
#include <thread>

#include "cuda_sim_test.h"

namespace halyard::sim {
namespace {

using MemoryTest = CudaSimTest;

TEST_F(MemoryTest, CopiesAndFills) {
  const CUdeviceptr memory = MakeMemory(64);
  uint32_t* out = MakePinned<uint32_t>(16);
  const uint32_t words[2] = {11, 12};
  ASSERT_CU(api_.cuMemsetD32Async(memory, 5, 16, stream_));
  ASSERT_CU(api_.cuMemsetD16Async(memory + 16, 0x0102, 2, stream_));
  ASSERT_CU(api_.cuMemsetD8Async(memory + 20, 3, 4, stream_));
  ASSERT_CU(api_.cuMemcpyHtoDAsync_v2(memory + 24, words, sizeof(words), stream_));
  ASSERT_CU(api_.cuMemcpyDtoDAsync_v2(memory, memory + 24, 4, stream_));
  ASSERT_CU(api_.cuMemcpyDtoHAsync_v2(out, memory, 64, stream_));
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  EXPECT_THAT(std::vector(out, out + 9), testing::ElementsAre(11, 5, 5, 5, 0x01020102, 0x03030303, 11, 12, 5));
}

TEST_F(MemoryTest, PageableMemoryIsReadBeforeTheCallReturns) {
  const CUdeviceptr memory = MakeMemory(4);
  uint32_t* out = MakePinned<uint32_t>(1);
  uint32_t word = 1;
  Close(stream_);
  ASSERT_CU(api_.cuMemcpyHtoDAsync_v2(memory, &word, 4, stream_));
  word = 2;
  Open();
  ASSERT_CU(api_.cuMemcpyDtoHAsync_v2(out, memory, 4, stream_));
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  EXPECT_EQ(*out, 1U);
}

TEST_F(MemoryTest, ACopyToPageableMemoryIsAHiddenWait) {
  const CudaApi& api = api_;
  uint32_t word = 1;
  ASSERT_CU(api.cuMemsetD32Async(MakeMemory(4), 0, 1, stream_));
  ASSERT_CU(api.cuMemcpyDtoHAsync_v2(&word, MakeMemory(4), 4, stream_));
  EXPECT_EQ(TakeReports("hidden-wait"), 1U);
}

TEST_F(MemoryTest, RangesStayInsideOfAllocations) {
  const CUdeviceptr memory = MakeMemory(64);
  EXPECT_EQ(api_.cuMemsetD8Async(memory + 60, 0, 5, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(TakeReports("out-of-bounds"), 1U);
  EXPECT_EQ(api_.cuMemsetD32Async(memory + 2, 0, 1, stream_), CUDA_ERROR_INVALID_VALUE);  // not aligned
  EXPECT_EQ(api_.cuMemcpyDtoDAsync_v2(memory, 0x1000, 4, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(TakeReports("out-of-bounds"), 1U);
}

TEST_F(MemoryTest, FreedMemoryIsNotTouched) {
  CUdeviceptr memory = 0;
  ASSERT_CU(api_.cuMemAlloc_v2(&memory, 64));
  ASSERT_CU(api_.cuMemFree_v2(memory));
  EXPECT_EQ(api_.cuMemsetD8Async(memory, 0, 4, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(TakeReports("use-after-free"), 1U);
  EXPECT_EQ(api_.cuMemFree_v2(memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(TakeReports("double-free"), 1U);
}

TEST_F(MemoryTest, MemoryInUseIsNotFreed) {
  CUdeviceptr memory = 0;
  ASSERT_CU(api_.cuMemAlloc_v2(&memory, 64));
  ASSERT_CU(api_.cuMemsetD8Async(memory, 0, 64, stream_));
  Close(stream_);
  ASSERT_CU(api_.cuMemsetD8Async(memory, 0, 64, stream_));
  std::thread opener([&] { OpenWhenReported("free-in-use"); });
  EXPECT_CU(api_.cuMemFree_v2(memory));  // waits
  opener.join();
  EXPECT_EQ(TakeReports("free-in-use"), 1U);
}

TEST_F(MemoryTest, HostMemoryIsRegisteredOnce) {
  std::vector<uint64_t> words(512);
  ASSERT_CU(api_.cuMemHostRegister_v2(words.data(), 4096, CU_MEMHOSTREGISTER_DEVICEMAP));
  EXPECT_EQ(api_.cuMemHostRegister_v2(&words[8], 64, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  CUdeviceptr address = 0;
  ASSERT_CU(api_.cuMemHostGetDevicePointer_v2(&address, &words[1], 0));
  ASSERT_CU(api_.cuStreamWriteValue64_v2(stream_, address, 77, 0));
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  EXPECT_EQ(words[1], 77U);
  ASSERT_CU(api_.cuMemHostUnregister(words.data()));
  EXPECT_EQ(api_.cuMemHostUnregister(words.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_F(MemoryTest, PointersAreKnown) {
  const CUdeviceptr memory = MakeMemory(64);
  CUmemorytype type = {};
  CUdeviceptr start = 0;
  ASSERT_CU(api_.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory + 8));
  ASSERT_CU(api_.cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, memory + 8));
  EXPECT_EQ(type, CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(start, memory);
  EXPECT_EQ(api_.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0x1000), CUDA_ERROR_INVALID_VALUE);
  size_t size = 0;
  ASSERT_CU(api_.cuMemGetAddressRange_v2(&start, &size, memory + 63));
  EXPECT_EQ(size, 64U);
}

TEST_F(MemoryTest, TheDeviceCanBeFull) {
  size_t total = 0;
  size_t free = 0;
  CUdeviceptr memory = 0;
  ASSERT_CU(api_.cuMemGetInfo_v2(&free, &total));
  EXPECT_EQ(free, total);
  EXPECT_EQ(api_.cuMemAlloc_v2(&memory, total + 1), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(api_.cuMemAlloc_v2(&memory, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, APoolGivesWhatIsAboutToBeFreed) {
  CUmemPoolProps props{};
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemoryPool pool = nullptr;
  ASSERT_CU(api_.cuMemPoolCreate(&pool, &props));
  size_t total = 0;
  size_t free = 0;
  ASSERT_CU(api_.cuMemGetInfo_v2(&free, &total));
  const size_t most = total / 5 * 4;
  const CUstream other = MakeStream();
  CUdeviceptr first = 0;
  CUdeviceptr second = 0;
  CUdeviceptr third = 0;
  ASSERT_CU(api_.cuMemAllocFromPoolAsync(&first, most, pool, stream_));
  EXPECT_EQ(api_.cuMemAllocFromPoolAsync(&second, most, pool, other), CUDA_ERROR_OUT_OF_MEMORY);
  Close(stream_);
  ASSERT_CU(api_.cuMemFreeAsync(first, stream_));
  ASSERT_CU(api_.cuMemAllocFromPoolAsync(&second, most, pool, other));  // waits for that on the device
  EXPECT_EQ(api_.cuMemAllocFromPoolAsync(&third, most, pool, other), CUDA_ERROR_OUT_OF_MEMORY) << "promised already";
  EXPECT_EQ(api_.cuStreamQuery(other), CUDA_ERROR_NOT_READY);
  Open();
  ASSERT_CU(api_.cuStreamSynchronize(other));
  ASSERT_CU(api_.cuMemFreeAsync(second, other));
  ASSERT_CU(api_.cuStreamSynchronize(other));
  ASSERT_CU(api_.cuMemPoolDestroy(pool));
}

TEST_F(MemoryTest, ManagedMemoryIsPrefetchedWhereItCanBe) {
  CUdeviceptr memory = 0;
  ASSERT_CU(api_.cuMemAllocManaged(&memory, 64, CU_MEM_ATTACH_GLOBAL));
  *reinterpret_cast<uint32_t*>(memory) = 3;
  EXPECT_CU(api_.cuMemPrefetchAsync(memory, 64, 0, stream_));
  EXPECT_CU(api_.cuMemAdvise(memory, 64, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 0));
  const int attribute = CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS;
  ASSERT_EQ(api_.SetAttribute(0, attribute, 0), 1);
  EXPECT_EQ(api_.cuMemPrefetchAsync(memory, 64, 0, stream_), CUDA_ERROR_INVALID_DEVICE);
  ASSERT_EQ(api_.SetAttribute(0, attribute, 1), 1);
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  EXPECT_CU(api_.cuMemFree_v2(memory));
}

class PoolTest : public CudaSimTest {
 protected:
  void SetUp() override {
    CudaSimTest::SetUp();
    CUmemPoolProps props = {};
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    ASSERT_CU(api_.cuMemPoolCreate(&pool_, &props));
  }
  void TearDown() override {
    EXPECT_CU(api_.cuMemPoolDestroy(pool_));
    CudaSimTest::TearDown();
  }

  CUmemoryPool pool_ = nullptr;
};

TEST_F(PoolTest, AllocatesInStreamOrder) {
  CUdeviceptr memory = 0;
  uint32_t* out = MakePinned<uint32_t>(1);
  Close(stream_);
  ASSERT_CU(api_.cuMemAllocFromPoolAsync(&memory, 64, pool_, stream_));
  ASSERT_CU(api_.cuMemsetD32Async(memory, 6, 1, stream_));
  ASSERT_CU(api_.cuMemcpyDtoHAsync_v2(out, memory, 4, stream_));
  ASSERT_CU(api_.cuMemFreeAsync(memory, stream_));
  Open();
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  EXPECT_EQ(*out, 6U);
}

TEST_F(PoolTest, MemoryIsNotUsedAheadOfItsAllocation) {
  CUdeviceptr memory = 0;
  CUstream other = MakeStream();
  Close(stream_);
  ASSERT_CU(api_.cuMemAllocFromPoolAsync(&memory, 64, pool_, stream_));
  ASSERT_CU(api_.cuMemsetD32Async(memory, 6, 1, other));
  EXPECT_EQ(api_.cuStreamSynchronize(other), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(TakeReports("use-before-allocation"), 1U);
}

TEST_F(PoolTest, MemoryIsNotUsedBehindItsFree) {
  CUdeviceptr memory = 0;
  CUstream other = MakeStream();
  CUevent event = MakeEvent();
  ASSERT_CU(api_.cuMemAllocFromPoolAsync(&memory, 64, pool_, stream_));
  Close(stream_);
  ASSERT_CU(api_.cuMemFreeAsync(memory, stream_));
  EXPECT_EQ(api_.cuMemFreeAsync(memory, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(TakeReports("double-free"), 1U);
  ASSERT_CU(api_.cuEventRecord(event, stream_));
  ASSERT_CU(api_.cuStreamWaitEvent(other, event, 0));
  ASSERT_CU(api_.cuMemsetD32Async(memory, 6, 1, other));
  Open();
  EXPECT_EQ(api_.cuStreamSynchronize(other), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(api_.Reports("free-in-use"), 1U);  // the free saw work that was not ordered before it
  EXPECT_EQ(api_.Reports("use-after-free"), 1U);
  api_.Reset();
}

TEST_F(PoolTest, ThePoolKeepsWhatItsThresholdAllows) {
  uint64_t threshold = 128;
  uint64_t reserved = 0;
  CUdeviceptr memory = 0;
  ASSERT_CU(api_.cuMemPoolSetAttribute(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  ASSERT_CU(api_.cuMemAllocFromPoolAsync(&memory, 256, pool_, stream_));
  ASSERT_CU(api_.cuMemFreeAsync(memory, stream_));
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  ASSERT_CU(api_.cuMemPoolGetAttribute(pool_, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
  EXPECT_EQ(reserved, 128U);
  ASSERT_CU(api_.cuMemPoolTrimTo(pool_, 0));
  size_t free = 0;
  size_t total = 0;
  ASSERT_CU(api_.cuMemGetInfo_v2(&free, &total));
  EXPECT_EQ(free, total);
}

TEST_F(PoolTest, APoolInUseIsNotDestroyed) {
  CUmemPoolProps props = {};
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemoryPool pool = nullptr;
  CUdeviceptr memory = 0;
  ASSERT_CU(api_.cuMemPoolCreate(&pool, &props));
  ASSERT_CU(api_.cuMemAllocFromPoolAsync(&memory, 64, pool, stream_));
  ASSERT_CU(api_.cuMemPoolDestroy(pool));
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
  ASSERT_CU(api_.cuMemFreeAsync(memory, stream_));
}

}  // namespace
}  // namespace halyard::sim
