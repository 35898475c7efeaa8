// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recorded copies between two devices of the API: in graphs where the API has them, between graphs elsewhere.
#include <string>
#include <string_view>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "interop_test.h"

namespace halyard::interop {
namespace {

constexpr uint64_t kPeerWords = 64;
constexpr uint64_t kPeerBytes = kPeerWords * sizeof(uint32_t);

class PeerGraphTest : public InteropTest {
 protected:
  void SetUp() override {
    InteropTest::SetUp();
    sim().SetDelay(0);
    here_ = OpenDevice(0, "&command_buffer=graph");
    there_ = OpenDevice(1);
    timeline_ = MakeSemaphore(here_);
    away_ = Allocate(there_);
    hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
    params.binding_capacity = 1;
    ASSERT_OK(hal_command_buffer_create(here_.get(), &params, commands_.out()));
    ASSERT_OK(hal_command_buffer_begin(commands_.get()));
  }
  void TearDown() override {
    commands_ = {};
    away_ = {};
    timeline_ = {};
    here_ = {};
    there_ = {};
    InteropTest::TearDown();
  }

  static Ref<hal_buffer_t> Allocate(const Ref<hal_device_t>& device) {
    const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    Ref<hal_buffer_t> buffer;
    EXPECT_OK(hal_allocator_allocate(hal_device_allocator(device.get()), &params, kPeerBytes, buffer.out()));
    return buffer;
  }
  /// Fills the first half of the slot, copies the slot away, and the second half back over the first.
  void Record(uint32_t pattern) {
    hal_command_buffer_t* const commands = commands_.get();
    ASSERT_OK(hal_command_buffer_fill(commands, hal_slot_ref(0, 0, kPeerBytes / 2), &pattern, sizeof(pattern)));
    ASSERT_OK(hal_command_buffer_barrier(commands));
    ASSERT_OK(
        hal_command_buffer_copy(commands, hal_slot_ref(0, 0, kPeerBytes), hal_buffer_ref(away_.get(), 0, kPeerBytes)));
    ASSERT_OK(hal_command_buffer_barrier(commands));
    ASSERT_OK(hal_command_buffer_copy(commands, hal_buffer_ref(away_.get(), kPeerBytes / 2, kPeerBytes / 2),
                                      hal_slot_ref(0, 0, kPeerBytes / 2)));
    ASSERT_OK(hal_command_buffer_end(commands));
  }
  void Execute(const Ref<hal_buffer_t>& slot) {
    const hal_buffer_ref_t table = hal_buffer_ref(slot.get(), 0, kPeerBytes);
    const Points waits = {{timeline_.get(), value_}};
    const Points signals = {{timeline_.get(), ++value_}};
    ASSERT_OK(hal_device_queue_execute(here_.get(), hal::SubmitParams(List(waits), List(signals), 1), commands_.get(),
                                       hal_buffer_ref_list(&table, 1)));
    ASSERT_OK(Wait(timeline_, value_));
  }
  void Write(const Ref<hal_device_t>& device, const Ref<hal_buffer_t>& buffer, uint32_t value) {
    const std::vector<uint32_t> words(kPeerWords, value);
    const Ref<hal_semaphore_t> done = MakeSemaphore(device);
    const Points signals = {{done.get(), 1}};
    ASSERT_OK(hal_device_queue_upload(device.get(), hal::SubmitParams({}, List(signals), 1), words.data(),
                                      hal_buffer_ref(buffer.get(), 0, kPeerBytes)));
    ASSERT_OK(Wait(done, 1));
  }
  std::vector<uint32_t> Read(const Ref<hal_device_t>& device, const Ref<hal_buffer_t>& buffer) {
    std::vector<uint32_t> words(kPeerWords);
    const Ref<hal_semaphore_t> done = MakeSemaphore(device);
    const Points signals = {{done.get(), 1}};
    EXPECT_OK(hal_device_queue_download(device.get(), hal::SubmitParams({}, List(signals), 1),
                                        hal_buffer_ref(buffer.get(), 0, kPeerBytes), words.data()));
    EXPECT_OK(Wait(done, 1));
    return words;
  }
  uint64_t PeerCalls() const {
    return sim().Calls("cuMemcpyPeerAsync") + sim().Calls("hipMemcpyPeerAsync") + sim().Calls("cuMemcpy3DPeerAsync");
  }
  static bool is_cuda() { return std::string_view(vendor::kNames.driver) == "cuda"; }

  Ref<hal_device_t> here_;
  Ref<hal_device_t> there_;
  Ref<hal_semaphore_t> timeline_;
  Ref<hal_buffer_t> away_;
  Ref<hal_command_buffer_t> commands_;
  uint64_t value_ = 0;
};

TEST_P(PeerGraphTest, HoldsCopiesBetweenDevicesAndFollowsTables) {
  Record(7);
  const uint64_t before = PeerCalls();
  for (uint32_t i = 1; i <= 5; ++i) {
    const Ref<hal_buffer_t> slot = Allocate(here_);
    Write(here_, slot, i);
    Execute(slot);
    std::vector<uint32_t> expected(kPeerWords, i);
    EXPECT_EQ(Read(here_, slot), expected) << "execution " << i;
    std::fill_n(expected.begin(), kPeerWords / 2, 7);
    EXPECT_EQ(Read(there_, away_), expected) << "execution " << i;
  }
  EXPECT_EQ(PeerCalls() - before, is_cuda() ? 0U : 10U);
}

// Rows of a slot do not fit CUDA's graphs, and a queue's copy of rows is one call there.
TEST_P(PeerGraphTest, CopiesRowsInOneCall) {
  hal_strided_copy_params_t rows = HAL_STRIDED_COPY_PARAMS_INIT;
  rows.source = hal_slot_ref(0, 0, kPeerBytes);
  rows.target = hal_buffer_ref(away_.get(), 0, kPeerBytes);
  rows.width = 8;
  rows.height = 10;
  rows.source_row_pitch = 16;
  rows.target_row_pitch = 24;
  ASSERT_OK(hal_command_buffer_copy_strided(commands_.get(), &rows));
  ASSERT_OK(hal_command_buffer_end(commands_.get()));
  const Ref<hal_buffer_t> slot = Allocate(here_);
  Write(here_, slot, 5);
  Write(there_, away_, 1);
  const uint64_t before = PeerCalls();
  Execute(slot);
  if (is_cuda()) EXPECT_EQ(PeerCalls() - before, 1U);
  const std::vector<uint32_t> words = Read(there_, away_);
  for (uint64_t i = 0; i < kPeerWords; ++i) EXPECT_EQ(words[i], i < 60 && i % 6 < 2 ? 5U : 1U) << "word " << i;
}

INSTANTIATE_TEST_SUITE_P(Completion, PeerGraphTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
