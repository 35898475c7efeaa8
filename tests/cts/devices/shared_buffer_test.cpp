// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of one device as a buffer of another one: hal_buffer_share().
#include <cstdint>
#include <ostream>
#include <vector>

#include "cts/cts.h"
#include "cts/devices/peer_routes.h"
#include "cts/elements.h"
#include "cts/kernel_library.h"

namespace halyard::cts {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr uint64_t kSharedLength = 64 << 10;  // bytes; pages and what Vulkan asks of imported memory are no larger

/// Memory goes from the device `to_` of the route to the device `from_`.
class PeerShareTest : public PeerTest {
 protected:
  void SetUp() override {
    PeerTest::SetUp();
    if (Shares() != HAL_PEER_SHARE_NONE) return;
    Buffer shared;  // the driver may not tell what it shares
    const hal_status_t status = Share(to_.CreateBuffer(kSharedLength, Mappable()), from_, &shared);
    if (status == HAL_STATUS_OK) return;
    EXPECT_EQ(status, HAL_STATUS_INCOMPATIBLE);
    EXPECT_THAT(hal_last_error_message(), HasSubstr("cannot use the memory of buffer"));
    GTEST_SKIP() << "the device takes no memory of the other";
  }
  hal_peer_share_t Shares() const {
    hal_peer_properties_t peer = HAL_INIT(hal_peer_properties_t);
    EXPECT_OK(hal_device_query_peer(from_, to_, &peer));
    return peer.share;
  }
  /// Memory that the route shares, if it shares any.
  Buffer Original() const {
    hal_buffer_params_t params = Shares() == HAL_PEER_SHARE_ALL ? DeviceLocal() : Mappable();
    params.alignment = 4096;
    Buffer buffer = to_.CreateBuffer(kSharedLength, params);
    Fill(to_, buffer, 1);
    return buffer;
  }
  static void Fill(const Device& device, const Ref& range, uint32_t value) {
    const Semaphore done = device.CreateSemaphore();
    ASSERT_OK(device.QueueFill(kNoWaits, {{done, 1}}, range, value));
    ASSERT_OK(done.Wait(1));
  }
  static hal_status_t Share(const Buffer& buffer, const Device& device, Buffer* out) {
    return hal_buffer_share(buffer, device, out->out());
  }
};

TEST_P(PeerShareTest, IsTheSameMemoryForDispatchesCopiesAndTables) {
  const Buffer original = Original();
  Buffer shared;
  ASSERT_OK(Share(original, from_, &shared));
  EXPECT_EQ(hal_buffer_length(shared), kSharedLength);
  Fill(from_, Ref(shared, 0, kSharedLength / 2), 7);
  EXPECT_EQ(to_.Download<uint32_t>(original, kSharedLength / 2 - 4, 2), (std::vector<uint32_t>{7, 1}));
  const Executable kernels = from_.LoadKernels("basic");
  const CommandBuffer commands = from_.Record(
      [&](const CommandBuffer& c) {
        Check(c.Dispatch(kernels, "add_one", Dispatch().Workgroups(kSharedLength / 256).Bind(Slot(0))), "dispatch");
        Check(c.Barrier(), "barrier");
        Check(c.Copy(Slot(0, 0, 1024), Slot(0, kSharedLength - 1024, 1024)), "copy");
      },
      0, 1);
  const Semaphore here = from_.CreateSemaphore();
  const Semaphore there = to_.CreateSemaphore();
  ASSERT_OK(from_.QueueDispatch(kNoWaits, {{here, 1}}, kernels, "add_one",
                                Dispatch().Workgroups(kSharedLength / 256).Bind(shared)));
  ASSERT_OK(to_.QueueFill({{here, 1}}, {{there, 1}}, Ref(original, 0, 512), uint32_t{100}));
  ASSERT_OK(from_.QueueExecute({{there, 1}}, {{here, 2}}, commands, {Ref(shared)}));
  ASSERT_OK(here.Wait(2));
  std::vector<uint32_t> expected(kSharedLength / 4, 3);
  std::fill_n(expected.begin(), kSharedLength / 8, 9);
  std::fill_n(expected.begin(), 128, 101);
  std::copy_n(expected.begin(), 256, expected.end() - 256);
  EXPECT_TRUE(SameElements(to_.Download<uint32_t>(original), expected));
  EXPECT_TRUE(SameElements(from_.Download<uint32_t>(shared), expected));
}

TEST_P(PeerShareTest, KeepsTheMemoryAndItsDevice) {
  Buffer original = Original();
  Buffer shared;
  ASSERT_OK(Share(original, from_, &shared));
  original.reset();
  if (GetParam().to_other) {
    to_.reset();
    other_.reset();
    if (GetParam().by_other) by_.reset();
  }
  const Buffer back = from_.CreateBuffer(kSharedLength);
  const Semaphore done = from_.CreateSemaphore();
  ASSERT_OK(from_.QueueFill(kNoWaits, {{done, 1}}, shared, uint32_t{5}));
  ASSERT_OK(from_.QueueCopy({{done, 1}}, {{done, 2}}, shared, back));
  shared.reset();
  ASSERT_OK(done.Wait(2));
  EXPECT_THAT(from_.Download<uint32_t>(back), Each(5u));
}

TEST_P(PeerShareTest, OfAPartIsThatPart) {
  const Buffer original = Original();
  Buffer part;
  Buffer shared;
  Buffer again;
  ASSERT_OK(hal_buffer_subspan(original, 8192, 4096, part.out()));
  ASSERT_OK(Share(part, from_, &shared));
  EXPECT_EQ(hal_buffer_length(shared), 4096u);
  Fill(from_, shared, 6);
  const std::vector<uint32_t> words = to_.Download<uint32_t>(original, 8188, 1026);
  EXPECT_EQ(words.front(), 1u);
  EXPECT_EQ(words.back(), 1u);
  EXPECT_THAT(std::vector<uint32_t>(words.begin() + 1, words.end() - 1), Each(6u));
  // Back to where the memory is.
  ASSERT_OK(Share(shared, to_, &again));
  Fill(to_, Ref(again, 0, 4), 8);
  EXPECT_EQ(from_.Download<uint32_t>(shared, 0, 2), (std::vector<uint32_t>{8, 6}));
}

TEST_P(PeerShareTest, OverlapsWithWhatItShares) {
  const Buffer original = Original();
  Buffer shared;
  Buffer second;
  ASSERT_OK(Share(original, from_, &shared));
  ASSERT_OK(Share(original, from_, &second));
  const Semaphore done = from_.CreateSemaphore();
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                from_.QueueCopy(kNoWaits, {{done, 1}}, Ref(original, 0, 512), Ref(shared, 511, 512)));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("source and target overlap"));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                from_.QueueCopy(kNoWaits, {{done, 1}}, Ref(second, 0, 512), Ref(shared, 511, 512)));
  const CommandBuffer commands =
      from_.Record([&](const CommandBuffer& c) { ASSERT_OK(c.Copy(Slot(0, 0, 512), Slot(1, 0, 512))); }, 0, 2);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                from_.QueueExecute(kNoWaits, {{done, 1}}, commands, {Ref(second), Ref(shared, 500, 600)}));
  Fill(from_, Ref(shared, 0, 512), 3);
  ASSERT_OK(from_.QueueCopy(kNoWaits, {{done, 1}}, Ref(second, 0, 512), Ref(shared, 512, 512)));
  ASSERT_OK(from_.QueueCopy({{done, 1}}, {{done, 2}}, Ref(original, 512, 512), Ref(shared, 1024, 512)));
  ASSERT_OK(done.Wait(2));
  EXPECT_THAT(to_.Download<uint32_t>(original, 0, 384), Each(3u));
}

TEST_P(PeerShareTest, SaysWhyItCannotBe) {
  Buffer shared;
  if (Shares() != HAL_PEER_SHARE_ALL) {
    const Buffer local = to_.CreateBuffer(kSharedLength);
    hal_buffer_info_t info = HAL_INIT(hal_buffer_info_t);
    ASSERT_OK(hal_buffer_query_info(local, &info));
    // Some devices have no memory but what the host sees.
    if ((info.memory_type & HAL_MEMORY_TYPE_HOST_VISIBLE) == 0) {
      EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, Share(local, from_, &shared));
      EXPECT_THAT(hal_last_error_message(), HasSubstr("cannot use the memory of buffer"));
      EXPECT_EQ(shared.get(), nullptr);
    }
  }
  const Semaphore order = to_.CreateSemaphore();
  Buffer transient;
  ASSERT_OK(to_.QueueAlloca(kNoWaits, {{order, 1}}, 4096, &transient));
  EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, Share(transient, from_, &shared));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("hal_device_queue_alloca"));
  ASSERT_OK(to_.QueueDealloca({{order, 1}}, {{order, 2}}, transient));
  ASSERT_OK(order.Wait(2));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_buffer_share(nullptr, from_, shared.out()));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_buffer_share(transient, nullptr, shared.out()));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_buffer_share(transient, from_, nullptr));
}

// Threads make and drop shares of one buffer, and use them.
TEST_P(PeerShareTest, ManyAtOnce) {
  const Buffer original = Original();
  OnThreads(4, [&](size_t index) {
    for (uint32_t i = 0; i < 8; ++i) {
      Buffer shared;
      ASSERT_OK(Share(original, from_, &shared));
      const Ref own(shared, 1024 * index, 1024);
      Fill(from_, own, i + 1);
      EXPECT_THAT(to_.Download<uint32_t>(original, 1024 * index, 256), Each(i + 1));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Routes, PeerShareTest, testing::Values(kPeerRoutes[0], kPeerRoutes[2], kPeerRoutes[4]),
                         ByName);

}  // namespace
}  // namespace halyard::cts
