// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hazards against a model: random commands, all pairs compared byte by byte.
#include "driver_kit/queue/hazards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "driver_kit/queue/command_order.h"
#include "driver_kit/queue/disjoint_slots.h"

namespace halyard {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Buffers 0 and 1 lie beside each other in one address space, buffers 2 and 3 are alone.
class HazardsTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kLength = 64;  // of a buffer
  static constexpr size_t kBuffers = 4;

  /// A range of a command. Which of them a kernel only reads, its number says.
  struct Range {
    hal_buffer_ref_t ref;
    bool writes;
  };

  HazardsTest() {
    for (size_t i = 0; i < kBuffers; ++i) buffers()[i].length = i;
  }

  static std::array<hal_buffer_t, kBuffers>& buffers() {
    static std::array<hal_buffer_t, kBuffers> all = {};
    return all;
  }
  static MemoryPlace PlaceOf(const hal_buffer_t& buffer) {
    return buffer.length < 2 ? MemoryPlace::At(1000 + buffer.length * kLength) : MemoryPlace::Alone(buffer);
  }
  // The constants of a test's dispatch say which bindings it writes.
  static bool Writes(const hal_command_dispatch_t& dispatch, size_t binding) {
    return static_cast<const bool*>(dispatch.params->constants)[binding];
  }
  static constexpr HazardDriver kDriver = {PlaceOf, Writes};

  static hal_buffer_ref_t Ref(size_t buffer, uint64_t offset, uint64_t length) {
    return {&buffers()[buffer], 0, 0, offset, length};
  }
  static hal_buffer_ref_t SlotRef(uint32_t slot, uint64_t offset, uint64_t length) {
    return {nullptr, slot, 0, offset, length};
  }

  /// Adds a dispatch with these ranges.
  static uint32_t Add(HazardTracker& tracker, const std::vector<Range>& ranges) {
    std::vector<hal_buffer_ref_t> refs;
    std::array<bool, 8> writes{};
    for (const Range& range : ranges) {
      writes[refs.size()] = range.writes;
      refs.push_back(range.ref);
    }
    hal_dispatch_params_t params{};
    params.constants = writes.data();
    params.bindings = {refs.data(), refs.size()};
    hal_command_t command{};
    command.type = HAL_COMMAND_TYPE_DISPATCH;
    command.u.dispatch = {nullptr, 0, 0, &params};
    return tracker.Add(command);
  }

  static bool Overlap(const hal_buffer_ref_t& a, const hal_buffer_ref_t& b) {
    if ((a.buffer == nullptr) != (b.buffer == nullptr)) return false;
    uint64_t a_first = a.offset;
    uint64_t b_first = b.offset;
    if (!a.buffer && a.slot != b.slot) return false;
    if (a.buffer) {
      const MemoryPlace a_place = PlaceOf(*a.buffer);
      const MemoryPlace b_place = PlaceOf(*b.buffer);
      if (a_place.space != b_place.space) return false;
      a_first += a_place.first;
      b_first += b_place.first;
    }
    const uint64_t a_end = a.length == HAL_WHOLE_SIZE ? UINT64_MAX : a_first + a.length;
    const uint64_t b_end = b.length == HAL_WHOLE_SIZE ? UINT64_MAX : b_first + b.length;
    return a.length != 0 && b.length != 0 && a_first < b_end && b_first < a_end;
  }
  static bool Conflict(const std::vector<Range>& a, const std::vector<Range>& b) {
    return std::ranges::any_of(a, [&](const Range& one) {
      return std::ranges::any_of(
          b, [&](const Range& other) { return (one.writes || other.writes) && Overlap(one.ref, other.ref); });
    });
  }
};

TEST_F(HazardsTest, ReadersWaitForTheWriterAndTheNextWriterForThem) {
  HazardTracker tracker(kDriver, nullptr);
  EXPECT_EQ(Add(tracker, {{Ref(2, 0, 16), true}}), 0u);
  EXPECT_EQ(Add(tracker, {{Ref(2, 0, 8), false}}), 1u);
  EXPECT_EQ(Add(tracker, {{Ref(2, 8, 8), false}}), 1u);
  EXPECT_EQ(Add(tracker, {{Ref(2, 16, 8), false}}), 0u);
  EXPECT_EQ(Add(tracker, {{Ref(2, 0, 16), true}}), 3u);
  const NodeEdges edges = tracker.BeginSegment();
  EXPECT_THAT(edges.Before(0), IsEmpty());
  EXPECT_THAT(edges.Before(1), ElementsAre(0));
  EXPECT_THAT(edges.Before(2), ElementsAre(0));
  EXPECT_THAT(edges.Before(3), IsEmpty());
  EXPECT_THAT(edges.Before(4), ElementsAre(1, 2));
}

TEST_F(HazardsTest, BuffersWithTheSameMemoryAreTheSame) {
  HazardTracker tracker(kDriver, nullptr);
  EXPECT_EQ(Add(tracker, {{Ref(0, 0, kLength + 8), true}}), 0u);  // reaches into buffer 1
  EXPECT_EQ(Add(tracker, {{Ref(1, 0, 8), false}}), 1u);
  EXPECT_EQ(Add(tracker, {{Ref(1, 8, 8), false}}), 0u);
}

TEST_F(HazardsTest, ANewSegmentHasNoHazardsYet) {
  HazardTracker tracker(kDriver, nullptr);
  Add(tracker, {{Ref(2, 0, 16), true}});
  EXPECT_EQ(tracker.BeginSegment().size(), 1u);
  EXPECT_EQ(Add(tracker, {{Ref(2, 0, 16), true}}), 0u);
}

TEST_F(HazardsTest, RandomCommandsAgreeWithTheModel) {
  std::mt19937 random(1);
  const auto below = [&](uint32_t end) { return static_cast<uint32_t>(random() % end); };
  const auto random_range = [&] {
    const uint64_t offset = below(kLength);
    const uint64_t length = below(static_cast<uint32_t>(kLength - offset) + 1);
    if (below(4) != 0) return Range{Ref(below(kBuffers), offset, length), below(2) == 0};
    return Range{SlotRef(below(3), offset, below(4) == 0 ? HAL_WHOLE_SIZE : length), below(2) == 0};
  };
  for (int round = 0; round < 2000; ++round) {
    DisjointSlots slots(kDriver);
    HazardTracker tracker(kDriver, &slots);
    std::vector<std::vector<Range>> nodes(1 + below(40));
    uint32_t after = 0;
    for (std::vector<Range>& ranges : nodes) {
      ranges.resize(1 + below(4));
      std::ranges::generate(ranges, random_range);
      after = Add(tracker, ranges);
    }
    const NodeEdges edges = tracker.BeginSegment();
    ASSERT_EQ(edges.size(), nodes.size());
    std::vector<std::vector<bool>> ancestors(nodes.size(), std::vector<bool>(nodes.size()));
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      for (const uint32_t before : edges.Before(i)) {
        ASSERT_LT(before, i);
        EXPECT_TRUE(Conflict(nodes[before], nodes[i])) << round << ": " << i << " waits for " << before;
        ancestors[i][before] = true;
        for (uint32_t j = 0; j < before; ++j) ancestors[i][j] = ancestors[i][j] || ancestors[before][j];
      }
      for (uint32_t j = 0; j < i; ++j) {
        ASSERT_TRUE(ancestors[i][j] || !Conflict(nodes[j], nodes[i])) << round << ": " << i << " after " << j;
      }
    }
    const auto last = edges.Before(edges.size() - 1);
    EXPECT_EQ(after, last.empty() ? 0 : last.back() + 1);
  }
}

// --- Slots ---

TEST_F(HazardsTest, SlotsHoldUnlessWhatIsWrittenOverlaps) {
  DisjointSlots slots(kDriver);
  slots.Note(SlotRef(0, 0, 16), true);
  slots.Note(SlotRef(1, 0, 16), false);
  slots.Note(SlotRef(2, 0, HAL_WHOLE_SIZE), false);
  slots.Note(Ref(2, 0, 8), false);
  slots.Seal();
  const auto hold = [&](hal_buffer_ref_t a, hal_buffer_ref_t b, hal_buffer_ref_t c) {
    const std::array<hal_buffer_ref_t, 3> table = {a, b, c};
    return slots.Hold(table);
  };
  EXPECT_TRUE(hold(Ref(2, 8, 56), Ref(3, 0, 64), Ref(3, 0, 64)));   // two that are read
  EXPECT_FALSE(hold(Ref(2, 7, 57), Ref(3, 0, 64), Ref(3, 0, 64)));  // a byte of the buffer that is read
  EXPECT_TRUE(hold(Ref(3, 0, 32), Ref(3, 16, 32), Ref(2, 0, 64)));  // behind what is written
  EXPECT_FALSE(hold(Ref(3, 0, 32), Ref(3, 15, 32), Ref(2, 0, 64)));
  EXPECT_FALSE(hold(Ref(3, 40, 16), Ref(2, 0, 64), Ref(3, 0, 64)));
  EXPECT_FALSE(hold(Ref(0, 56, 16), Ref(3, 0, 64), Ref(1, 0, 64)));  // by address
  EXPECT_TRUE(hold(Ref(0, 48, 16), Ref(3, 0, 64), Ref(1, 0, 64)));
}

// The tracker orders them by itself.
TEST_F(HazardsTest, BuffersThatCommandsNameMayOverlap) {
  DisjointSlots slots(kDriver);
  slots.Note(Ref(0, 0, kLength + 8), true);
  slots.Note(Ref(1, 0, 16), true);
  slots.Note(SlotRef(0, 0, 16), true);
  slots.Seal();
  const std::array<hal_buffer_ref_t, 1> apart = {Ref(2, 0, 16)};
  EXPECT_TRUE(slots.Hold(apart));
  const std::array<hal_buffer_ref_t, 1> over = {Ref(1, 8, 16)};
  EXPECT_FALSE(slots.Hold(over));
}

TEST_F(HazardsTest, WithoutSlotsNothingIsTakenForGranted) {
  DisjointSlots slots(kDriver);
  slots.Note(Ref(2, 0, 8), true);
  slots.Note(Ref(2, 0, 8), true);
  slots.Seal();
  EXPECT_TRUE(slots.Hold({}));
}

}  // namespace
}  // namespace halyard
