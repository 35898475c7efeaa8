// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/trace/trace_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace halyard {
namespace {

using ::testing::ElementsAre;

TraceSpan Operation(uint64_t start, uint64_t end, uint64_t number) { return {start, end, number, false}; }
TraceSpan Dispatch(uint64_t start, uint64_t end, uint64_t operation) { return {start, end, operation, true}; }

/// The one that this command of the operation's recording began.
TraceSpan Group(uint64_t start, uint64_t end, uint64_t operation, uint32_t command, uint32_t depth) {
  return {start, end, operation, false, true, command, depth};
}

TraceRows Assign(const std::vector<TraceSpan>& spans) { return AssignTraceRows(spans); }

TEST(TraceRowsTest, OperationsInARowShareARow) {
  const TraceRows rows = Assign({Operation(0, 10, 1), Operation(10, 20, 2), Operation(25, 30, 3)});
  EXPECT_THAT(rows.row_of_span, ElementsAre(0, 0, 0));
  EXPECT_EQ(rows.rows, 1u);
}

TEST(TraceRowsTest, OverlappingOperationsDoNot) {
  const TraceRows rows = Assign({Operation(0, 30, 1), Operation(5, 10, 2), Operation(8, 40, 3), Operation(12, 20, 4)});
  EXPECT_THAT(rows.row_of_span, ElementsAre(0, 1, 2, 1));
  EXPECT_EQ(rows.operation_rows, 3u);
}

TEST(TraceRowsTest, DispatchesLieUnderTheirOperation) {
  const TraceRows rows =
      Assign({Operation(0, 30, 1), Dispatch(0, 10, 1), Operation(5, 20, 2), Dispatch(6, 9, 2), Dispatch(10, 30, 1)});
  EXPECT_THAT(rows.row_of_span, ElementsAre(0, 0, 1, 1, 0));
  EXPECT_EQ(rows.rows, 2u);
}

TEST(TraceRowsTest, DispatchesThatOverlapGetRowsOfTheirOwn) {
  const TraceRows rows =
      Assign({Operation(0, 30, 1), Dispatch(0, 10, 1), Dispatch(5, 15, 1), Dispatch(6, 20, 1), Dispatch(15, 30, 1)});
  EXPECT_THAT(rows.row_of_span, ElementsAre(0, 0, 1, 2, 0));
  EXPECT_EQ(rows.operation_rows, 1u);
  EXPECT_EQ(rows.rows, 3u);
}

TEST(TraceRowsTest, DispatchesOutsideTheirOperationDoToo) {
  const TraceRows rows = Assign({Operation(0, 10, 1), Dispatch(5, 11, 1), Dispatch(20, 25, 7)});
  EXPECT_THAT(rows.row_of_span, ElementsAre(0, 1, 1));
}

TEST(TraceRowsTest, GroupsNestBehindTheOperations) {
  const TraceRows rows = Assign({Operation(0, 30, 1), Group(0, 30, 1, 0, 0), Group(0, 10, 1, 1, 1), Dispatch(0, 10, 1),
                                 Group(10, 30, 1, 4, 1), Dispatch(10, 30, 1)});
  EXPECT_THAT(rows.row_of_span, ElementsAre(0, 1, 1, 0, 1, 0));
  EXPECT_EQ(rows.operation_rows, 1u);
  EXPECT_EQ(rows.group_rows, 1u);
  EXPECT_EQ(rows.rows, 2u);
}

TEST(TraceRowsTest, GroupsThatOverlapGetRowsOfTheirOwn) {
  // The second is beside the first and not in it; the third is of another operation.
  const TraceRows rows =
      Assign({Group(0, 30, 1, 0, 0), Group(5, 20, 1, 7, 0), Group(6, 10, 2, 0, 1), Group(25, 30, 1, 3, 1)});
  EXPECT_THAT(rows.row_of_span, ElementsAre(0, 1, 2, 0));
  EXPECT_EQ(rows.group_rows, 3u);
}

TEST(TraceRowsTest, GroupsLieUnderThoseAroundThemAlone) {
  // Within the first: the second, and the third with the fourth in it, which also lies within the second's time.
  const TraceRows rows =
      Assign({Group(0, 100, 1, 0, 0), Group(10, 60, 1, 1, 1), Group(40, 90, 1, 4, 1), Group(45, 50, 1, 5, 2)});
  EXPECT_THAT(rows.row_of_span, ElementsAre(0, 0, 1, 1));
}

TEST(TraceRowsTest, NothingAtAll) { EXPECT_EQ(Assign({}).rows, 0u); }

}  // namespace
}  // namespace halyard
