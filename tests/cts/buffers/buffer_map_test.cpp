// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mapping buffers into the host: access, ranges, flush and invalidate, reading and writing through a mapping.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"

namespace halyard::cts {
namespace {

constexpr size_t kLength = 8192;
constexpr hal_map_access_t kRead = HAL_MAP_ACCESS_READ;
constexpr hal_map_access_t kWrite = HAL_MAP_ACCESS_WRITE;
constexpr hal_map_access_t kDiscard = HAL_MAP_ACCESS_WRITE | HAL_MAP_ACCESS_DISCARD;

/// A mapping that ends with its scope.
class Mapping {
 public:
  Mapping(const Buffer& buffer, hal_map_access_t access, uint64_t offset = 0, uint64_t length = HAL_WHOLE_SIZE)
      : buffer_(buffer) {
    void* pointer = nullptr;
    Check(hal_buffer_map(buffer, access, offset, length, &pointer), "hal_buffer_map");
    data_ = static_cast<uint8_t*>(pointer);
  }
  ~Mapping() { EXPECT_OK(hal_buffer_unmap(buffer_)); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  uint8_t* data() const { return data_; }
  std::vector<uint8_t> Copy(size_t length) const { return {data_, data_ + length}; }

 private:
  Buffer buffer_;
  uint8_t* data_ = nullptr;
};

/// The bytes of a buffer as the device sees them.
std::vector<uint8_t> SeenByDevice(const Device& device, const Buffer& buffer) {
  const uint64_t length = hal_buffer_length(buffer);
  const Buffer copy = device.CreateBuffer(length, Mappable());
  const Semaphore done = device.CreateSemaphore();
  Check(device.QueueCopy(kNoWaits, {{done, 1}}, buffer, copy), "hal_device_queue_copy");
  Check(done.Wait(1), "copy");
  return device.Download<uint8_t>(copy);
}

class BufferMapTest : public DeviceTest {
 protected:
  void FillFromDevice(uint64_t offset, uint64_t length, uint8_t value) const {
    const Semaphore done = CreateSemaphore();
    Check(device().QueueFill(kNoWaits, {{done, 1}}, Ref(buffer_, offset, length), value), "hal_device_queue_fill");
    Check(done.Wait(1), "fill");
  }

  const std::vector<uint8_t> bytes_ = MixedBytes(kLength);
  const Buffer buffer_ = device().CreateBufferOf(bytes_, Mappable());
};

TEST_F(BufferMapTest, ReadsWhatTheHostWrote) {
  const Mapping mapping(buffer_, kRead);
  EXPECT_TRUE(SameElements(mapping.Copy(kLength), bytes_));
}

TEST_F(BufferMapTest, HostSeesDeviceWritesAfterInvalidate) {
  const Mapping mapping(buffer_, kRead);
  FillFromDevice(100, 50, 0xFE);
  FillFromDevice(kLength - 50, 50, 0xFD);
  ASSERT_OK(hal_buffer_invalidate(buffer_, 0, HAL_WHOLE_SIZE));
  std::vector<uint8_t> expected = bytes_;
  std::fill_n(expected.begin() + 100, 50, uint8_t{0xFE});
  std::fill_n(expected.end() - 50, 50, uint8_t{0xFD});
  EXPECT_TRUE(SameElements(mapping.Copy(kLength), expected));
}

// Far enough apart for any granularity that a cache may have.
TEST_F(BufferMapTest, FlushLeavesAloneWhatTheDeviceWroteElsewhere) {
  const Mapping mapping(buffer_, kRead | kWrite);
  FillFromDevice(4096, 4096, 0xFE);
  std::memset(mapping.data(), 0x77, 1024);
  ASSERT_OK(hal_buffer_flush(buffer_, 0, 1024));
  std::vector<uint8_t> expected = bytes_;
  std::fill_n(expected.begin(), 1024, uint8_t{0x77});
  std::fill_n(expected.begin() + 4096, 4096, uint8_t{0xFE});
  EXPECT_TRUE(SameElements(SeenByDevice(device(), buffer_), expected));
}

TEST_F(BufferMapTest, InvalidateLeavesAloneWhatTheHostWroteElsewhere) {
  const Mapping mapping(buffer_, kRead | kWrite);
  std::memset(mapping.data(), 0x77, 1024);
  FillFromDevice(4096, 4096, 0xFE);
  ASSERT_OK(hal_buffer_invalidate(buffer_, 4096, 4096));
  ASSERT_OK(hal_buffer_flush(buffer_, 0, 1024));
  std::vector<uint8_t> expected = bytes_;
  std::fill_n(expected.begin(), 1024, uint8_t{0x77});
  std::fill_n(expected.begin() + 4096, 4096, uint8_t{0xFE});
  EXPECT_TRUE(SameElements(mapping.Copy(kLength), expected));
  EXPECT_TRUE(SameElements(SeenByDevice(device(), buffer_), expected));
}

TEST_F(BufferMapTest, DeviceSeesHostWritesAfterFlush) {
  const Mapping mapping(buffer_, kWrite);
  std::memset(mapping.data() + 33, 0x77, 66);
  ASSERT_OK(hal_buffer_flush(buffer_, 33, 66));
  std::vector<uint8_t> expected = bytes_;
  std::fill_n(expected.begin() + 33, 66, uint8_t{0x77});
  EXPECT_TRUE(SameElements(SeenByDevice(device(), buffer_), expected));
}

// On memory that is coherent nothing has to be flushed.
TEST_F(BufferMapTest, CoherentMemoryNeedsNoFlush) {
  hal_buffer_params_t params = Mappable();
  params.memory_type |= HAL_MEMORY_TYPE_HOST_COHERENT;
  Buffer coherent;
  const hal_status_t status = hal_allocator_allocate(device().allocator(), &params, 256, coherent.out());
  if (status == HAL_STATUS_INCOMPATIBLE) GTEST_SKIP() << "the device has no coherent memory";
  ASSERT_OK(status);
  const Mapping mapping(coherent, kRead | kWrite);
  std::memset(mapping.data(), 0x12, 256);
  EXPECT_TRUE(SameElements(SeenByDevice(device(), coherent), std::vector<uint8_t>(256, 0x12)));
}

TEST_F(BufferMapTest, DiscardLeavesTheRestAlone) {
  {
    const Mapping mapping(buffer_, kDiscard, 1000, 24);
    std::memset(mapping.data(), 0x99, 24);
    ASSERT_OK(hal_buffer_flush(buffer_, 1000, 24));
  }
  std::vector<uint8_t> expected = bytes_;
  std::fill_n(expected.begin() + 1000, 24, uint8_t{0x99});
  EXPECT_TRUE(SameElements(SeenByDevice(device(), buffer_), expected));
}

TEST_F(BufferMapTest, SeveralMappingsAtOnceShowTheSameBytes) {
  const Mapping whole(buffer_, kRead | kWrite);
  const Mapping part(buffer_, kRead, 512, 512);
  const Mapping again(buffer_, kRead);
  whole.data()[600] = 0x5A;
  EXPECT_EQ(part.data()[600 - 512], 0x5A);
  EXPECT_EQ(again.data()[600], 0x5A);
}

TEST_F(BufferMapTest, EachUnmapEndsOneMapping) {
  void* first = nullptr;
  void* second = nullptr;
  ASSERT_OK(hal_buffer_map(buffer_, kRead, 0, 16, &first));
  ASSERT_OK(hal_buffer_map(buffer_, kRead, 16, 16, &second));
  EXPECT_OK(hal_buffer_unmap(buffer_));
  EXPECT_OK(hal_buffer_unmap(buffer_));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_buffer_unmap(buffer_));
}

TEST_F(BufferMapTest, UnmapOfWhatIsNotMappedIsRefused) {
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_buffer_unmap(buffer_));
  void* pointer = nullptr;
  ASSERT_OK(hal_buffer_map(buffer_, kRead, 0, 16, &pointer));
  EXPECT_OK(hal_buffer_unmap(buffer_));
}

TEST_F(BufferMapTest, SubspanIsMappedForItself) {
  Buffer part;
  ASSERT_OK(hal_buffer_subspan(buffer_, 256, 256, part.out()));
  const Mapping mapping(part, kRead, 10, 20);
  EXPECT_EQ(mapping.Copy(20), std::vector<uint8_t>(bytes_.begin() + 266, bytes_.begin() + 286));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_buffer_unmap(buffer_));
}

TEST_F(BufferMapTest, BufferMayBeReleasedWhileMapped) {
  Buffer buffer = device().CreateBufferOf(bytes_, Mappable());
  void* pointer = nullptr;
  ASSERT_OK(hal_buffer_map(buffer, kRead, 0, HAL_WHOLE_SIZE, &pointer));
  buffer.reset();
}

TEST_F(BufferMapTest, MapDoesNotWaitForTheDevice) {
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueFill({{gate, 1}}, {{done, 1}}, Ref(buffer_, 0, 64), uint8_t{1}));
  {
    const Mapping mapping(buffer_, kRead, 64, 64);  // returns though the fill is deferred
    EXPECT_EQ(mapping.data()[0], bytes_[64]);
  }
  ASSERT_OK(gate.Signal(1));
  EXPECT_OK(done.Wait(1));
}

TEST_F(BufferMapTest, ThreadsMapAtOnce) {
  OnThreads(4, [&](size_t thread) {
    const size_t begin = thread * 1024;
    for (int round = 0; round < 50; ++round) {
      const Mapping mapping(buffer_, kRead | kWrite, begin, 1024);
      EXPECT_EQ(mapping.data()[round], bytes_[begin + round]);
      mapping.data()[round] = static_cast<uint8_t>(thread);
    }
  });
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_buffer_unmap(buffer_));
}

TEST_F(BufferMapTest, WithoutMappingUsageEverythingIsDenied) {
  const Buffer buffer = CreateBuffer(kLength);
  void* pointer = nullptr;
  uint32_t data = 0;
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, hal_buffer_map(buffer, kRead, 0, HAL_WHOLE_SIZE, &pointer));
  EXPECT_EQ(pointer, nullptr);
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, hal_buffer_flush(buffer, 0, HAL_WHOLE_SIZE));
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, hal_buffer_invalidate(buffer, 0, HAL_WHOLE_SIZE));
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, hal_buffer_write(buffer, 0, &data, sizeof(data)));
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, hal_buffer_read(buffer, 0, &data, sizeof(data)));
}

// --- Access ---

struct Access {
  const char* name;
  hal_map_access_t bits;
};
void PrintTo(const Access& access, std::ostream* out) { *out << access.name; }

class BufferGoodAccessTest : public DeviceTestWith<Access> {};

TEST_P(BufferGoodAccessTest, IsAccepted) {
  const Buffer buffer = CreateBuffer(64, Mappable());
  void* pointer = nullptr;
  ASSERT_OK(hal_buffer_map(buffer, GetParam().bits, 0, 64, &pointer));
  EXPECT_NE(pointer, nullptr);
  EXPECT_OK(hal_buffer_unmap(buffer));
}

INSTANTIATE_TEST_SUITE_P(Access, BufferGoodAccessTest,
                         testing::Values(Access{"Read", kRead}, Access{"Write", kWrite},
                                         Access{"ReadWrite", kRead | kWrite}, Access{"WriteDiscard", kDiscard}),
                         ByName);

class BufferBadAccessTest : public DeviceTestWith<Access> {};

TEST_P(BufferBadAccessTest, IsInvalidArgument) {
  const Buffer buffer = CreateBuffer(64, Mappable());
  void* pointer = nullptr;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_buffer_map(buffer, GetParam().bits, 0, 64, &pointer));
  EXPECT_EQ(pointer, nullptr);
}

INSTANTIATE_TEST_SUITE_P(Access, BufferBadAccessTest,
                         testing::Values(Access{"None", 0}, Access{"DiscardAlone", HAL_MAP_ACCESS_DISCARD},
                                         Access{"ReadDiscard", kRead | HAL_MAP_ACCESS_DISCARD},
                                         Access{"ReadWriteDiscard", kRead | kDiscard},
                                         Access{"UnknownBit", kRead | UINT64_C(8)},
                                         Access{"HighBit", kWrite | UINT64_C(1) << 63}),
                         ByName);

// --- Ranges, aligned and not ---

class BufferMapRangeTest : public DeviceTestWith<Number> {
 protected:
  static constexpr size_t kLengths[] = {1, 2, 7, 64, 100, 4096};

  std::vector<uint8_t> Inside(size_t length) const {
    const auto begin = bytes_.begin() + static_cast<ptrdiff_t>(offset_);
    return {begin, begin + static_cast<ptrdiff_t>(length)};
  }
  /// The contents after all of the range became `value`.
  std::vector<uint8_t> Overwritten(size_t length, uint8_t value) const {
    std::vector<uint8_t> expected = bytes_;
    std::fill_n(expected.begin() + static_cast<ptrdiff_t>(offset_), length, value);
    return expected;
  }

  const uint64_t offset_ = GetParam();
  const std::vector<uint8_t> bytes_ = MixedBytes(kLength);
  const Buffer buffer_ = device().CreateBufferOf(bytes_, Mappable());
};

TEST_P(BufferMapRangeTest, MappedReadBeginsAtTheOffset) {
  for (const size_t length : kLengths) {
    const Mapping mapping(buffer_, kRead, offset_, length);
    ASSERT_OK(hal_buffer_invalidate(buffer_, offset_, length));
    EXPECT_TRUE(SameElements(mapping.Copy(length), Inside(length))) << length << " bytes";
  }
}

TEST_P(BufferMapRangeTest, MappedWriteReachesTheDevice) {
  for (const size_t length : kLengths) {
    Upload(buffer_, bytes_);
    {
      const Mapping mapping(buffer_, kWrite, offset_, length);
      std::memset(mapping.data(), 0xA7, length);
      ASSERT_OK(hal_buffer_flush(buffer_, offset_, length));
    }
    EXPECT_TRUE(SameElements(SeenByDevice(device(), buffer_), Overwritten(length, 0xA7))) << length << " bytes";
  }
}

TEST_P(BufferMapRangeTest, ReadCopiesTheRangeAndNoMore) {
  for (const size_t length : kLengths) {
    std::vector<uint8_t> read(length + 2, 0xCC);
    ASSERT_OK(hal_buffer_read(buffer_, offset_, read.data() + 1, length));
    EXPECT_EQ(read.front(), 0xCC);
    EXPECT_EQ(read.back(), 0xCC);
    EXPECT_TRUE(SameElements(std::vector<uint8_t>(read.begin() + 1, read.end() - 1), Inside(length)));
  }
}

TEST_P(BufferMapRangeTest, WriteCopiesTheRangeAndNoMore) {
  for (const size_t length : kLengths) {
    const std::vector<uint8_t> written(length, 0xB8);
    Upload(buffer_, bytes_);
    ASSERT_OK(hal_buffer_write(buffer_, offset_, written.data(), length));
    EXPECT_TRUE(SameElements(SeenByDevice(device(), buffer_), Overwritten(length, 0xB8))) << length << " bytes";
    EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_buffer_unmap(buffer_)) << "its mapping was left behind";
  }
}

INSTANTIATE_TEST_SUITE_P(Offsets, BufferMapRangeTest, Numbers("At", {0, 1, 3, 64, 65, 4096}), ByNameOf);

TEST_F(BufferMapTest, NothingIsReadOrWrittenForZeroBytes) {
  EXPECT_OK(hal_buffer_write(buffer_, 10, nullptr, 0));
  EXPECT_OK(hal_buffer_read(buffer_, 10, nullptr, 0));
  EXPECT_OK(hal_buffer_write(buffer_, kLength, nullptr, 0));
  EXPECT_TRUE(SameElements(Download<uint8_t>(buffer_), bytes_));
}

}  // namespace
}  // namespace halyard::cts
