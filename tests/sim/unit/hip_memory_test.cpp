// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory: what waits, what a pointer is, registrations, transfers.
#include <cstring>

#include "hip_sim_test.h"

namespace halyard::sim {
namespace {

class HipMemoryTest : public HipSimTest {
 protected:
  /// What a pointer's memory says of its type and whether it is managed.
  std::pair<unsigned, unsigned> TypeOf(void* address) {
    unsigned type = 99;
    unsigned managed = 0xFFFFFFFF;  // of which one byte is written
    EXPECT_HIP(api_.hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
    EXPECT_HIP(api_.hipPointerGetAttribute(&managed, HIP_POINTER_ATTRIBUTE_IS_MANAGED, address));
    return {type, managed};
  }
};

TEST_F(HipMemoryTest, FreeingWaitsForTheWholeDevice) {
  void* device = MakeMemory(64);
  void* host = MakePinned<uint32_t>(1);
  EXPECT_TRUE(WaitsForStream("hipFree", [&] { EXPECT_HIP(api_.hipFree(device)); }));
  EXPECT_TRUE(WaitsForStream("hipHostFree", [&] { EXPECT_HIP(api_.hipHostFree(host)); }));
  std::vector<uint64_t> words(512);
  ASSERT_HIP(api_.hipHostRegister(words.data(), 4096, hipHostRegisterMapped));
  EXPECT_TRUE(WaitsForStream("hipHostUnregister", [&] { EXPECT_HIP(api_.hipHostUnregister(words.data())); }));
}

TEST_F(HipMemoryTest, AllocatingDoesNotWait) {
  void* memory = nullptr;
  Close(stream_);
  EXPECT_HIP(api_.hipMalloc(&memory, 64));
  EXPECT_HIP(api_.hipHostMalloc(&memory, 64, 0));
  std::vector<uint64_t> words(512);
  EXPECT_HIP(api_.hipHostRegister(words.data(), 4096, hipHostRegisterMapped));
  GetFunction("append");
  Open();
  EXPECT_HIP(api_.hipHostUnregister(words.data()));
}

TEST_F(HipMemoryTest, AnyAddressInsideFrees) {
  auto* memory = static_cast<char*>(MakeMemory(64));
  EXPECT_HIP(api_.hipFree(memory + 8));
  EXPECT_EQ(api_.hipFree(memory), hipErrorInvalidValue);
  EXPECT_EQ(TakeReports("double-free"), 1U);
  EXPECT_HIP(api_.hipFree(nullptr));
}

TEST_F(HipMemoryTest, TypesHaveTheNumbersOfTheirVersion) {
  void* device = MakeMemory(64);
  void* host = MakePinned<uint32_t>(1);
  void* managed = nullptr;
  ASSERT_HIP(api_.hipMallocManaged(&managed, 64, hipMemAttachGlobal));
  for (const int version : {kHip57, kHip64, kHip71}) {
    api_.SetVersion(version);
    const MemoryTypes& types = version == kHip57 ? kMemoryTypesBefore6 : kMemoryTypes;
    EXPECT_EQ(TypeOf(device), std::pair(types.device, 0xFFFFFF00U));
    EXPECT_EQ(TypeOf(host), std::pair(types.host, 0xFFFFFF00U));
    EXPECT_EQ(TypeOf(managed), std::pair(types.host, 0xFFFFFF01U));
  }
}

TEST_F(HipMemoryTest, UnknownPointersAreRefused) {
  auto* memory = static_cast<char*>(MakeMemory(512));
  int device = -1;
  EXPECT_HIP(api_.hipPointerGetAttribute(&device, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory + 511));
  EXPECT_EQ(device, 0);
  EXPECT_EQ(api_.hipPointerGetAttribute(&device, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, &device), hipErrorInvalidValue);
}

TEST_F(HipMemoryTest, RegisteringTwiceReplacesBefore7) {
  std::vector<uint64_t> words(512);
  ASSERT_HIP(api_.hipHostRegister(words.data(), 4096, hipHostRegisterMapped));
  ASSERT_HIP(api_.hipHostRegister(words.data(), 2048, hipHostRegisterMapped));
  void* address = nullptr;
  EXPECT_HIP(api_.hipHostGetDevicePointer(&address, &words[255], 0));
  EXPECT_EQ(address, &words[255]);
  EXPECT_EQ(api_.hipHostGetDevicePointer(&address, &words[256], 0), hipErrorInvalidValue);
  ASSERT_HIP(api_.hipHostUnregister(words.data()));
  EXPECT_EQ(api_.hipHostUnregister(words.data()), hipErrorHostMemoryNotRegistered);
  api_.SetVersion(kHip71);
  ASSERT_HIP(api_.hipHostRegister(words.data(), 4096, hipHostRegisterMapped));
  EXPECT_EQ(api_.hipHostRegister(&words[8], 64, 0), hipErrorHostMemoryAlreadyRegistered);
  ASSERT_HIP(api_.hipHostUnregister(words.data()));
}

TEST_F(HipMemoryTest, LargeUploadsOfPageableMemoryWait) {
  constexpr size_t kMost = size_t{4} << 20;
  void* memory = MakeMemory(2 * kMost);
  const std::string bytes(2 * kMost, 'a');
  Close(stream_);
  ASSERT_HIP(api_.hipMemcpyHtoDAsync(memory, bytes.data(), kMost, stream_));
  Open();
  EXPECT_TRUE(WaitsForStream("hipMemcpyHtoDAsync",
                             [&] { EXPECT_HIP(api_.hipMemcpyHtoDAsync(memory, bytes.data(), 2 * kMost, stream_)); }));
  EXPECT_EQ(TakeReports("hidden-wait"), 1U);
  EXPECT_EQ(static_cast<char*>(memory)[2 * kMost - 1], 'a');
}

TEST_F(HipMemoryTest, CopiesInsideTheHostsMemoryWait) {
  uint32_t* words = MakePinned<uint32_t>(8);
  words[0] = 3;
  EXPECT_TRUE(WaitsForStream("hipMemcpyAsync",
                             [&] { EXPECT_HIP(api_.hipMemcpyAsync(words + 4, words, 4, hipMemcpyDefault, stream_)); }));
  EXPECT_EQ(words[4], 3U);
  uint32_t pageable = 5;
  EXPECT_TRUE(WaitsForStream("hipMemcpyHtoDAsync",
                             [&] { EXPECT_HIP(api_.hipMemcpyHtoDAsync(words + 4, &pageable, 4, stream_)); }));
  EXPECT_EQ(words[4], 5U);
  EXPECT_EQ(TakeReports("hidden-wait"), 2U);
}

TEST_F(HipMemoryTest, FillsMayBeginAnywhere) {
  auto* memory = static_cast<unsigned char*>(MakeMemory(16));
  ASSERT_HIP(api_.hipMemsetD8Async(memory, 0, 16, stream_));
  ASSERT_HIP(api_.hipMemsetD16Async(memory + 1, 0x0102, 1, stream_));
  ASSERT_HIP(api_.hipMemsetD32Async(memory + 5, 0x03040506, 2, stream_));
  ASSERT_HIP(api_.hipStreamSynchronize(stream_));
  EXPECT_THAT(std::vector(memory, memory + 14), testing::ElementsAre(0, 2, 1, 0, 0, 6, 5, 4, 3, 6, 5, 4, 3, 0));
}

TEST_F(HipMemoryTest, PoolsKeepWhatTheyMay) {
  hipMemPoolProps props = {};
  props.allocType = hipMemAllocationTypePinned;
  props.location = {hipMemLocationTypeDevice, 0};
  hipMemPool_t pool = nullptr;
  ASSERT_HIP(api_.hipMemPoolCreate(&pool, &props));
  uint64_t keep = 4096;
  ASSERT_HIP(api_.hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &keep));
  size_t before = 0;
  size_t after = 0;
  void* memory = nullptr;
  ASSERT_HIP(api_.hipMemGetInfo(&before, nullptr));
  ASSERT_HIP(api_.hipMallocFromPoolAsync(&memory, 4096, pool, stream_));
  ASSERT_HIP(api_.hipFreeAsync(memory, stream_));
  ASSERT_HIP(api_.hipStreamSynchronize(stream_));
  ASSERT_HIP(api_.hipMemGetInfo(&after, nullptr));
  EXPECT_EQ(before - after, 4096U);
  ASSERT_HIP(api_.hipMemPoolTrimTo(pool, 0));
  ASSERT_HIP(api_.hipMemGetInfo(&after, nullptr));
  EXPECT_EQ(before, after);
  EXPECT_HIP(api_.hipMemPoolDestroy(pool));
}

TEST_F(HipMemoryTest, StreamsWriteToTheHostsMemory) {
  uint64_t* epoch = MakePinned<uint64_t>(1);
  ASSERT_HIP(api_.hipStreamWriteValue64(stream_, epoch, 7, 0));
  ASSERT_HIP(api_.hipStreamSynchronize(stream_));
  EXPECT_EQ(*epoch, 7U);
}

}  // namespace
}  // namespace halyard::sim
