// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/trace/group_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace halyard {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

hal_command_t Begin(const char* label) {
  hal_command_t command = {};
  command.type = HAL_COMMAND_TYPE_BEGIN_DEBUG_GROUP;
  command.u.debug_group.label = hal_string_view(label);
  return command;
}
hal_command_t Of(hal_command_type_t type) {
  hal_command_t command = {};
  command.type = type;
  return command;
}
const hal_command_t kEnd = Of(HAL_COMMAND_TYPE_END_DEBUG_GROUP);
const hal_command_t kDispatch = Of(HAL_COMMAND_TYPE_DISPATCH);

/// Writes down the groups that are reported.
class Groups {
 public:
  Groups() {
    const hal_profiling_sink_t sink = {sizeof(sink), this, [](void* self, const hal_profiling_record_t* record) {
                                         static_cast<Groups*>(self)->Add(*record);
                                       }};
    EXPECT_EQ(session_.Begin(HAL_PROFILING_DEBUG_GROUPS, &sink), kOk);
  }
  std::vector<std::string> Of(GroupTimes& times) {
    times.Report(session_, {});
    return std::exchange(texts_, {});
  }

 private:
  void Add(const hal_profiling_record_t& record) {
    EXPECT_EQ(record.kind, HAL_PROFILING_RECORD_KIND_DEBUG_GROUP);
    texts_.push_back(std::string(View(record.name)) + "@" + std::to_string(record.command) + " depth " +
                     std::to_string(record.depth) + ": " + std::to_string(record.start_time) + "-" +
                     std::to_string(record.end_time));
  }
  ProfilingSession session_;
  std::vector<std::string> texts_;
};

TEST(GroupTimesTest, GroupsSpanTheirDispatches) {
  const std::vector<hal_command_t> commands = {Begin("outer"), kDispatch, Begin("inner"), kDispatch,
                                               kDispatch,      kEnd,      kEnd,           kDispatch};
  GroupTimes times({commands.data(), commands.size()});
  times.Note(1, 10, 20);
  times.Note(4, 40, 50);
  times.Note(3, 30, 45);
  times.Note(7, 90, 99);
  EXPECT_THAT(Groups().Of(times), ElementsAre("outer@0 depth 0: 10-50", "inner@2 depth 1: 30-50"));
}

TEST(GroupTimesTest, GroupsWithoutDispatchesAreLeftOut) {
  const std::vector<hal_command_t> commands = {
      Begin("empty"), kEnd, Begin("around"), Begin("used"), kDispatch, kEnd, Begin("empty"), kEnd, kEnd};
  GroupTimes times({commands.data(), commands.size()});
  times.Note(4, 5, 5);
  EXPECT_THAT(Groups().Of(times), ElementsAre("around@2 depth 0: 5-5", "used@3 depth 1: 5-5"));
}

TEST(GroupTimesTest, GroupsOfOneNameAreDifferentOnes) {
  const std::vector<hal_command_t> commands = {Begin("layer"), kDispatch, kEnd, Begin("layer"), kDispatch, kEnd};
  GroupTimes times({commands.data(), commands.size()});
  times.Note(1, 1, 2);
  times.Note(4, 3, 4);
  EXPECT_THAT(Groups().Of(times), ElementsAre("layer@0 depth 0: 1-2", "layer@3 depth 0: 3-4"));
}

TEST(GroupTimesTest, NothingIsRecordedOfUnknownCommands) {
  const std::vector<hal_command_t> commands = {kEnd, Begin("group"), kDispatch};  // unbalanced, as a driver never is
  GroupTimes times({commands.data(), commands.size()});
  times.Note(0, 1, 2);
  times.Note(77, 1, 2);
  EXPECT_THAT(Groups().Of(times), IsEmpty());
}

}  // namespace
}  // namespace halyard
