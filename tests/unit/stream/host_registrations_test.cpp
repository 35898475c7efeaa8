// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host memory that is imported is pinned as a whole while an import uses it, and no longer.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "allocations/counting_allocator.h"
#include "stream/device/stream_device.h"
#include "unit/stream/memory_device.h"

namespace halyard::stream {
namespace {

constexpr uint64_t kPage = 4096;  // bytes

class HostRegistrationsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(memory_.status, HAL_STATUS_OK) << hal_last_error_message(); }

  hal_status_t Import(uint64_t offset, uint64_t length, Ref<hal_buffer_t>* out_buffer) {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE;
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
    memory.handle = reinterpret_cast<uintptr_t>(bytes_.data() + offset);
    memory.length = length;
    return hal_allocator_import(hal_device_allocator(memory_.device.get()), &params, &memory, nullptr, nullptr,
                                out_buffer->out());
  }
  /// Ranges that are registered beside the device's own.
  int Registered() { return memory_.world->registrations - before_; }
  NativeApi& api() { return static_cast<StreamDevice*>(memory_.device.get())->api(); }

  MemoryDevice memory_;
  std::vector<char> bytes_ = std::vector<char>(4 * kPage);
  const int before_ = memory_.world->registrations;
};

TEST_F(HostRegistrationsTest, ImportsOfOneRangeShareIt) {
  Ref<hal_buffer_t> whole, again, part;
  ASSERT_EQ(Import(0, 2 * kPage, &whole), HAL_STATUS_OK) << hal_last_error_message();
  ASSERT_EQ(Import(0, 2 * kPage, &again), HAL_STATUS_OK) << hal_last_error_message();
  ASSERT_EQ(Import(kPage, kPage, &part), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Registered(), 1);
  whole = {};
  again = {};
  EXPECT_EQ(Registered(), 1);
  part = {};
  EXPECT_EQ(Registered(), 0);
}

TEST_F(HostRegistrationsTest, RangesThatOverlapAreRefused) {
  Ref<hal_buffer_t> middle, next, refused;
  ASSERT_EQ(Import(kPage, 2 * kPage, &middle), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Import(2 * kPage, 2 * kPage, &refused), HAL_STATUS_INCOMPATIBLE) << "its end is not pinned";
  EXPECT_EQ(Import(0, 2 * kPage, &refused), HAL_STATUS_INCOMPATIBLE) << "its beginning is not pinned";
  EXPECT_EQ(Import(0, 4 * kPage, &refused), HAL_STATUS_INCOMPATIBLE);
  EXPECT_EQ(Import(3 * kPage, kPage, &next), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Registered(), 2);
}

TEST_F(HostRegistrationsTest, WhatOthersRegisteredServesUpToItsEnd) {
  const NativeScope scope(api());
  ASSERT_EQ(api().RegisterHost(bytes_.data(), 2 * kPage), kOk) << hal_last_error_message();
  Ref<hal_buffer_t> inside, refused;
  EXPECT_EQ(Import(kPage, kPage, &inside), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Import(kPage, 2 * kPage, &refused), HAL_STATUS_INCOMPATIBLE);
  inside = {};
  EXPECT_EQ(Registered(), 1) << "it is theirs";
  api().UnregisterHost(bytes_.data());
}

TEST_F(HostRegistrationsTest, NothingStaysPinnedForWantOfHostMemory) {
  uint64_t n = 1;
  for (bool failed = true; failed; ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    ASSERT_LT(n, 100u);
    Ref<hal_buffer_t> buffer;
    allocations::FailAllocation(n);
    const hal_status_t status = Import(0, kPage, &buffer);
    failed = allocations::HasFailed();
    allocations::FailAllocation(0);
    EXPECT_EQ(status, failed ? HAL_STATUS_RESOURCE_EXHAUSTED : HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(Registered(), failed ? 0 : 1);
  }
  EXPECT_GT(n, 2u) << "nothing has failed";
}

}  // namespace
}  // namespace halyard::stream
