// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where command buffers are split, and which order of nodes their barriers and events mean.
#include "stream/recording/graph_segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <vector>

namespace halyard::stream {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// A command buffer without buffers or kernels.
class SegmentRecorder {
 public:
  SegmentRecorder() = default;
  SegmentRecorder(const SegmentRecorder&) = delete;  // commands point to the events
  SegmentRecorder& operator=(const SegmentRecorder&) = delete;

  SegmentRecorder& Fill(uint64_t length = 4) {
    hal_command_t& command = Add(HAL_COMMAND_TYPE_FILL);
    command.u.fill.target.length = length;
    return *this;
  }
  SegmentRecorder& Dispatch(uint32_t x = 1, bool indirect = false) {
    hal_command_t& command = Add(HAL_COMMAND_TYPE_DISPATCH);
    hal_dispatch_params_t& params = params_.emplace_back(HAL_DISPATCH_PARAMS_INIT);
    command.u.dispatch.params = &params;
    params.workgroup_count.x = x;
    if (indirect) params.flags = HAL_DISPATCH_INDIRECT;
    return *this;
  }
  SegmentRecorder& Indirect() { return Dispatch(1, true); }
  SegmentRecorder& Barrier() {
    Add(HAL_COMMAND_TYPE_BARRIER);
    return *this;
  }
  SegmentRecorder& Signal(size_t event) {
    Add(HAL_COMMAND_TYPE_SIGNAL_EVENT).u.event.event = &events_[event];
    return *this;
  }
  SegmentRecorder& Wait(size_t event) {
    hal_command_t& command = Add(HAL_COMMAND_TYPE_WAIT_EVENTS);
    command.u.wait_events.events = &pointers_[event];
    command.u.wait_events.event_count = 1;
    return *this;
  }
  SegmentRecorder& WaitForAll() {
    Wait(0);
    commands_.back().u.wait_events.event_count = 3;
    return *this;
  }
  HostVector<GraphSegment> Segments(
      size_t min_nodes = 1, bool (*can_hold)(const hal_command_t&) = [](auto&) { return true; }) const {
    return FindSegments({commands_.data(), commands_.size()}, min_nodes, IndirectMode::kHost, nullptr, can_hold);
  }
  /// The same where the device reads counts.
  HostVector<GraphSegment> DeviceSegments(size_t min_nodes) const {
    return FindSegments({commands_.data(), commands_.size()}, min_nodes, IndirectMode::kDevice, nullptr,
                        [](auto&) { return true; });
  }
  /// What the nodes of the only segment come after.
  std::vector<uint32_t> After() const {
    const HostVector<GraphSegment> segments = Segments();
    if (segments.size() != 1) return {UINT32_MAX};
    return {segments[0].after.begin(), segments[0].after.end()};
  }

 private:
  hal_command_t& Add(hal_command_type_t type) {
    hal_command_t command{};
    command.type = type;
    commands_.push_back(command);
    return commands_.back();
  }
  std::vector<hal_command_t> commands_;
  std::deque<hal_dispatch_params_t> params_;  // stay where they are
  hal_event_t events_[3] = {};
  hal_event_t* pointers_[3] = {&events_[0], &events_[1], &events_[2]};
};

TEST(GraphSegmentsTest, NothingHasNoSegment) {
  EXPECT_THAT(SegmentRecorder().Segments(), IsEmpty());
  EXPECT_THAT(SegmentRecorder().Barrier().Barrier().Segments(), IsEmpty());
}

TEST(GraphSegmentsTest, CommandsWithoutBarriersAreFree) {
  EXPECT_THAT(SegmentRecorder().Fill().Dispatch().Fill().After(), ElementsAre(0, 0, 0));
}

TEST(GraphSegmentsTest, BarrierOrdersAllBeforeAllAfter) {
  EXPECT_THAT(SegmentRecorder().Fill().Fill().Barrier().Dispatch().Dispatch().Barrier().Fill().After(),
              ElementsAre(0, 0, 2, 2, 4));
}

TEST(GraphSegmentsTest, BarriersFirstLastAndInARow) {
  EXPECT_THAT(SegmentRecorder().Barrier().Fill().Barrier().Barrier().Barrier().Fill().Barrier().After(),
              ElementsAre(0, 1));
}

TEST(GraphSegmentsTest, EventsOrderWhatTheirSignalCovered) {
  EXPECT_THAT(SegmentRecorder().Fill().Signal(0).Fill().Fill().Wait(0).Fill().Fill().After(),
              ElementsAre(0, 0, 0, 1, 1));
}

TEST(GraphSegmentsTest, LaterWaitDoesNotTakeOrderBack) {
  EXPECT_THAT(SegmentRecorder().Fill().Signal(0).Fill().Barrier().Fill().Wait(0).Fill().After(),
              ElementsAre(0, 0, 2, 2));
}

TEST(GraphSegmentsTest, WaitForSeveralIsForTheLastSignal) {
  EXPECT_THAT(SegmentRecorder().Fill().Signal(0).Fill().Signal(1).Fill().Signal(2).Fill().WaitForAll().Fill().After(),
              ElementsAre(0, 0, 0, 0, 3));
}

TEST(GraphSegmentsTest, TheLastSignalCounts) {
  EXPECT_THAT(SegmentRecorder().Fill().Signal(0).Fill().Fill().Signal(0).Fill().Wait(0).Fill().After(),
              ElementsAre(0, 0, 0, 0, 3));
}

TEST(GraphSegmentsTest, EventWithoutASignalOrdersEverything) {
  EXPECT_THAT(SegmentRecorder().Fill().Fill().Wait(0).Fill().After(), ElementsAre(0, 0, 2));
}

TEST(GraphSegmentsTest, WhatRunsNothingIsNoNode) {
  const auto segments = SegmentRecorder().Fill(0).Dispatch(0).Fill().Dispatch().Segments();
  ASSERT_THAT(segments, SizeIs(1));
  EXPECT_THAT(segments[0].commands, ElementsAre(2, 3));
  EXPECT_EQ(segments[0].begin, 0u);
  EXPECT_EQ(segments[0].end, 4u);
}

TEST(GraphSegmentsTest, IndirectDispatchSplits) {
  const auto segments =
      SegmentRecorder().Fill().Barrier().Indirect().Barrier().Fill().Fill().Indirect().Indirect().Fill().Segments();
  ASSERT_THAT(segments, SizeIs(3));
  EXPECT_EQ(segments[0].begin, 0u);
  EXPECT_EQ(segments[0].end, 2u);
  EXPECT_EQ(segments[0].stage, 0u);
  EXPECT_EQ(segments[1].begin, 3u);
  EXPECT_EQ(segments[1].end, 6u);
  EXPECT_EQ(segments[1].stage, 1u);
  EXPECT_THAT(segments[1].after, ElementsAre(0, 0));
  EXPECT_EQ(segments[2].begin, 8u);
  EXPECT_EQ(segments[2].end, 9u);
  EXPECT_EQ(segments[2].stage, 3u);
}

// The stream has put the signal before everything that comes after the split.
TEST(GraphSegmentsTest, EventsOfAnEarlierSegmentNeedNothing) {
  const auto segments = SegmentRecorder().Fill().Signal(0).Indirect().Fill().Fill().Wait(0).Fill().Segments();
  ASSERT_THAT(segments, SizeIs(2));
  EXPECT_THAT(segments[1].after, ElementsAre(0, 0, 0));
}

TEST(GraphSegmentsTest, WhatCannotBeHeldSplitsWithoutAStage) {
  const auto segments = SegmentRecorder().Dispatch().Fill().Dispatch().Segments(
      1, [](const hal_command_t& command) { return command.type != HAL_COMMAND_TYPE_FILL; });
  ASSERT_THAT(segments, SizeIs(2));
  EXPECT_EQ(segments[1].begin, 2u);
  EXPECT_EQ(segments[1].stage, 0u);
}

TEST(GraphSegmentsTest, ShortSegmentsAreLeftOut) {
  const auto segments = SegmentRecorder().Fill().Indirect().Fill().Fill().Segments(2);
  ASSERT_THAT(segments, SizeIs(1));
  EXPECT_EQ(segments[0].begin, 2u);
  EXPECT_EQ(segments[0].stage, 1u);
}

TEST(GraphSegmentsTest, TheDevicesIndirectDispatchesAreNodes) {
  const auto segments = SegmentRecorder().Fill().Barrier().Indirect().Fill().DeviceSegments(1);
  ASSERT_THAT(segments, SizeIs(1));
  EXPECT_TRUE(segments[0].indirect);
  EXPECT_EQ(segments[0].stage, 0u);
  EXPECT_THAT(segments[0].commands, ElementsAre(0, 2, 3));
  EXPECT_THAT(segments[0].after, ElementsAre(0, 1, 1));
}

TEST(GraphSegmentsTest, SegmentsThatSpareTheHostADispatchMayBeShort) {
  EXPECT_THAT(SegmentRecorder().Fill().Indirect().DeviceSegments(4), SizeIs(1));
  EXPECT_THAT(SegmentRecorder().Fill().Fill().DeviceSegments(4), SizeIs(0));
}

}  // namespace
}  // namespace halyard::stream
