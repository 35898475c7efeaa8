// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The allocator: heaps, memory types and usages, sizes, running out, statistics. Import is in import_test.cpp.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "cts/small_device.h"

namespace halyard::cts {
namespace {

using testing::AnyOf;
using testing::Each;

std::vector<hal_memory_heap_t> HeapsOf(const Device& device) {
  size_t count = 0;
  Check(hal_allocator_query_heaps(device.allocator(), &count, nullptr), "hal_allocator_query_heaps");
  std::vector<hal_memory_heap_t> heaps(count, HAL_INIT(hal_memory_heap_t));
  Check(hal_allocator_query_heaps(device.allocator(), &count, heaps.data()), "hal_allocator_query_heaps");
  return heaps;
}

/// Writes through a buffer and reads it back; whether a device still works.
void ExpectUsable(const Device& device) {
  const std::vector<uint8_t> bytes = MixedBytes(1000);
  EXPECT_TRUE(SameElements(device.Download<uint8_t>(device.CreateBufferOf(bytes)), bytes));
  EXPECT_OK(hal_device_query_health(device));
}

class AllocatorTest : public DeviceTest {
 protected:
  static hal_status_t Allocate(const hal_buffer_params_t& params, uint64_t length, Buffer* out) {
    return hal_allocator_allocate(device().allocator(), &params, length, out->out());
  }
};

TEST_F(AllocatorTest, HeapsAreSane) {
  const std::vector<hal_memory_heap_t> heaps = HeapsOf(device());
  ASSERT_FALSE(heaps.empty());
  for (const hal_memory_heap_t& heap : heaps) {
    EXPECT_NE(heap.memory_type, HAL_MEMORY_TYPE_NONE);
    EXPECT_EQ(heap.memory_type & ~HAL_MEMORY_TYPE_ALL, 0u);
    EXPECT_NE(heap.usage, HAL_BUFFER_USAGE_NONE);
    EXPECT_EQ(heap.usage & ~HAL_BUFFER_USAGE_ALL, 0u);
    EXPECT_TRUE(std::has_single_bit(heap.min_allocation_alignment)) << heap.min_allocation_alignment;
    EXPECT_GT(heap.max_allocation_size, 0u);
    if (heap.capacity != 0) {
      EXPECT_LE(heap.max_allocation_size, heap.capacity);
    }
  }
}

TEST_F(AllocatorTest, BuffersAreAlignedAsTheHeapsPromise) {
  uint64_t promised = UINT64_MAX;
  for (const hal_memory_heap_t& heap : HeapsOf(device())) {
    if (heap.usage & HAL_BUFFER_USAGE_MAPPING) promised = std::min(promised, heap.min_allocation_alignment);
  }
  const hal_buffer_params_t params = Mappable();
  for (const uint64_t length : {1, 17, 64, 1000, 4096, 5000}) {
    Buffer buffer;
    ASSERT_OK(Allocate(params, length, &buffer));
    void* data = nullptr;
    ASSERT_OK(hal_buffer_map(buffer, HAL_MAP_ACCESS_READ, 0, length, &data));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % promised, 0u) << length << " bytes";
    EXPECT_OK(hal_buffer_unmap(buffer));
  }
}

TEST_F(AllocatorTest, SomeHeapIsDeviceLocalAndSomeIsMappable) {
  hal_memory_type_t types = HAL_MEMORY_TYPE_NONE;
  for (const hal_memory_heap_t& heap : HeapsOf(device())) types |= heap.memory_type;
  EXPECT_NE(types & HAL_MEMORY_TYPE_DEVICE_LOCAL, 0u);
  EXPECT_NE(types & HAL_MEMORY_TYPE_HOST_VISIBLE, 0u);
}

TEST_F(AllocatorTest, HeapListThatIsTooShortSaysWhatIsNeeded) {
  const size_t needed = HeapsOf(device()).size();
  size_t count = needed - 1;
  std::vector<hal_memory_heap_t> heaps(needed, HAL_INIT(hal_memory_heap_t));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_allocator_query_heaps(device().allocator(), &count, heaps.data()));
  EXPECT_EQ(count, needed);
}

TEST_F(AllocatorTest, HeapListMayHaveRoomToSpare) {
  const size_t needed = HeapsOf(device()).size();
  size_t count = needed + 3;
  std::vector<hal_memory_heap_t> heaps(count, HAL_INIT(hal_memory_heap_t));
  EXPECT_OK(hal_allocator_query_heaps(device().allocator(), &count, heaps.data()));
  EXPECT_EQ(count, needed);
}

TEST_F(AllocatorTest, OutlivesTheCallersDevice) {
  Device other = OpenDevice(options().device);
  hal_allocator_t* allocator = other.allocator();
  hal_allocator_retain(allocator);
  other.reset();
  const hal_buffer_params_t params = Mappable();
  Buffer buffer;
  EXPECT_OK(hal_allocator_allocate(allocator, &params, 64, buffer.out()));
  hal_allocator_release(allocator);
  const uint32_t value = 7;  // the buffer keeps the device alive in its turn
  EXPECT_OK(hal_buffer_write(buffer, 0, &value, sizeof(value)));
}

TEST_F(AllocatorTest, TrimLeavesLiveBuffersAlone) {
  const std::vector<uint32_t> values = Counting(1000);
  const Buffer kept = device().CreateBufferOf(values);
  for (int i = 0; i < 10; ++i) CreateBuffer(100'000);
  EXPECT_OK(hal_allocator_trim(device().allocator()));
  EXPECT_TRUE(SameElements(Download<uint32_t>(kept), values));
  ExpectUsable(device());
}

TEST_F(AllocatorTest, LiveBuffersDoNotShareMemory) {
  std::vector<Buffer> buffers;
  for (uint32_t i = 0; i < 64; ++i) buffers.push_back(device().CreateBufferOf(std::vector<uint32_t>(1 + i, i)));
  for (uint32_t i = 0; i < 64; ++i) EXPECT_THAT(Download<uint32_t>(buffers[i]), Each(i));
}

TEST_F(AllocatorTest, ThreadsAllocateAtOnce) {
  OnThreads(4, [&](size_t thread) {
    for (uint32_t round = 0; round < 20; ++round) {
      const std::vector<uint32_t> values(100 + round, static_cast<uint32_t>(thread * 1000 + round));
      const Buffer buffer = device().CreateBufferOf(values, Mappable());
      EXPECT_TRUE(SameElements(Download<uint32_t>(buffer), values));
    }
  });
}

// --- What is refused ---

struct BadParams {
  const char* name;
  void (*make_invalid)(hal_buffer_params_t*);
};
void PrintTo(const BadParams& bad, std::ostream* out) { *out << bad.name; }

class AllocatorBadParamsTest : public DeviceTestWith<BadParams> {};

TEST_P(AllocatorBadParamsTest, IsInvalidArgument) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  GetParam().make_invalid(&params);
  Buffer buffer;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_allocator_allocate(device().allocator(), &params, 64, buffer.out()));
  EXPECT_EQ(buffer.get(), nullptr);
  EXPECT_STRNE(hal_last_error_message(), "");
}

INSTANTIATE_TEST_SUITE_P(
    Params, AllocatorBadParamsTest,
    testing::Values(BadParams{"NoUsage", [](auto* p) { p->usage = HAL_BUFFER_USAGE_NONE; }},
                    BadParams{"UnknownUsage", [](auto* p) { p->usage |= HAL_BUFFER_USAGE_ALL + 1; }},
                    BadParams{"HighUsage", [](auto* p) { p->usage |= UINT64_C(1) << 63; }},
                    BadParams{"UnknownMemoryType", [](auto* p) { p->memory_type |= HAL_MEMORY_TYPE_ALL + 1; }},
                    BadParams{"HighMemoryType", [](auto* p) { p->memory_type |= UINT64_C(1) << 63; }},
                    BadParams{"Alignment3", [](auto* p) { p->alignment = 3; }},
                    BadParams{"Alignment100", [](auto* p) { p->alignment = 100; }},
                    BadParams{"AlignmentAllOnes", [](auto* p) { p->alignment = UINT64_MAX; }},
                    BadParams{"NoStructSize", [](auto* p) { p->struct_size = 0; }}),
    ByName);

// --- Memory types and usages ---

constexpr std::array kTypeNames = {"DeviceLocal", "HostLocal", "HostVisible", "HostCoherent", "HostCached"};
constexpr auto ByMemoryType = [](const auto& info) {
  std::string name;
  for (size_t bit = 0; bit < kTypeNames.size(); ++bit) {
    if (info.param >> bit & 1) name += kTypeNames[bit];
  }
  return name.empty() ? std::string("DeviceChooses") : name;
};

/// A combination of memory types; each test tries all usages.
class MemoryTypeTest : public DeviceTestWith<hal_memory_type_t> {
 protected:
  /// Whether some heap has the type and usage. A test that maps gets memory that can be mapped.
  static bool IsLegal(hal_memory_type_t type, hal_buffer_usage_t usage) {
    if (usage & HAL_BUFFER_USAGE_MAPPING) type |= HAL_MEMORY_TYPE_HOST_VISIBLE;
    const std::vector<hal_memory_heap_t> heaps = HeapsOf(device());
    return std::any_of(heaps.begin(), heaps.end(), [&](const hal_memory_heap_t& heap) {
      return (type & ~heap.memory_type) == 0 && (usage & ~heap.usage) == 0;
    });
  }
  /// Does what `usage` allows.
  static void ExpectWorks(const Buffer& buffer, hal_buffer_usage_t usage) {
    if (usage & HAL_BUFFER_USAGE_TRANSFER_TARGET) {
      const Semaphore done = device().CreateSemaphore();
      ASSERT_OK(device().QueueFill(kNoWaits, {{done, 1}}, buffer, uint32_t{0x01020304}));
      EXPECT_OK(done.Wait(1));
    }
    if (usage & HAL_BUFFER_USAGE_MAPPING) {
      const uint32_t value = 0x05060708;
      EXPECT_OK(hal_buffer_write(buffer, 60, &value, sizeof(value)));
    }
    if ((usage & HAL_BUFFER_USAGE_TRANSFER) == HAL_BUFFER_USAGE_TRANSFER) {
      EXPECT_EQ(device().Download<uint32_t>(buffer, 0, 1).front(), 0x01020304u);
    }
  }
};

TEST_P(MemoryTypeTest, EveryUsageThatAHeapHasWorksAndNoOther) {
  for (hal_buffer_usage_t usage = 1; usage <= HAL_BUFFER_USAGE_ALL; ++usage) {
    SCOPED_TRACE("usage " + std::to_string(usage));
    hal_buffer_params_t params = DeviceLocal(usage);
    params.memory_type = GetParam();
    Buffer buffer;
    const hal_status_t status = hal_allocator_allocate(device().allocator(), &params, 64, buffer.out());
    if (!IsLegal(GetParam(), usage)) {
      EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, status);
      EXPECT_EQ(buffer.get(), nullptr);
      continue;
    }
    ASSERT_OK(status);
    hal_buffer_info_t info = HAL_INIT(hal_buffer_info_t);
    ASSERT_OK(hal_buffer_query_info(buffer, &info));
    EXPECT_EQ(info.memory_type & GetParam(), GetParam()) << "the memory is less than what was asked for";
    EXPECT_EQ(info.usage, usage);
    if (usage & HAL_BUFFER_USAGE_MAPPING) {
      EXPECT_NE(info.memory_type & HAL_MEMORY_TYPE_HOST_VISIBLE, 0u);
    }
    ExpectWorks(buffer, usage);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MemoryTypeTest, testing::Range<uint64_t>(0, HAL_MEMORY_TYPE_ALL + 1), ByMemoryType);

// --- Sizes and alignments ---

class AllocationSizeTest : public DeviceTestWith<Number> {};

TEST_P(AllocationSizeTest, HoldsAllOfItsBytes) {
  const std::vector<uint8_t> bytes = MixedBytes(GetParam());
  for (const hal_buffer_params_t& params : {DeviceLocal(), Mappable()}) {
    const Buffer buffer = device().CreateBufferOf(bytes, params);
    EXPECT_EQ(hal_buffer_length(buffer), GetParam());
    EXPECT_TRUE(SameElements(Download<uint8_t>(buffer), bytes));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, AllocationSizeTest,
                         Numbers("Bytes", {1, 2, 3, 4, 63, 64, 65, 255, 256, 4095, 4096, 4097, 65'537, 1'048'577}),
                         ByNameOf);

class ZeroSizeAllocationTest : public AllocatorTest {};

TEST_F(ZeroSizeAllocationTest, IsLegal) {
  const Buffer buffer = CreateBuffer(0);
  ASSERT_NE(buffer.get(), nullptr);
  EXPECT_EQ(hal_buffer_length(buffer), 0u);
}

TEST_F(ZeroSizeAllocationTest, HasAnAddressAtWhichThereIsNothing) {
  const Buffer empty = CreateBuffer(0, Mappable());
  void* pointer = nullptr;
  ASSERT_OK(hal_buffer_map(empty, HAL_MAP_ACCESS_READ | HAL_MAP_ACCESS_WRITE, 0, HAL_WHOLE_SIZE, &pointer));
  EXPECT_NE(pointer, nullptr);
  EXPECT_OK(hal_buffer_flush(empty, 0, 0));
  EXPECT_OK(hal_buffer_invalidate(empty, 0, 0));
  EXPECT_OK(hal_buffer_unmap(empty));
}

TEST_F(ZeroSizeAllocationTest, CanBeUsedInOperations) {
  const Buffer empty = CreateBuffer(0);
  const Buffer other = CreateBuffer(0);
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueFill(kNoWaits, {{done, 1}}, empty, uint8_t{1}));
  ASSERT_OK(device().QueueCopy({{done, 1}}, {{done, 2}}, empty, other));
  EXPECT_OK(done.Wait(2));
}

TEST_F(ZeroSizeAllocationTest, HasNoByteToUse) {
  const Buffer empty = CreateBuffer(0);
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, device().QueueFill(kNoWaits, kNoSignals, Ref(empty, 0, 1), uint8_t{1}));
  Buffer part;
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_buffer_subspan(empty, 0, 1, part.out()));
}

class AllocationAlignmentTest : public DeviceTestWith<Number> {};

TEST_P(AllocationAlignmentTest, AddressIsAligned) {
  hal_buffer_params_t params = DeviceLocal(HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_EXPORT);
  params.alignment = GetParam();
  for (const uint64_t length : {1, 100, 4096, 70'000}) {
    const Buffer buffer = CreateBuffer(length, params);
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    ASSERT_OK(hal_buffer_export(buffer, HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER, &memory));
    EXPECT_EQ(memory.handle % GetParam(), 0u) << length << " bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(Alignments, AllocationAlignmentTest,
                         Numbers("Bytes", {1, 2, 16, 64, 128, 256, 1024, 4096, 65'536, HAL_BUFFER_MAX_ALIGNMENT}),
                         ByNameOf);

// Sizes that no memory has, near every edge where a sum or a rounding up could overflow.
class HugeAllocationTest : public DeviceTestWith<std::tuple<Number, Number>> {};

TEST_P(HugeAllocationTest, IsResourceExhausted) {
  const auto& [length, alignment] = GetParam();
  hal_buffer_params_t params = DeviceLocal();
  params.alignment = alignment;
  Buffer buffer;
  EXPECT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED,
                hal_allocator_allocate(device().allocator(), &params, length, buffer.out()));
  EXPECT_EQ(buffer.get(), nullptr);
  ExpectUsable(device());
}

INSTANTIATE_TEST_SUITE_P(Sizes, HugeAllocationTest,
                         testing::Combine(Numbers("Bytes", {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 63,
                                                            UINT64_MAX - 4095, (UINT64_C(1) << 63) + 1,
                                                            UINT64_C(1) << 63, INT64_MAX, UINT64_C(1) << 62}),
                                          Numbers("Alignment", {0, 64, 4096})),
                         ByParts);

// --- Running out ---

class OutOfMemoryTest : public DeviceTest {
 protected:
  /// Allocates quarters of the device's memory until there is no more.
  hal_status_t AllocateUntilFull() {
    for (int i = 0; i < 5; ++i) {
      Buffer buffer;
      const hal_buffer_params_t params = DeviceLocal();
      const hal_status_t status =
          hal_allocator_allocate(small_.device.allocator(), &params, small_.capacity / 4, buffer.out());
      if (status != HAL_STATUS_OK) return status;
      quarters_.push_back(buffer);
    }
    return HAL_STATUS_OK;  // more than there is
  }

  SmallDevice small_ = OpenSmallDevice();
  std::vector<Buffer> quarters_;
};

TEST_F(OutOfMemoryTest, IsResourceExhausted) {
  EXPECT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED, AllocateUntilFull());
  EXPECT_FALSE(quarters_.empty());
  EXPECT_STRNE(hal_last_error_message(), "");
}

TEST_F(OutOfMemoryTest, LeavesTheDeviceUsable) {
  ASSERT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED, AllocateUntilFull());
  for (const Buffer& buffer : quarters_) {
    const Ref begin(buffer, 0, 64);
    const Semaphore done = small_.device.CreateSemaphore();
    ASSERT_OK(small_.device.QueueFill(kNoWaits, {{done, 1}}, begin, uint8_t{0xAB}));
    EXPECT_OK(done.Wait(1));
  }
  quarters_.pop_back();
  ExpectUsable(small_.device);
}

TEST_F(OutOfMemoryTest, ReleasedMemoryCanBeHadAgain) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED, AllocateUntilFull());
    const size_t fitted = quarters_.size();
    EXPECT_GE(fitted, 2u);
    quarters_.clear();
  }
}

TEST_F(OutOfMemoryTest, OneByteTooManyForTheDevice) {
  Buffer buffer;
  const hal_buffer_params_t params = DeviceLocal();
  EXPECT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED,
                hal_allocator_allocate(small_.device.allocator(), &params, small_.capacity + 1, buffer.out()));
  ExpectUsable(small_.device);
}

TEST_F(OutOfMemoryTest, OtherDevicesAreUntouched) {
  ASSERT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED, AllocateUntilFull());
  ExpectUsable(OpenSecondDevice());
}

TEST_F(OutOfMemoryTest, ThreadsThatRaceForTheLastMemoryNeverGetTooMuch) {
  std::array<std::vector<Buffer>, 4> got;
  OnThreads(got.size(), [&](size_t thread) {
    const hal_buffer_params_t params = DeviceLocal();
    for (int i = 0; i < 8; ++i) {
      Buffer buffer;
      const hal_status_t status =
          hal_allocator_allocate(small_.device.allocator(), &params, small_.capacity / 16, buffer.out());
      EXPECT_THAT(status, AnyOf(HAL_STATUS_OK, HAL_STATUS_RESOURCE_EXHAUSTED));
      if (status == HAL_STATUS_OK) got[thread].push_back(buffer);
    }
  });
  size_t total = 0;
  for (const std::vector<Buffer>& buffers : got) total += buffers.size();
  EXPECT_LE(total, 16u);
  EXPECT_GE(total, 8u);
}

// --- Statistics ---

/// On a device of its own, so that no other test's memory counts.
class AllocatorStatisticsTest : public DeviceTest {
 protected:
  hal_allocator_statistics_t Statistics() const { return StatisticsOf(own_); }

  Device own_ = OpenDevice(options().device);
};

TEST_F(AllocatorStatisticsTest, NewDeviceHasNothingInUse) {
  EXPECT_EQ(Statistics().bytes_in_use, 0u);
  EXPECT_EQ(Statistics().allocation_count, 0u);
  EXPECT_EQ(Statistics().bytes_allocated, Statistics().bytes_freed);
}

TEST_F(AllocatorStatisticsTest, CountWhatIsAllocatedAndReleased) {
  Buffer first = own_.CreateBuffer(10'000);
  EXPECT_GE(Statistics().bytes_in_use, 10'000u);
  EXPECT_EQ(Statistics().allocation_count, 1u);
  const Buffer second = own_.CreateBuffer(20'000, Mappable());
  EXPECT_GE(Statistics().bytes_in_use, 30'000u);
  EXPECT_EQ(Statistics().allocation_count, 2u);
  first.reset();
  EXPECT_GE(Statistics().bytes_in_use, 20'000u);
  EXPECT_EQ(Statistics().allocation_count, 1u);
  EXPECT_GE(Statistics().bytes_freed, 10'000u);
  EXPECT_GE(Statistics().bytes_allocated, 30'000u);
  EXPECT_EQ(Statistics().bytes_in_use, Statistics().bytes_allocated - Statistics().bytes_freed);
}

TEST_F(AllocatorStatisticsTest, PeakStays) {
  { const std::array both = {own_.CreateBuffer(50'000), own_.CreateBuffer(50'000)}; }
  EXPECT_EQ(Statistics().bytes_in_use, 0u);
  const uint64_t peak = Statistics().bytes_peak;
  EXPECT_GE(peak, 100'000u);
  own_.CreateBuffer(100);
  EXPECT_EQ(Statistics().bytes_peak, peak);
}

TEST_F(AllocatorStatisticsTest, SubspansAddNothing) {
  const Buffer whole = own_.CreateBuffer(10'000);
  const hal_allocator_statistics_t before = Statistics();
  Buffer part;
  ASSERT_OK(hal_buffer_subspan(whole, 10, 5000, part.out()));
  EXPECT_EQ(Statistics().bytes_in_use, before.bytes_in_use);
  EXPECT_EQ(Statistics().allocation_count, before.allocation_count);
}

TEST_F(AllocatorStatisticsTest, RefusedAllocationsAddNothing) {
  Buffer buffer;
  const hal_buffer_params_t params = DeviceLocal();
  ASSERT_NE(hal_allocator_allocate(own_.allocator(), &params, UINT64_MAX / 2, buffer.out()), HAL_STATUS_OK);
  EXPECT_EQ(Statistics().bytes_in_use, 0u);
  EXPECT_EQ(Statistics().allocation_count, 0u);
}

TEST_F(AllocatorStatisticsTest, AreExactAfterManyThreads) {
  OnThreads(4, [&](size_t thread) {
    for (uint64_t i = 1; i <= 200; ++i) own_.CreateBuffer(i * (thread + 1));
  });
  EXPECT_EQ(Statistics().bytes_in_use, 0u);
  EXPECT_EQ(Statistics().allocation_count, 0u);
  EXPECT_EQ(Statistics().bytes_allocated, Statistics().bytes_freed);
  EXPECT_GE(Statistics().bytes_allocated, 200u * 201 / 2 * 10);
}

}  // namespace
}  // namespace halyard::cts
