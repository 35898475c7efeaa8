// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the core adds to a driver's allocator and buffers: checks, subspans, counts of mappings.
#include "halyard/buffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "fake_driver.h"

namespace halyard {
namespace {

using ::testing::ElementsAre;
using testing::FakeDriverTest;
using testing::FakeInterface;
using testing::MessageHas;
using ::testing::Pair;
using testing::State;

class BufferTest : public FakeDriverTest {
 protected:
  BufferTest() {
    device_ = OpenDevice(fake_);
    allocator_ = hal_device_allocator(device_);
    params_.usage = HAL_BUFFER_USAGE_ALL;
  }
  ~BufferTest() override {
    for (hal_buffer_t* buffer : buffers_) hal_buffer_release(buffer);
  }

  /// A buffer that lives as long as the test.
  hal_buffer_t* Allocate(uint64_t length) {
    hal_buffer_t* buffer = nullptr;
    EXPECT_EQ(hal_allocator_allocate(allocator_, &params_, length, &buffer), HAL_STATUS_OK) << hal_last_error_message();
    return buffers_.emplace_back(buffer);
  }
  hal_buffer_t* Subspan(hal_buffer_t* buffer, uint64_t offset, uint64_t length) {
    hal_buffer_t* subspan = nullptr;
    EXPECT_EQ(hal_buffer_subspan(buffer, offset, length, &subspan), HAL_STATUS_OK) << hal_last_error_message();
    return buffers_.emplace_back(subspan);
  }
  hal_status_t TryAllocate(uint64_t length = 16) {
    hal_buffer_t* buffer = nullptr;
    const hal_status_t status = hal_allocator_allocate(allocator_, &params_, length, &buffer);
    EXPECT_EQ(buffer != nullptr, status == HAL_STATUS_OK);
    hal_buffer_release(buffer);
    return status;
  }
  static hal_buffer_info_t Info(hal_buffer_t* buffer) {
    hal_buffer_info_t info = HAL_INIT(hal_buffer_info_t);
    EXPECT_EQ(hal_buffer_query_info(buffer, &info), HAL_STATUS_OK);
    return info;
  }

  FakeInterface fake_;
  hal_device_t* device_ = nullptr;
  hal_allocator_t* allocator_ = nullptr;
  hal_buffer_params_t params_ = HAL_BUFFER_PARAMS_INIT;
  std::vector<hal_buffer_t*> buffers_;
};

TEST_F(BufferTest, InfoIsWhatWasAskedFor) {
  params_.usage = HAL_BUFFER_USAGE_STORAGE;
  params_.queues = 2;
  hal_buffer_t* const buffer = Allocate(100);
  const hal_buffer_info_t info = Info(buffer);
  EXPECT_EQ(info.device, device_);
  EXPECT_EQ(info.length, 100u);
  EXPECT_EQ(info.usage, HAL_BUFFER_USAGE_STORAGE);
  EXPECT_EQ(info.queues, 2u);
  EXPECT_EQ(info.allocation, buffer);
  EXPECT_EQ(info.allocation_offset, 0u);
  EXPECT_EQ(info.memory_type, HAL_MEMORY_TYPE_DEVICE_LOCAL | HAL_MEMORY_TYPE_HOST_LOCAL);
  EXPECT_EQ(hal_buffer_length(buffer), 100u);
}

TEST_F(BufferTest, MappingNeedsVisibleMemory) {
  params_.memory_type = HAL_MEMORY_TYPE_NONE;
  params_.usage = HAL_BUFFER_USAGE_MAPPING;
  EXPECT_EQ(TryAllocate(), HAL_STATUS_OK);
  EXPECT_EQ(State().buffer_params.memory_type, HAL_MEMORY_TYPE_HOST_VISIBLE);
}

TEST_F(BufferTest, BadParameters) {
  params_.usage = HAL_BUFFER_USAGE_NONE;
  EXPECT_EQ(TryAllocate(), HAL_STATUS_INVALID_ARGUMENT);
  params_.usage = uint64_t{1} << 40;
  EXPECT_EQ(TryAllocate(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("hal_allocator_allocate: params->usage has unknown bits 0x10000000000"));
  params_ = HAL_BUFFER_PARAMS_INIT;
  params_.memory_type = uint64_t{1} << 20;
  EXPECT_EQ(TryAllocate(), HAL_STATUS_INVALID_ARGUMENT);
  params_ = HAL_BUFFER_PARAMS_INIT;
  params_.alignment = 48;
  EXPECT_EQ(TryAllocate(), HAL_STATUS_INVALID_ARGUMENT);
  params_ = HAL_BUFFER_PARAMS_INIT;
  params_.queues = 4;
  EXPECT_EQ(TryAllocate(), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("names none of the device's 2 queues"));
  params_ = HAL_BUFFER_PARAMS_INIT;
  params_.struct_size = 0;
  EXPECT_EQ(TryAllocate(), HAL_STATUS_INVALID_ARGUMENT);
  params_ = HAL_BUFFER_PARAMS_INIT;
  EXPECT_EQ(TryAllocate(UINT64_MAX), HAL_STATUS_RESOURCE_EXHAUSTED);
}

TEST_F(BufferTest, OlderParametersKeepTheDefaultsOfNewFields) {
  params_.struct_size = offsetof(hal_buffer_params_t, queues);
  params_.queues = 0;
  params_.alignment = 3;
  EXPECT_EQ(TryAllocate(), HAL_STATUS_OK);
  EXPECT_EQ(State().buffer_params.queues, HAL_QUEUE_ANY);
  EXPECT_EQ(State().buffer_params.alignment, 0u);
}

TEST_F(BufferTest, DriverThatMakesNothingIsABug) {
  State().makes_nothing = true;
  EXPECT_EQ(TryAllocate(), HAL_STATUS_INTERNAL);
}

TEST_F(BufferTest, MapCountsMappings) {
  hal_buffer_t* const buffer = Allocate(100);
  void* first = nullptr;
  void* second = nullptr;
  ASSERT_EQ(hal_buffer_map(buffer, HAL_MAP_ACCESS_READ, 0, HAL_WHOLE_SIZE, &first), HAL_STATUS_OK);
  ASSERT_EQ(hal_buffer_map(buffer, HAL_MAP_ACCESS_WRITE | HAL_MAP_ACCESS_DISCARD, 10, 20, &second), HAL_STATUS_OK);
  EXPECT_EQ(static_cast<char*>(second) - static_cast<char*>(first), 10);
  EXPECT_EQ(hal_buffer_unmap(buffer), HAL_STATUS_OK);
  EXPECT_EQ(hal_buffer_unmap(buffer), HAL_STATUS_OK);
  EXPECT_EQ(hal_buffer_unmap(buffer), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_TRUE(MessageHas("hal_buffer_unmap: the buffer is not mapped"));
  EXPECT_EQ(State().unmaps, 2);
}

TEST_F(BufferTest, MapChecksTheRange) {
  hal_buffer_t* const buffer = Allocate(100);
  void* pointer = &pointer;
  EXPECT_EQ(hal_buffer_map(buffer, HAL_MAP_ACCESS_READ, 64, 128, &pointer), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_STREQ(hal_last_error_message(), "hal_buffer_map: offset 64 + length 128 exceeds the buffer's 100 bytes");
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(hal_buffer_map(buffer, HAL_MAP_ACCESS_READ, 101, HAL_WHOLE_SIZE, &pointer), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(hal_buffer_map(buffer, HAL_MAP_ACCESS_READ, 64, UINT64_MAX - 60, &pointer), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(State().maps, 0);
  EXPECT_EQ(hal_buffer_map(buffer, HAL_MAP_ACCESS_READ, 100, HAL_WHOLE_SIZE, &pointer), HAL_STATUS_OK);
  EXPECT_EQ(hal_buffer_unmap(buffer), HAL_STATUS_OK);
}

TEST_F(BufferTest, MapChecksTheAccess) {
  hal_buffer_t* const buffer = Allocate(100);
  void* pointer = nullptr;
  const hal_map_access_t wrong[] = {0, HAL_MAP_ACCESS_DISCARD, HAL_MAP_ACCESS_READ | HAL_MAP_ACCESS_DISCARD,
                                    HAL_MAP_ACCESS_READ | HAL_MAP_ACCESS_WRITE | HAL_MAP_ACCESS_DISCARD,
                                    HAL_MAP_ACCESS_READ | 8};
  for (const hal_map_access_t access : wrong) {
    EXPECT_EQ(hal_buffer_map(buffer, access, 0, 1, &pointer), HAL_STATUS_INVALID_ARGUMENT) << access;
  }
}

TEST_F(BufferTest, MapNeedsTheUsage) {
  params_.usage = HAL_BUFFER_USAGE_STORAGE;
  hal_buffer_t* const buffer = Allocate(100);
  void* pointer = nullptr;
  EXPECT_EQ(hal_buffer_map(buffer, HAL_MAP_ACCESS_READ, 0, 1, &pointer), HAL_STATUS_PERMISSION_DENIED);
  EXPECT_TRUE(MessageHas("MAPPING"));
  EXPECT_EQ(hal_buffer_flush(buffer, 0, 1), HAL_STATUS_PERMISSION_DENIED);
  EXPECT_EQ(hal_buffer_invalidate(buffer, 0, 1), HAL_STATUS_PERMISSION_DENIED);
  EXPECT_EQ(hal_buffer_write(buffer, 0, "x", 1), HAL_STATUS_PERMISSION_DENIED);
  EXPECT_EQ(hal_buffer_read(buffer, 0, &pointer, 1), HAL_STATUS_PERMISSION_DENIED);
}

TEST_F(BufferTest, WriteAndReadGoThroughAMapping) {
  hal_buffer_t* const buffer = Allocate(100);
  EXPECT_EQ(hal_buffer_write(buffer, 10, "hello", 5), HAL_STATUS_OK);
  char text[6] = {};
  EXPECT_EQ(hal_buffer_read(buffer, 10, text, 5), HAL_STATUS_OK);
  EXPECT_STREQ(text, "hello");
  EXPECT_EQ(State().maps, 2);
  EXPECT_EQ(State().unmaps, 2);
  EXPECT_THAT(State().flushes, ElementsAre(Pair(10, 5)));
  EXPECT_THAT(State().invalidates, ElementsAre(Pair(10, 5), Pair(10, 5))) << "the write's, for its neighbours";
  EXPECT_EQ(hal_buffer_write(buffer, 96, "hello", 5), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("hal_buffer_write: offset 96 + length 5"));
  EXPECT_EQ(hal_buffer_write(buffer, 0, nullptr, 5), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_write(buffer, 100, nullptr, 0), HAL_STATUS_OK);
  EXPECT_EQ(hal_buffer_read(buffer, 0, nullptr, 5), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(BufferTest, CoherentMemoryNeedsNoFlush) {
  params_.memory_type = HAL_MEMORY_TYPE_HOST_COHERENT;
  hal_buffer_t* const buffer = Allocate(100);
  EXPECT_EQ(hal_buffer_flush(buffer, 0, HAL_WHOLE_SIZE), HAL_STATUS_OK);
  EXPECT_EQ(hal_buffer_invalidate(buffer, 0, 101), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(hal_buffer_write(buffer, 0, "x", 1), HAL_STATUS_OK);
  EXPECT_TRUE(State().flushes.empty());
}

TEST_F(BufferTest, SubspanOfASubspan) {
  hal_buffer_t* const buffer = Allocate(100);
  hal_buffer_t* const outer = Subspan(buffer, 10, 50);
  hal_buffer_t* const inner = Subspan(outer, 5, HAL_WHOLE_SIZE);
  const hal_buffer_info_t info = Info(inner);
  EXPECT_EQ(info.length, 45u);
  EXPECT_EQ(info.allocation, buffer);
  EXPECT_EQ(info.allocation_offset, 15u);
  EXPECT_EQ(info.usage, HAL_BUFFER_USAGE_ALL);
  EXPECT_EQ(hal_buffer_flush(inner, 1, 2), HAL_STATUS_OK);
  EXPECT_THAT(State().flushes, ElementsAre(Pair(16, 2)));

  hal_buffer_t* beyond = buffer;
  EXPECT_EQ(hal_buffer_subspan(outer, 40, 11, &beyond), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(beyond, nullptr);
}

TEST_F(BufferTest, SubspanSharesTheMemoryAndKeepsIt) {
  hal_buffer_t* buffer = nullptr;
  ASSERT_EQ(hal_allocator_allocate(allocator_, &params_, 100, &buffer), HAL_STATUS_OK);
  ASSERT_EQ(hal_buffer_write(buffer, 20, "shared", 6), HAL_STATUS_OK);
  hal_buffer_t* const subspan = Subspan(buffer, 20, 6);
  hal_buffer_release(buffer);
  char text[7] = {};
  EXPECT_EQ(hal_buffer_read(subspan, 0, text, 6), HAL_STATUS_OK);
  EXPECT_STREQ(text, "shared");
}

TEST_F(BufferTest, SubspanCountsItsOwnMappings) {
  hal_buffer_t* const buffer = Allocate(100);
  hal_buffer_t* const subspan = Subspan(buffer, 10, 10);
  void* pointer = nullptr;
  ASSERT_EQ(hal_buffer_map(buffer, HAL_MAP_ACCESS_READ, 0, 1, &pointer), HAL_STATUS_OK);
  EXPECT_EQ(hal_buffer_unmap(subspan), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_EQ(hal_buffer_unmap(buffer), HAL_STATUS_OK);
}

TEST_F(BufferTest, ExportIsNarrowedToTheSubspan) {
  hal_buffer_t* const buffer = Allocate(100);
  hal_buffer_t* const subspan = Subspan(buffer, 10, 20);
  hal_external_memory_t whole = HAL_INIT(hal_external_memory_t);
  hal_external_memory_t part = HAL_INIT(hal_external_memory_t);
  ASSERT_EQ(hal_buffer_export(buffer, HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &whole), HAL_STATUS_OK);
  ASSERT_EQ(hal_buffer_export(subspan, HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &part), HAL_STATUS_OK);
  EXPECT_EQ(whole.length, 100u);
  EXPECT_EQ(part.handle, whole.handle + 10);
  EXPECT_EQ(part.length, 20u);
  EXPECT_EQ(hal_buffer_export(subspan, HAL_EXTERNAL_MEMORY_TYPE_VENDOR_BEGIN, &part), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_EQ(hal_buffer_export(subspan, HAL_EXTERNAL_MEMORY_TYPE_NONE, &part), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(BufferTest, ExportNeedsTheUsage) {
  params_.usage = HAL_BUFFER_USAGE_STORAGE;
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  EXPECT_EQ(hal_buffer_export(Allocate(1), HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &memory),
            HAL_STATUS_PERMISSION_DENIED);
}

TEST_F(BufferTest, ImportIsReleasedWithTheBuffer) {
  alignas(64) char bytes[64] = {};
  int released = 0;
  const auto release = [](void* user_data) { ++*static_cast<int*>(user_data); };
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  memory.handle = reinterpret_cast<uintptr_t>(bytes);
  memory.length = sizeof(bytes);
  params_.alignment = 64;
  hal_buffer_t* buffer = nullptr;
  ASSERT_EQ(hal_allocator_import(allocator_, &params_, &memory, release, &released, &buffer), HAL_STATUS_OK);
  EXPECT_EQ(hal_buffer_length(buffer), sizeof(bytes));
  EXPECT_EQ(released, 0);
  hal_buffer_release(buffer);
  EXPECT_EQ(released, 1);
}

TEST_F(BufferTest, BadImports) {
  alignas(64) char bytes[64] = {};
  hal_external_memory_t good = HAL_INIT(hal_external_memory_t);
  good.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  good.handle = reinterpret_cast<uintptr_t>(bytes);
  good.length = sizeof(bytes);
  const auto import = [&](const hal_external_memory_t* memory) {
    hal_buffer_t* buffer = nullptr;
    const hal_status_t status = hal_allocator_import(allocator_, &params_, memory, nullptr, nullptr, &buffer);
    EXPECT_EQ(buffer, nullptr);
    return status;
  };
  hal_external_memory_t memory = good;
  memory.type = HAL_EXTERNAL_MEMORY_TYPE_NONE;
  EXPECT_EQ(import(&memory), HAL_STATUS_INVALID_ARGUMENT);
  memory = good;
  memory.flags = 2;
  EXPECT_EQ(import(&memory), HAL_STATUS_INVALID_ARGUMENT);
  memory = good;
  memory.handle = 0;
  EXPECT_EQ(import(&memory), HAL_STATUS_INVALID_ARGUMENT);
  memory = good;
  memory.handle = UINT64_MAX - 10;
  EXPECT_EQ(import(&memory), HAL_STATUS_INVALID_ARGUMENT);
  memory = good;
  memory.length = UINT64_MAX;
  EXPECT_EQ(import(&memory), HAL_STATUS_INVALID_ARGUMENT);
  memory = good;
  memory.handle += 1;
  params_.alignment = 64;
  EXPECT_EQ(import(&memory), HAL_STATUS_INCOMPATIBLE);
  EXPECT_EQ(import(nullptr), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(BufferTest, NullArguments) {
  hal_buffer_t* buffer = nullptr;
  hal_buffer_info_t info = HAL_INIT(hal_buffer_info_t);
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  void* pointer = nullptr;
  size_t count = 1;
  EXPECT_EQ(hal_allocator_allocate(nullptr, &params_, 1, &buffer), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_allocator_allocate(allocator_, nullptr, 1, &buffer), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_allocator_allocate(allocator_, &params_, 1, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_allocator_query_heaps(nullptr, &count, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(hal_allocator_query_heaps(allocator_, nullptr, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_allocator_query_statistics(nullptr, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_allocator_trim(nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_query_info(nullptr, &info), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_query_info(Allocate(1), nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_length(nullptr), 0u);
  EXPECT_EQ(hal_buffer_subspan(nullptr, 0, 1, &buffer), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_subspan(Allocate(1), 0, 1, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_map(nullptr, HAL_MAP_ACCESS_READ, 0, 1, &pointer), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_map(Allocate(1), HAL_MAP_ACCESS_READ, 0, 1, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_unmap(nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_flush(nullptr, 0, 1), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_invalidate(nullptr, 0, 1), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_write(nullptr, 0, "x", 1), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_read(nullptr, 0, &pointer, 1), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_export(nullptr, HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &memory), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_device_info(nullptr), nullptr);
  EXPECT_EQ(hal_device_allocator(nullptr), nullptr);
  EXPECT_EQ(hal_device_query_health(nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_device_query_format(nullptr, hal_string_view("x")), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_device_query_format(device_, {}), HAL_STATUS_INVALID_ARGUMENT);
  hal_buffer_retain(nullptr);
  hal_buffer_release(nullptr);
  hal_device_retain(nullptr);
  hal_device_release(nullptr);
  hal_allocator_retain(nullptr);
  hal_allocator_release(nullptr);
}

}  // namespace
}  // namespace halyard
