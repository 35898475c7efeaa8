// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between a device and one of another driver, which the library makes of operations of both, take no memory of
// the host once warm.
#include <algorithm>

#include "allocations/counting_allocator.h"
#include "base/object_memory.h"
#include "halyard/cpp/submit.hpp"
#include "interop_test.h"

namespace halyard::interop {
namespace {

constexpr uint64_t kPeerLength = 1 << 20;  // bytes: four pieces of a staged copy
constexpr uint64_t kPeerRow = 1000;        // bytes
constexpr uint64_t kPeerRows = 500;

class PeerAllocationTest : public InteropTest {
 protected:
  void SetUp() override {
    InteropTest::SetUp();
    sim().SetDelay(0);
    ASSERT_OK(hal_device_create(hal_string_view("local://task?threads=2"), other_.out()));
    timeline_ = MakeSemaphore();
    here_ = Allocate(device_);
    there_ = Allocate(other_);
    Record();
  }
  void TearDown() override {
    commands_ = {};
    here_ = {};
    there_ = {};
    timeline_ = {};
    other_ = {};
    InteropTest::TearDown();
  }

  static Ref<hal_buffer_t> Allocate(const Ref<hal_device_t>& device) {
    const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    Ref<hal_buffer_t> buffer;
    EXPECT_OK(hal_allocator_allocate(hal_device_allocator(device.get()), &params, kPeerLength, buffer.out()));
    return buffer;
  }
  hal_strided_copy_params_t Rows() const {
    hal_strided_copy_params_t rows = HAL_STRIDED_COPY_PARAMS_INIT;
    rows.source = hal_buffer_ref(here_.get(), 0, HAL_WHOLE_SIZE);
    rows.target = hal_buffer_ref(there_.get(), 0, HAL_WHOLE_SIZE);
    rows.width = kPeerRow;
    rows.height = kPeerRows;
    rows.source_row_pitch = 2 * kPeerRow;
    rows.target_row_pitch = kPeerRow + 1;
    return rows;
  }
  void Record() {
    const hal_command_buffer_params_t reusable = HAL_INIT(hal_command_buffer_params_t);
    const uint32_t pattern = 3;
    const hal_strided_copy_params_t rows = Rows();
    ASSERT_OK(hal_command_buffer_create(device_.get(), &reusable, commands_.out()));
    ASSERT_OK(hal_command_buffer_begin(commands_.get()));
    ASSERT_OK(hal_command_buffer_fill(commands_.get(), hal_buffer_ref(here_.get(), 0, 64), &pattern, sizeof(pattern)));
    ASSERT_OK(hal_command_buffer_barrier(commands_.get()));
    ASSERT_OK(hal_command_buffer_copy_strided(commands_.get(), &rows));
    ASSERT_OK(hal_command_buffer_barrier(commands_.get()));
    ASSERT_OK(hal_command_buffer_copy(commands_.get(), hal_buffer_ref(there_.get(), 0, 64),
                                      hal_buffer_ref(here_.get(), 64, 64)));
    ASSERT_OK(hal_command_buffer_end(commands_.get()));
  }

  /// The library's allocations while one of each is submitted and done.
  uint64_t AllocationsOfARound() {
    hal_timeline_point_t before{};
    hal_timeline_point_t after{};
    const auto next = [&] {
      before = {timeline_.get(), value_};
      after = {timeline_.get(), ++value_};
      return hal::SubmitParams(hal_semaphore_list(&before, 1), hal_semaphore_list(&after, 1), 1);
    };
    const hal_strided_copy_params_t rows = Rows();
    const hal_buffer_ref_t here = hal_buffer_ref(here_.get(), 0, kPeerLength);
    const hal_buffer_ref_t there = hal_buffer_ref(there_.get(), 0, kPeerLength);
    const uint64_t count = allocations::LibraryAllocations();
    EXPECT_OK(hal_device_queue_copy(device_.get(), next(), here, there));
    EXPECT_OK(hal_device_queue_copy(device_.get(), next(), there, here));
    EXPECT_OK(hal_device_queue_copy(other_.get(), next(), there, here));
    EXPECT_OK(hal_device_queue_copy_strided(device_.get(), next(), &rows));
    EXPECT_OK(hal_device_queue_copy_strided(other_.get(), next(), &rows));
    EXPECT_OK(hal_device_queue_execute(device_.get(), next(), commands_.get(), {}));
    EXPECT_OK(Wait(timeline_, value_));
    return allocations::LibraryAllocations() - count;
  }

  Ref<hal_device_t> other_;
  Ref<hal_semaphore_t> timeline_;
  Ref<hal_buffer_t> here_;
  Ref<hal_buffer_t> there_;
  Ref<hal_command_buffer_t> commands_;
  uint64_t value_ = 0;
};

// A thread of a device may grow something in some rounds, but not in all of them.
TEST_P(PeerAllocationTest, OnceWarmCopiesAllocateNothing) {
  if (!kKeepsFreedMemory) GTEST_SKIP() << "memory of objects is not used again in this build";
  for (int i = 0; i < 100; ++i) AllocationsOfARound();
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 32; ++i) least = std::min(least, AllocationsOfARound());
  EXPECT_EQ(least, 0U);
}

INSTANTIATE_TEST_SUITE_P(Completion, PeerAllocationTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
