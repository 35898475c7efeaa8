// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/queue/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "driver_kit/queue/command_order.h"

namespace halyard {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Commands that name objects which are never looked at.
class CommandTest : public testing::Test {
 protected:
  static hal_command_t Make(hal_command_type_t type) {
    hal_command_t command{};
    command.type = type;
    return command;
  }
  hal_buffer_ref_t Ref(int buffer, uint64_t length = 4) {
    hal_buffer_ref_t ref{};
    ref.buffer = &buffers_[buffer];
    ref.length = length;
    return ref;
  }
  hal_command_t Copy(uint64_t length) {
    hal_command_t command = Make(HAL_COMMAND_TYPE_COPY);
    command.u.copy = {Ref(0, length), Ref(1, length)};
    return command;
  }
  hal_command_t IndirectDispatch() {
    bindings_ = {Ref(0), Ref(1)};
    params_.flags = HAL_DISPATCH_INDIRECT;
    params_.bindings = {bindings_.data(), bindings_.size()};
    params_.indirect = Ref(2);
    hal_command_t command = Make(HAL_COMMAND_TYPE_DISPATCH);
    command.u.dispatch = {&executable_, 0, 0, &params_};
    return command;
  }

  static std::vector<RangeUse> Uses(const hal_command_t& command) {
    std::vector<RangeUse> uses;
    ForEachRange(command, [&](const hal_buffer_ref_t&, RangeUse use) { uses.push_back(use); });
    return uses;
  }
  static std::vector<const void*> Objects(const hal_command_t& command) {
    std::vector<const void*> objects;
    ForEachObject(command, [&](const auto* object) { objects.push_back(object); });
    return objects;
  }

  hal_buffer_t buffers_[3] = {};
  hal_executable_t executable_ = {};
  hal_event_t event_ = {};
  hal_dispatch_params_t params_ = {};
  std::vector<hal_buffer_ref_t> bindings_;
};

TEST_F(CommandTest, EveryKindHasAName) {
  for (int type = HAL_COMMAND_TYPE_BARRIER; type <= HAL_COMMAND_TYPE_COPY_STRIDED; ++type) {
    if (type == HAL_COMMAND_TYPE_SIGNAL_EVENT + 1) continue;  // was the reset of an event
    EXPECT_NE(CommandName(static_cast<hal_command_type_t>(type)), "") << type;
  }
  EXPECT_EQ(CommandName(HAL_COMMAND_TYPE_COPY_STRIDED), "copy_strided");
  EXPECT_EQ(CommandName(static_cast<hal_command_type_t>(HAL_COMMAND_TYPE_COPY_STRIDED + 1)), "");
}

TEST_F(CommandTest, ACopyReadsItsSourceAndWritesItsTarget) {
  EXPECT_THAT(Uses(Copy(4)), ElementsAre(RangeUse::kSource, RangeUse::kTarget));
  EXPECT_THAT(Objects(Copy(4)), ElementsAre(&buffers_[0], &buffers_[1]));
}

TEST_F(CommandTest, AnIndirectDispatchNamesItsExecutableItsBindingsAndItsCounts) {
  const hal_command_t dispatch = IndirectDispatch();
  EXPECT_THAT(Uses(dispatch), ElementsAre(RangeUse::kBinding, RangeUse::kBinding, RangeUse::kCounts));
  EXPECT_THAT(Objects(dispatch), ElementsAre(&executable_, &buffers_[0], &buffers_[1], &buffers_[2]));
  params_.flags = 0;
  EXPECT_THAT(Objects(dispatch), ElementsAre(&executable_, &buffers_[0], &buffers_[1]));
}

TEST_F(CommandTest, EventsAreObjects) {
  hal_event_t* const events[] = {&event_, &event_};
  hal_command_t wait = Make(HAL_COMMAND_TYPE_WAIT_EVENTS);
  wait.u.wait_events = {events, 2};
  EXPECT_THAT(Objects(wait), ElementsAre(&event_, &event_));
  hal_command_t signal = Make(HAL_COMMAND_TYPE_SIGNAL_EVENT);
  signal.u.event.event = &event_;
  EXPECT_THAT(Objects(signal), ElementsAre(&event_));
  EXPECT_THAT(Uses(wait), IsEmpty());
}

TEST_F(CommandTest, WorkIsWhatRuns) {
  EXPECT_TRUE(IsWork(Copy(4)));
  EXPECT_TRUE(IsWork(IndirectDispatch()));
  EXPECT_FALSE(IsWork(Make(HAL_COMMAND_TYPE_BARRIER)));
  EXPECT_FALSE(IsWork(Make(HAL_COMMAND_TYPE_SIGNAL_EVENT)));
  EXPECT_FALSE(IsWork(Make(HAL_COMMAND_TYPE_END_DEBUG_GROUP)));
}

TEST_F(CommandTest, WorkWithoutBytesOrWorkgroupsRunsNothing) {
  EXPECT_TRUE(RunsNothing(Copy(0)));
  EXPECT_FALSE(RunsNothing(Copy(4)));
  hal_command_t dispatch = IndirectDispatch();
  EXPECT_FALSE(RunsNothing(dispatch));  // its counts are in a buffer
  params_.flags = 0;
  EXPECT_TRUE(RunsNothing(dispatch));
  params_.workgroup_count = {1, 1, 1};
  bindings_[0].length = 0;
  EXPECT_FALSE(RunsNothing(dispatch));
}

}  // namespace
}  // namespace halyard
