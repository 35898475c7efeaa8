// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/host_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "base/object_memory.h"
#include "driver_kit/memory/host_heap.h"
#include "driver_kit/memory/host_storage.h"
#include "driver_kit/memory/memory_counter.h"

namespace halyard {
namespace {

bool IsAligned(const void* memory, size_t alignment) { return reinterpret_cast<uintptr_t>(memory) % alignment == 0; }

TEST(HostMemory, GivesAnySizeAtAnyAlignment) {
  for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    for (const size_t size : {size_t{0}, size_t{1}, size_t{24}, size_t{4095}, size_t{70'000}}) {
      void* const memory = HostAllocate(size, alignment);
      ASSERT_NE(memory, nullptr);
      EXPECT_TRUE(IsAligned(memory, alignment));
      std::memset(memory, 0x55, size);
      HostFree(memory, size, alignment);
    }
  }
}

TEST(HostMemory, FreeingNothingDoesNothing) { HostFree(nullptr, 0, 1); }

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which end the program at such a request
TEST(HostMemory, ThrowsWhenThereIsNone) {
  EXPECT_THROW(HostAllocate(PTRDIFF_MAX, 16), std::bad_alloc);
  EXPECT_THROW(HostAllocate(PTRDIFF_MAX - 4096, 4096), std::bad_alloc);
}
#endif

TEST(HostMemory, AllocatorCannotChangeOnceMemoryIsInUse) {
  HostString text(1000, 'x');
  EXPECT_FALSE(SetHostAllocator(nullptr));
}

struct Plain : HostObject {
  int value = 7;
};
struct alignas(128) Wide : HostObject {
  char bytes[200] = {};
};

TEST(HostMemory, ObjectsKeepTheirAlignment) {
  const auto plain = std::make_unique<Plain>();
  const auto wide = std::make_unique<Wide>();
  EXPECT_EQ(plain->value, 7);
  EXPECT_TRUE(IsAligned(wide.get(), 128));
  static_assert(sizeof(Plain) == sizeof(int), "the base adds nothing");
}

// --- Heaps in host memory --------------------------------------------------------------------------------------------

TEST(MemoryCounter, KeepsToItsCapacity) {
  MemoryCounter counter(100);
  EXPECT_EQ(counter.Reserve(60), kOk);
  EXPECT_EQ(Publish(counter.Reserve(41)), HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_EQ(Publish(counter.Reserve(UINT64_MAX)), HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_EQ(counter.Reserve(40), kOk);
  EXPECT_EQ(counter.Statistics().bytes_in_use, 100u);
}

TEST(MemoryCounter, CountsWhatReallyHappened) {
  MemoryCounter counter(100);
  ASSERT_EQ(counter.Reserve(60), kOk);
  counter.Confirm(60);
  ASSERT_EQ(counter.Reserve(30), kOk);
  counter.Cancel(30);
  counter.Free(60);
  const hal_allocator_statistics_t statistics = counter.Statistics();
  EXPECT_EQ(statistics.bytes_in_use, 0u);
  EXPECT_EQ(statistics.bytes_peak, 90u);
  EXPECT_EQ(statistics.bytes_allocated, 60u);
  EXPECT_EQ(statistics.bytes_freed, 60u);
  EXPECT_EQ(statistics.allocation_count, 0u);
}

TEST(MemoryCounter, ThreadsNeverExceedTheCapacityTogether) {
  MemoryCounter counter(1000);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&counter] {
      for (uint64_t length = 1; length < 3000; ++length) {
        if (!Succeeds(counter.Reserve(length % 700))) continue;
        counter.Confirm(length % 700);
        counter.Free(length % 700);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const hal_allocator_statistics_t statistics = counter.Statistics();
  EXPECT_EQ(statistics.bytes_in_use, 0u);
  EXPECT_LE(statistics.bytes_peak, 1000u);
  EXPECT_EQ(statistics.bytes_allocated, statistics.bytes_freed);
}

TEST(HostHeap, AlignsAndCounts) {
  HostHeap heap(1 << 20);
  for (const uint64_t alignment : {uint64_t{0}, uint64_t{1}, uint64_t{64}, uint64_t{4096}}) {
    char* memory = nullptr;
    ASSERT_EQ(heap.Allocate(100, alignment, &memory), kOk);
    EXPECT_TRUE(IsAligned(memory, std::max<uint64_t>(alignment, HostHeap::kMinAlignment)));
    EXPECT_EQ(heap.Statistics().bytes_in_use, 100u);
    heap.Free(memory, 100);
  }
  char* nothing = nullptr;
  EXPECT_EQ(heap.Allocate(0, 0, &nothing), kOk);
  heap.Free(nothing, 0);
  EXPECT_EQ(Publish(heap.Allocate((1 << 20) + 1, 0, &nothing)), HAL_STATUS_RESOURCE_EXHAUSTED);
}

TEST(HostHeap, GivesAFreedBlockToTheNextOfItsSize) {
  if (!kKeepsFreedMemory) GTEST_SKIP() << "freed memory is not kept under the address sanitizer";
  HostHeap heap(1 << 30);
  char* first = nullptr;
  char* second = nullptr;
  ASSERT_EQ(heap.Allocate(4096, 0, &first), kOk);
  heap.Free(first, 4096);
  EXPECT_EQ(heap.Statistics().bytes_in_use, 0u) << "what is kept does not count";
  ASSERT_EQ(heap.Allocate(100, 0, &second), kOk);
  EXPECT_NE(second, first) << "another size";
  char* third = nullptr;
  ASSERT_EQ(heap.Allocate(4090, 64, &third), kOk);
  EXPECT_EQ(third, first) << "the same, rounded up";
  heap.Free(third, 4090);
  heap.Free(second, 100);
  heap.Trim();
}

TEST(HostHeap, KeepsTheLastBlocksOnly) {
  HostHeap heap(1 << 30);
  std::vector<char*> blocks(100);
  for (size_t i = 0; i < blocks.size(); ++i) ASSERT_EQ(heap.Allocate(64 * (i + 1), 0, &blocks[i]), kOk);
  for (size_t i = 0; i < blocks.size(); ++i) heap.Free(blocks[i], 64 * (i + 1));
  char* again = nullptr;
  ASSERT_EQ(heap.Allocate(64 * 100, 0, &again), kOk);
  if (kKeepsFreedMemory) EXPECT_EQ(again, blocks.back());
  heap.Free(again, 64 * 100);
}

TEST(HostStorage, FreesWhatCameAfterDecommit) {
  HostHeap heap(1 << 20);
  {
    HostStorage storage(heap, 64, 0, true);
    storage.Decommit();
    ASSERT_EQ(storage.Commit(), kOk);
  }
  EXPECT_EQ(heap.Statistics().bytes_in_use, 0u);
}

TEST(HostStorage, HasMemoryBetweenCommitAndDecommit) {
  HostHeap heap(1 << 20);
  HostStorage storage(heap, 64, 0, true);
  void* pointer = nullptr;
  EXPECT_EQ(Publish(storage.Map(0, &pointer)), HAL_STATUS_FAILED_PRECONDITION);
  hal_external_memory_t exported = HAL_INIT(hal_external_memory_t);
  EXPECT_EQ(Publish(storage.Export(HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &exported)), HAL_STATUS_FAILED_PRECONDITION);
  ASSERT_EQ(storage.Commit(), kOk);
  ASSERT_EQ(storage.Map(8, &pointer), kOk);
  EXPECT_EQ(pointer, storage.data() + 8);
  ASSERT_EQ(storage.Export(HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &exported), kOk);
  EXPECT_EQ(exported.handle, reinterpret_cast<uintptr_t>(storage.data()));
  EXPECT_EQ(exported.length, 64u);
  EXPECT_EQ(Publish(storage.Export(HAL_EXTERNAL_MEMORY_TYPE_VENDOR_BEGIN, &exported)), HAL_STATUS_UNIMPLEMENTED);
  storage.Decommit();
  EXPECT_EQ(Publish(storage.Map(0, &pointer)), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_EQ(heap.Statistics().bytes_in_use, 0u);
  storage.Decommit();
  EXPECT_EQ(heap.Statistics().bytes_freed, 64u) << "once";
}

TEST(HostStorage, KeepsPinnedMemoryUntilItIsUnpinned) {
  HostHeap heap(1 << 20);
  HostStorage storage(heap, 64, 0, true);
  EXPECT_EQ(storage.Pin(), nullptr) << "there is nothing to pin yet";
  ASSERT_EQ(storage.Commit(), kOk);
  char* const memory = storage.Pin();
  ASSERT_EQ(memory, storage.data());
  storage.Decommit();
  EXPECT_EQ(heap.Statistics().bytes_in_use, 64u);
  EXPECT_EQ(storage.Pin(), nullptr) << "its life is over";
  void* pointer = nullptr;
  EXPECT_EQ(Publish(storage.Map(0, &pointer)), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_EQ(heap.Statistics().bytes_in_use, 64u);
  storage.Unpin();
  EXPECT_EQ(heap.Statistics().bytes_in_use, 0u);
  EXPECT_EQ(heap.Statistics().bytes_freed, 64u);
}

TEST(HostStorage, GivesBackWhatItStillHas) {
  HostHeap heap(1 << 20);
  {
    HostStorage storage(heap, 64, 0, true);
    ASSERT_EQ(storage.Commit(), kOk);
  }
  EXPECT_EQ(heap.Statistics().bytes_in_use, 0u);
}

TEST(HostStorage, ReleasesBorrowedMemoryOnce) {
  int released = 0;
  char memory[32];
  hal_external_memory_t lent = HAL_INIT(hal_external_memory_t);
  lent.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  lent.handle = reinterpret_cast<uintptr_t>(memory);
  lent.length = sizeof(memory);
  EXPECT_EQ(HostStorage::CanImport(lent), kOk);
  {
    HostStorage storage(
        lent, [](void* count) { ++*static_cast<int*>(count); }, &released);
    EXPECT_EQ(storage.data(), memory);
    storage.Decommit();
    EXPECT_EQ(storage.data(), memory) << "it was never the heap's";
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  lent.type = HAL_EXTERNAL_MEMORY_TYPE_VENDOR_BEGIN;
  EXPECT_EQ(Publish(HostStorage::CanImport(lent)), HAL_STATUS_UNIMPLEMENTED);
}

}  // namespace
}  // namespace halyard
