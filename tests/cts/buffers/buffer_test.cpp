// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers: what they are, parts of them, export. Mapping is in buffer_map_test.cpp, usages in buffer_usage_test.cpp.
#include <cstdint>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"

namespace halyard::cts {
namespace {

constexpr uint64_t kBufferLength = 1024;

hal_buffer_info_t InfoOf(const Buffer& buffer) {
  hal_buffer_info_t info = HAL_INIT(hal_buffer_info_t);
  Check(hal_buffer_query_info(buffer, &info), "hal_buffer_query_info");
  return info;
}

Buffer Part(const Buffer& buffer, uint64_t offset, uint64_t length = HAL_WHOLE_SIZE) {
  Buffer part;
  Check(hal_buffer_subspan(buffer, offset, length, part.out()), "hal_buffer_subspan");
  return part;
}

class BufferTest : public DeviceTest {};

TEST_F(BufferTest, SaysWhatItIs) {
  hal_buffer_params_t params = DeviceLocal(HAL_BUFFER_USAGE_TRANSFER | HAL_BUFFER_USAGE_STORAGE);
  const Buffer buffer = CreateBuffer(kBufferLength, params);
  const hal_buffer_info_t info = InfoOf(buffer);
  EXPECT_EQ(info.device, device().get());
  EXPECT_EQ(info.length, kBufferLength);
  EXPECT_EQ(info.usage, params.usage);
  EXPECT_NE(info.memory_type & HAL_MEMORY_TYPE_DEVICE_LOCAL, 0u);
  EXPECT_NE(info.queues, 0u);
  EXPECT_EQ(info.allocation, buffer.get());
  EXPECT_EQ(info.allocation_offset, 0u);
  EXPECT_EQ(hal_buffer_length(buffer), kBufferLength);
}

TEST_F(BufferTest, InfoOfAnOlderCallerIsWrittenAsFarAsItGoes) {
  const Buffer buffer = CreateBuffer(kBufferLength);
  hal_buffer_info_t info = HAL_INIT(hal_buffer_info_t);
  info.struct_size = offsetof(hal_buffer_info_t, memory_type);
  info.usage = 0xDEAD;
  ASSERT_OK(hal_buffer_query_info(buffer, &info));
  EXPECT_EQ(info.length, kBufferLength);
  EXPECT_EQ(info.usage, 0xDEADu) << "a field that the caller does not know was written";
}

TEST_F(BufferTest, NullHasNoLength) {
  EXPECT_EQ(hal_buffer_length(nullptr), 0u);
  hal_buffer_retain(nullptr);
  hal_buffer_release(nullptr);
}

TEST_F(BufferTest, QueueMaskIsKept) {
  hal_buffer_params_t params = DeviceLocal();
  params.queues = device().Queue(0);
  const Buffer buffer = CreateBuffer(kBufferLength, params);
  EXPECT_EQ(InfoOf(buffer).queues, device().Queue(0));
}

TEST_F(BufferTest, KeepsItsDevice) {
  Buffer buffer;
  {
    const Device other = OpenSecondDevice();
    buffer = other.CreateBuffer(64, Mappable());
  }
  const uint32_t written = 42;
  ASSERT_OK(hal_buffer_write(buffer, 0, &written, sizeof(written)));
  uint32_t read = 0;
  ASSERT_OK(hal_buffer_read(buffer, 0, &read, sizeof(read)));
  EXPECT_EQ(read, written);
}

// --- Subspans ---

class BufferSubspanTest : public DeviceTest {};

TEST_F(BufferSubspanTest, SaysWhatItIs) {
  const Buffer whole = CreateBuffer(kBufferLength, Mappable());
  const Buffer part = Part(whole, 100, 200);
  const hal_buffer_info_t info = InfoOf(part);
  EXPECT_EQ(info.length, 200u);
  EXPECT_EQ(info.allocation, whole.get());
  EXPECT_EQ(info.allocation_offset, 100u);
  EXPECT_EQ(info.usage, InfoOf(whole).usage);
  EXPECT_EQ(info.memory_type, InfoOf(whole).memory_type);
  EXPECT_EQ(info.device, device().get());
}

TEST_F(BufferSubspanTest, WholeSizeReachesTheEnd) {
  const Buffer whole = CreateBuffer(kBufferLength);
  EXPECT_EQ(hal_buffer_length(Part(whole, 0)), kBufferLength);
  EXPECT_EQ(hal_buffer_length(Part(whole, 1000)), 24u);
  EXPECT_EQ(hal_buffer_length(Part(Part(whole, 1000), 20)), 4u);
}

TEST_F(BufferSubspanTest, MayBeEmpty) {
  const Buffer whole = CreateBuffer(kBufferLength);
  EXPECT_EQ(hal_buffer_length(Part(whole, 0, 0)), 0u);
  EXPECT_EQ(hal_buffer_length(Part(whole, kBufferLength, 0)), 0u);
  EXPECT_EQ(hal_buffer_length(Part(whole, kBufferLength)), 0u);
}

TEST_F(BufferSubspanTest, KeepsTheAllocationAlive) {
  Buffer whole = device().CreateBufferOf(Counting(256));
  Buffer outer = Part(whole, 400);
  const Buffer inner = Part(outer, 400);
  whole.reset();
  outer.reset();
  EXPECT_TRUE(SameElements(Download<uint32_t>(inner), Counting(56, 200)));
}

TEST_F(BufferSubspanTest, SharesTheMemory) {
  const Buffer whole = device().CreateBufferOf(Counting(256), Mappable());
  const Buffer part = Part(whole, 40, 40);
  Upload(part, std::vector<uint32_t>(10, 7));
  std::vector<uint32_t> expected = Counting(256);
  std::fill_n(expected.begin() + 10, 10, 7);
  EXPECT_TRUE(SameElements(Download<uint32_t>(whole), expected));
}

TEST_F(BufferSubspanTest, IsReleasedInAnyOrder) {
  std::vector<Buffer> buffers = {CreateBuffer(kBufferLength)};
  for (uint64_t i = 0; i < 20; ++i) buffers.push_back(Part(buffers[i / 2], 1));
  SeededRandom random;
  std::shuffle(buffers.begin(), buffers.end(), random.engine());
  while (!buffers.empty()) {
    Buffer one = buffers.back();
    buffers.pop_back();
    EXPECT_LE(hal_buffer_length(one), kBufferLength);
  }
}

/// How many subspans of subspans, each a few bytes inside the last.
class BufferSubspanDepthTest : public DeviceTestWith<Number> {
 protected:
  BufferSubspanDepthTest() {
    for (uint64_t i = 0; i < GetParam(); ++i) part_ = Part(part_, 8, hal_buffer_length(part_) - 16);
  }
  /// What the whole buffer holds if `value` was written to all of the part.
  std::vector<uint32_t> Expected(uint32_t value) const {
    std::vector<uint32_t> expected = Counting(kBufferLength / 4);
    const auto margin = static_cast<ptrdiff_t>(GetParam() * 2);
    std::fill(expected.begin() + margin, expected.end() - margin, value);
    return expected;
  }

  const Buffer whole_ = device().CreateBufferOf(Counting(kBufferLength / 4), Mappable());
  Buffer part_ = whole_;
};

TEST_P(BufferSubspanDepthTest, OffsetsAddUp) {
  const hal_buffer_info_t info = InfoOf(part_);
  EXPECT_EQ(info.allocation, whole_.get());
  EXPECT_EQ(info.allocation_offset, 8 * GetParam());
  EXPECT_EQ(info.length, kBufferLength - 16 * GetParam());
}

TEST_P(BufferSubspanDepthTest, FillStaysInside) {
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueFill(kNoWaits, {{done, 1}}, part_, uint32_t{0xF111F111}));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint32_t>(whole_), Expected(0xF111F111)));
}

TEST_P(BufferSubspanDepthTest, CopyStaysInside) {
  const Buffer source = device().CreateBufferOf(std::vector<uint32_t>(hal_buffer_length(part_) / 4, 0xC0));
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueCopy(kNoWaits, {{done, 1}}, source, part_));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint32_t>(whole_), Expected(0xC0)));
}

TEST_P(BufferSubspanDepthTest, KernelStaysInside) {
  if (device().limits().binding_alignment > 8) GTEST_SKIP() << "no binding of the device begins there";
  const Buffer source = device().CreateBufferOf(std::vector<uint32_t>(hal_buffer_length(part_) / 4, 0xD0));
  const Executable kernels = LoadKernels("basic");
  const Semaphore done = CreateSemaphore();
  const Dispatch dispatch =
      Dispatch().WorkItems(hal_buffer_length(part_) / 4).Constant(uint32_t{1}).Bind(source).Bind(part_);
  ASSERT_OK(device().QueueDispatch(kNoWaits, {{done, 1}}, kernels, "add_constant", dispatch));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint32_t>(whole_), Expected(0xD1)));
}

TEST_P(BufferSubspanDepthTest, BindingTableStaysInside) {
  const CommandBuffer commands =
      device().Record([](const CommandBuffer& c) { Check(c.Fill(Slot(0), uint32_t{0xE0}), "fill"); }, 0, 1);
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands, {part_}));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint32_t>(whole_), Expected(0xE0)));
}

TEST_P(BufferSubspanDepthTest, MappingStaysInside) {
  void* pointer = nullptr;
  ASSERT_OK(hal_buffer_map(part_, HAL_MAP_ACCESS_WRITE, 0, HAL_WHOLE_SIZE, &pointer));
  std::memset(pointer, 0x66, hal_buffer_length(part_));
  ASSERT_OK(hal_buffer_flush(part_, 0, HAL_WHOLE_SIZE));
  ASSERT_OK(hal_buffer_unmap(part_));
  EXPECT_TRUE(SameElements(Download<uint32_t>(whole_), Expected(0x66666666)));
}

INSTANTIATE_TEST_SUITE_P(Depths, BufferSubspanDepthTest, Numbers("Depth", {1, 2, 3, 10, 60}), ByNameOf);

// --- Ranges that do not fit ---

struct BadRange {
  const char* name;
  uint64_t offset;
  uint64_t length;
};
void PrintTo(const BadRange& range, std::ostream* out) { *out << range.name; }

/// Ranges that lie outside a buffer of kBufferLength bytes, though a sum that overflows could make them seem inside.
const BadRange kBadRanges[] = {
    {"OneTooLong", 0, kBufferLength + 1},
    {"OneTooFar", 1, kBufferLength},
    {"BeginsPastTheEnd", kBufferLength + 1, 0},
    {"BeginsPastTheEndToTheEnd", kBufferLength + 1, HAL_WHOLE_SIZE},
    {"ByteAfterTheEnd", kBufferLength, 1},
    {"AlmostWholeSize", 0, UINT64_MAX - 1},
    {"SumOverflowsToZero", kBufferLength, UINT64_MAX - kBufferLength + 1},
    {"SumOverflowsToInside", 512, UINT64_MAX - 256},
    {"OffsetIsHuge", UINT64_MAX, 0},
    {"OffsetIsHugeToTheEnd", UINT64_MAX, HAL_WHOLE_SIZE},
    {"OffsetPlusOneOverflows", UINT64_MAX, 1},
    {"OffsetIsTwoTo63", UINT64_C(1) << 63, UINT64_C(1) << 63},
};

class BufferBadRangeTest : public DeviceTestWith<BadRange> {
 protected:
  const Buffer buffer_ = device().CreateBufferOf(Counting(kBufferLength / 4), Mappable());
};

TEST_P(BufferBadRangeTest, IsNoSubspan) {
  Buffer part;
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_buffer_subspan(buffer_, GetParam().offset, GetParam().length, part.out()));
  EXPECT_EQ(part.get(), nullptr);
  const Buffer larger = CreateBuffer(4 * kBufferLength);
  const Buffer middle = Part(larger, kBufferLength, kBufferLength);
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_buffer_subspan(middle, GetParam().offset, GetParam().length, part.out()));
}

TEST_P(BufferBadRangeTest, IsOutOfTheHostsReach) {
  const auto& [name, offset, length] = GetParam();
  void* pointer = nullptr;
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_buffer_map(buffer_, HAL_MAP_ACCESS_READ, offset, length, &pointer));
  EXPECT_EQ(pointer, nullptr);
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_buffer_unmap(buffer_)) << "it was mapped nevertheless";
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_buffer_flush(buffer_, offset, length));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_buffer_invalidate(buffer_, offset, length));
  if (length == HAL_WHOLE_SIZE) return;  // says nothing of the caller's memory
  uint32_t data[1024] = {};
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_buffer_write(buffer_, offset, data, length));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_buffer_read(buffer_, offset, data, length));
  EXPECT_TRUE(SameElements(Download<uint32_t>(buffer_), Counting(kBufferLength / 4)));
}

INSTANTIATE_TEST_SUITE_P(Ranges, BufferBadRangeTest, testing::ValuesIn(kBadRanges), ByName);

// --- Export ---

class BufferExportTest : public DeviceTest {
 protected:
  static constexpr hal_buffer_usage_t kUsage = HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_EXPORT;

  static hal_status_t Export(const Buffer& buffer, hal_external_memory_type_t type, hal_external_memory_t* out) {
    *out = HAL_INIT(hal_external_memory_t);
    return hal_buffer_export(buffer, type, out);
  }
};

TEST_F(BufferExportTest, HostPointerIsTheMemory) {
  const std::vector<uint8_t> bytes = MixedBytes(kBufferLength);
  const Buffer buffer = device().CreateBufferOf(bytes, Mappable(kUsage));
  hal_external_memory_t memory;
  ASSERT_OK(Export(buffer, HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &memory));
  EXPECT_EQ(memory.type, HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER);
  ASSERT_EQ(memory.length, kBufferLength);
  const auto* pointer = reinterpret_cast<const uint8_t*>(static_cast<uintptr_t>(memory.handle));
  EXPECT_TRUE(SameElements(std::vector<uint8_t>(pointer, pointer + kBufferLength), bytes));
}

TEST_F(BufferExportTest, SubspanIsExportedAlone) {
  const Buffer whole = CreateBuffer(kBufferLength, DeviceLocal(kUsage));
  hal_external_memory_t all;
  ASSERT_OK(Export(whole, HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER, &all));
  hal_external_memory_t part;
  ASSERT_OK(Export(Part(whole, 64, 128), HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER, &part));
  EXPECT_EQ(part.handle, all.handle + 64);
  EXPECT_EQ(part.length, 128u);
}

TEST_F(BufferExportTest, IsTheSameEveryTime) {
  const Buffer buffer = CreateBuffer(kBufferLength, DeviceLocal(kUsage));
  hal_external_memory_t first;
  hal_external_memory_t second;
  ASSERT_OK(Export(buffer, HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER, &first));
  ASSERT_OK(Export(buffer, HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER, &second));
  EXPECT_EQ(first.handle, second.handle);
  EXPECT_NE(first.handle, 0u);
}

TEST_F(BufferExportTest, NeedsTheUsage) {
  const Buffer buffer = CreateBuffer(kBufferLength, Mappable());
  hal_external_memory_t memory;
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, Export(buffer, HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &memory));
  EXPECT_EQ(memory.handle, 0u);
}

TEST_F(BufferExportTest, UnknownTypeIsUnimplemented) {
  const Buffer buffer = CreateBuffer(kBufferLength, Mappable(kUsage));
  hal_external_memory_t memory;
  EXPECT_STATUS(HAL_STATUS_UNIMPLEMENTED, Export(buffer, static_cast<hal_external_memory_type_t>(0x1FFFF), &memory));
  EXPECT_NE(Export(buffer, HAL_EXTERNAL_MEMORY_TYPE_NONE, &memory), HAL_STATUS_OK);
}

}  // namespace
}  // namespace halyard::cts
