// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recordings whose numbers change: constants and workgroup counts that each execution brings in a block.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cts {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr uint32_t kCells = 64;  // what one workgroup of add_constant works on

class NumbersTest : public DeviceTest {
 protected:
  using Block = std::vector<uint32_t>;

  CommandBuffer Record(uint32_t numbers, const std::function<void(const CommandBuffer&)>& commands, uint32_t slots = 0,
                       hal_command_buffer_flags_t flags = 0) const {
    return device().Record(commands, flags, slots, numbers * sizeof(uint32_t));
  }
  /// Executes without waits and waits for the end.
  hal_status_t Run(const CommandBuffer& commands, const Block& numbers, const std::vector<Ref>& table = {}) const {
    const Semaphore done = CreateSemaphore();
    const hal_status_t status = device().QueueExecuteWith(kNoWaits, {{done, 1}}, commands, numbers, table);
    return status == HAL_STATUS_OK ? done.Wait(1) : status;
  }
  Buffer Zeros(size_t words = kCells) const { return device().CreateBufferOf(std::vector<uint32_t>(words, 0)); }
  /// target = source + the number at `index` of the block
  Dispatch AddNumber(uint32_t index, const Ref& source, const Ref& target) const {
    return Dispatch().ConstantFrom<uint32_t>(4 * index, 77).Bind(source).Bind(target);
  }

  const Executable kernels_ = LoadKernels("basic");
};

TEST_F(NumbersTest, ConstantsComeFromTheBlock) {
  const Buffer target = Zeros();
  const CommandBuffer commands = Record(2, [&](const CommandBuffer& c) {
    Check(c.Dispatch(kernels_, "add_constant", AddNumber(1, Zeros(), target)), "dispatch");
  });
  for (const uint32_t value : {5u, 5u, 0u, 0xFFFFFFFFu}) {
    ASSERT_OK(Run(commands, {123, value}));
    EXPECT_THAT(Download<uint32_t>(target), Each(value));
  }
}

// Where the driver does not record a copy to the other device, each part of the command buffer is an execution of its
// own.
TEST_F(NumbersTest, BothSidesOfACopyToAnotherDeviceHaveThem) {
  const Device other = OpenSecondDevice();
  for (const hal_command_buffer_flags_t flags :
       std::initializer_list<hal_command_buffer_flags_t>{0, HAL_COMMAND_BUFFER_ONE_SHOT}) {
    const Buffer first = Zeros();
    const Buffer back = Zeros();
    const Buffer target = Zeros();
    const Buffer there = other.CreateBufferOf(std::vector<uint32_t>(kCells, 0));
    const auto record = [&](const CommandBuffer& c) {
      Check(c.Dispatch(kernels_, "add_constant", AddNumber(0, Zeros(), first)), "dispatch before");
      Check(c.Barrier(), "barrier");
      Check(c.Copy(first, there), "copy there");
      Check(c.Barrier(), "barrier");
      Check(c.Copy(there, back), "copy back");
      Check(c.Barrier(), "barrier");
      Check(c.Dispatch(kernels_, "add_constant", AddNumber(2, back, target)), "dispatch after");
    };
    CommandBuffer commands;
    for (const uint32_t value : {1u, 1'000u, 0x80000000u}) {
      if (commands.get() == nullptr || flags != 0) commands = Record(3, record, 0, flags);
      ASSERT_OK(Run(commands, {value, 99, 7}));
      EXPECT_THAT(other.Download<uint32_t>(there), Each(value));
      EXPECT_THAT(Download<uint32_t>(target), Each(value + 7));
    }
  }
}

TEST_F(NumbersTest, OtherConstantsStayAsTheyWereRecorded) {
  const Buffer target = Zeros();
  const CommandBuffer commands = Record(1, [&](const CommandBuffer& c) {
    Dispatch dispatch;
    dispatch.Constant(uint32_t{0x11223344}).Bind(Zeros()).Bind(target);
    Check(c.Dispatch(kernels_, "add_constant", dispatch.NumberFrom(HAL_NUMBER_KIND_CONSTANTS, 1, 3, 1)), "dispatch");
  });
  ASSERT_OK(Run(commands, {0xAB000000}));
  EXPECT_THAT(Download<uint32_t>(target), Each(0x1122AB44u));
}

TEST_F(NumbersTest, OfSeveralForOnePlaceTheLastCounts) {
  const Buffer target = Zeros();
  const CommandBuffer commands = Record(2, [&](const CommandBuffer& c) {
    Dispatch dispatch = AddNumber(0, Zeros(), target);
    Check(c.Dispatch(kernels_, "add_constant", dispatch.NumberFrom(HAL_NUMBER_KIND_CONSTANTS, 0, 4, 4)), "dispatch");
  });
  ASSERT_OK(Run(commands, {1, 2}));
  EXPECT_THAT(Download<uint32_t>(target), Each(2u));
}

// More than a group of pointers to commands, with barriers, transfers and dispatches without numbers between.
TEST_F(NumbersTest, EachOfManyDispatchesHasItsOwn) {
  constexpr uint32_t kCount = 100;
  const Buffer zeros = Zeros();
  std::vector<Buffer> targets;
  for (uint32_t i = 0; i < kCount; ++i) targets.push_back(Zeros());
  const CommandBuffer commands = Record(kCount, [&](const CommandBuffer& c) {
    for (uint32_t i = 0; i < kCount; ++i) {
      Check(c.Dispatch(kernels_, "add_constant", AddNumber(i, zeros, targets[i])), "dispatch");
      if (i % 9 == 0) Check(c.Barrier(), "barrier");
      if (i % 9 == 0) Check(c.Dispatch(kernels_, "add_one", Dispatch().Bind(targets[i])), "dispatch");
    }
  });
  Block numbers = Counting(kCount, 1000);
  for (uint32_t changed : {0u, 33u, 99u, 33u}) {
    numbers[changed] += 7;
    ASSERT_OK(Run(commands, numbers));
    for (uint32_t i = 0; i < kCount; ++i) {
      ASSERT_THAT(Download<uint32_t>(targets[i]), Each(numbers[i] + (i % 9 == 0 ? 1 : 0))) << i;
    }
  }
}

TEST_F(NumbersTest, ChangeTogetherWithBuffers) {
  const std::vector<Buffer> targets = {Zeros(), Zeros(), Zeros(), Zeros(), Zeros(), Zeros()};
  const CommandBuffer commands = Record(
      1,
      [&](const CommandBuffer& c) {
        for (int i = 0; i < 5; ++i) {
          Check(c.Dispatch(kernels_, "add_constant", AddNumber(0, Slot(0), Slot(0))), "dispatch");
          Check(c.Barrier(), "barrier");
        }
      },
      1);
  std::vector<uint32_t> expected(targets.size(), 0);
  for (const auto& [target, number] :
       {std::pair(0, 1u), {0, 2u}, {1, 2u}, {2, 3u}, {3, 1u}, {4, 9u}, {5, 4u}, {0, 1u}, {1, 2u}, {0, 1u}, {0, 8u}}) {
    ASSERT_OK(Run(commands, {number}, {targets[static_cast<size_t>(target)]}));
    expected[static_cast<size_t>(target)] += 5 * number;
  }
  for (size_t i = 0; i < targets.size(); ++i) EXPECT_THAT(Download<uint32_t>(targets[i]), Each(expected[i])) << i;
}

// Each is submitted before the ones before it have ended.
TEST_F(NumbersTest, ManyExecutionsInFlightKeepTheirOwn) {
  constexpr uint32_t kCount = 40;
  const Buffer target = Zeros();
  const CommandBuffer commands = Record(1, [&](const CommandBuffer& c) {
    for (int i = 0; i < 5; ++i) {
      Check(c.Dispatch(kernels_, "add_constant", AddNumber(0, target, target)), "dispatch");
      Check(c.Barrier(), "barrier");
    }
  });
  const Semaphore chain = CreateSemaphore();
  uint32_t expected = 0;
  for (uint32_t i = 0; i < kCount; ++i) {
    ASSERT_OK(device().QueueExecuteWith({{chain, i + 1}}, {{chain, i + 2}}, commands, {i * i}));
    expected += 5 * i * i;
  }
  ASSERT_OK(chain.Signal(1));
  ASSERT_OK(chain.Wait(kCount + 1));
  EXPECT_THAT(Download<uint32_t>(target), Each(expected));
}

TEST_F(NumbersTest, TheCallCopiesTheBlock) {
  const Buffer target = Zeros();
  const CommandBuffer commands = Record(1, [&](const CommandBuffer& c) {
    Check(c.Dispatch(kernels_, "add_constant", AddNumber(0, Zeros(), target)), "dispatch");
  });
  const Semaphore chain = CreateSemaphore();
  Block numbers = {6};
  ASSERT_OK(device().QueueExecuteWith({{chain, 1}}, {{chain, 2}}, commands, numbers));
  numbers[0] = 66;
  ASSERT_OK(chain.Signal(1));
  ASSERT_OK(chain.Wait(2));
  EXPECT_THAT(Download<uint32_t>(target), Each(6u));
}

TEST_F(NumbersTest, RecordingsThatRunOnceTakeThem) {
  const Buffer target = Zeros();
  const auto record = [&](const CommandBuffer& c) {
    Check(c.Dispatch(kernels_, "add_constant", AddNumber(0, Zeros(), target)), "dispatch");
  };
  ASSERT_OK(Run(Record(1, record, 0, HAL_COMMAND_BUFFER_ONE_SHOT), {3}));
  EXPECT_THAT(Download<uint32_t>(target), Each(3u));
  ASSERT_OK(Run(Record(1, record, 0, HAL_COMMAND_BUFFER_UNVALIDATED), {4}));
  EXPECT_THAT(Download<uint32_t>(target), Each(4u));
}

// Two slots may be one buffer: then the commands run one after the other.
TEST_F(NumbersTest, TrackedHazardsHold) {
  const CommandBuffer commands = Record(
      2,
      [&](const CommandBuffer& c) {
        for (int i = 0; i < 3; ++i) {
          Check(c.Dispatch(kernels_, "add_constant", AddNumber(0, Slot(0), Slot(0))), "dispatch");
          Check(c.Dispatch(kernels_, "add_constant", AddNumber(1, Slot(1), Slot(1))), "dispatch");
        }
      },
      2, HAL_COMMAND_BUFFER_TRACK_HAZARDS);
  const Buffer first = Zeros();
  const Buffer second = Zeros();
  ASSERT_OK(Run(commands, {1, 10}, {first, second}));
  ASSERT_OK(Run(commands, {2, 20}, {first, second}));
  ASSERT_OK(Run(commands, {100, 1000}, {second, second}));
  EXPECT_THAT(Download<uint32_t>(first), Each(9u));
  EXPECT_THAT(Download<uint32_t>(second), Each(90u + 3300));
}

TEST_F(NumbersTest, BesideIndirectDispatches) {
  const Buffer target = Zeros();
  const Buffer counts = device().CreateBufferOf<uint32_t>({1, 1, 1});
  const CommandBuffer commands = Record(1, [&](const CommandBuffer& c) {
    Check(c.Dispatch(kernels_, "add_constant", AddNumber(0, target, target)), "dispatch");
    Check(c.Barrier(), "barrier");
    Dispatch indirect;
    indirect.Indirect(counts).ConstantFrom<uint32_t>(0).Bind(target).Bind(target);
    Check(c.Dispatch(kernels_, "add_constant", indirect), "dispatch");
    Check(c.Barrier(), "barrier");
    Check(c.Dispatch(kernels_, "add_constant", AddNumber(0, target, target)), "dispatch");
  });
  ASSERT_OK(Run(commands, {1}));
  ASSERT_OK(Run(commands, {10}));
  EXPECT_THAT(Download<uint32_t>(target), Each(33u));
}

// --- Workgroup counts ---

class NumberedCountTest : public NumbersTest {
 protected:
  static constexpr uint32_t kMost = 64;  // workgroups
  static constexpr uint32_t kReports = 5;

  static std::vector<uint32_t> Expected(const hal_dim3_t& count) {
    std::vector<uint32_t> expected;
    for (uint32_t z = 0; z < count.z; ++z) {
      for (uint32_t y = 0; y < count.y; ++y) {
        for (uint32_t x = 0; x < count.x; ++x) {
          const uint32_t report[] = {x, y, z, count.x, count.y, count.z, 4, 2, 1, 0, 0, 0};
          expected.insert(expected.end(), std::begin(report), std::end(report));
        }
      }
    }
    expected.resize(size_t{12} * kMost, 0);
    return expected;
  }
  Buffer Report() const { return Zeros(size_t{12} * kMost); }

  const Executable grids_ = LoadKernels("dispatch");
};

// One recording, so that a graph of it is patched, made again or left out.
TEST_F(NumberedCountTest, GridsComeFromTheBlock) {
  std::vector<Buffer> reports;
  for (uint32_t i = 0; i < kReports; ++i) reports.push_back(Report());
  const CommandBuffer commands = Record(3, [&](const CommandBuffer& c) {
    for (const Buffer& report : reports) {
      Check(c.Fill(report, uint32_t{0}), "fill");
      Check(c.Barrier(), "barrier");
      Dispatch dispatch = Dispatch().Workgroups(0, 0, 0).CountsFrom(0, 3, 0).Bind(report);
      Check(c.Dispatch(grids_, "report_workgroup", dispatch), "dispatch");
    }
  });
  const hal_dim3_t grids[] = {{1, 1, 1}, {2, 3, 4}, {0, 1, 1}, {2, 3, 4}, {64, 1, 1}, {1, 0, 0}, {3, 1, 5}, {1, 8, 2}};
  for (const hal_dim3_t& grid : grids) {
    ASSERT_OK(Run(commands, {grid.x, grid.y, grid.z}));
    for (const Buffer& report : reports) {
      ASSERT_TRUE(SameElements(Download<uint32_t>(report), Expected(grid))) << grid.x << grid.y << grid.z;
    }
  }
}

TEST_F(NumberedCountTest, OtherDimensionsStayAsTheyWereRecorded) {
  const Buffer report = Report();
  const CommandBuffer commands = Record(2, [&](const CommandBuffer& c) {
    Dispatch dispatch = Dispatch().Workgroups(2, 9, 3).CountsFrom(1, 1, 4).Bind(report);
    Check(c.Dispatch(grids_, "report_workgroup", dispatch), "dispatch");
  });
  ASSERT_OK(Run(commands, {7, 5}));
  EXPECT_TRUE(SameElements(Download<uint32_t>(report), Expected({2, 5, 3})));
}

TEST_F(NumberedCountTest, CountsBeyondTheLimitAreRefusedWithIt) {
  const uint32_t most = device().limits().max_workgroup_count.z;
  if (most == UINT32_MAX) GTEST_SKIP() << "the device sets no bound";
  const CommandBuffer commands = Record(1, [&](const CommandBuffer& c) {
    Dispatch dispatch = Dispatch().CountsFrom(2, 1, 0).Bind(Report());
    Check(c.Dispatch(grids_, "report_workgroup", dispatch), "dispatch");
  });
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Run(commands, {most + 1}));
  EXPECT_THAT(hal_last_error_message(), testing::AllOf(HasSubstr("report_workgroup"), HasSubstr(std::to_string(most))));
  EXPECT_OK(Run(commands, {1}));
}

// --- What is refused ---

TEST_F(NumbersTest, AnExecutionHasToBringThem) {
  const Buffer target = Zeros();
  const CommandBuffer commands = Record(4, [&](const CommandBuffer& c) {
    Check(c.Dispatch(kernels_, "add_constant", AddNumber(2, Zeros(), target)), "dispatch");
  });
  const Semaphore done = CreateSemaphore();
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, device().QueueExecute(kNoWaits, {{done, 1}}, commands));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("uses 12 of it"));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Run(commands, {1, 2}));
  hal_execute_params_t params = HAL_INIT(hal_execute_params_t);
  params.numbers_size = 16;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                hal_device_queue_execute_with(device(), hal::SubmitParams(kNoWaits, kNoSignals), commands, &params));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                hal_device_queue_execute_with(device(), hal::SubmitParams(kNoWaits, kNoSignals), commands, nullptr));
  params.struct_size = 0;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                hal_device_queue_execute_with(device(), hal::SubmitParams(kNoWaits, kNoSignals), commands, &params));
  EXPECT_OK(Run(commands, {1, 2, 3}));  // the rest of the block is not used
  EXPECT_THAT(Download<uint32_t>(target), Each(3u));
  EXPECT_EQ(done.Value(), 0u);
}

TEST_F(NumbersTest, ARecordingWithoutThemIgnoresABlock) {
  const Buffer target = Zeros();
  const CommandBuffer commands = Record(
      0, [&](const CommandBuffer& c) { Check(c.Dispatch(kernels_, "add_one", Dispatch().Bind(target)), "dispatch"); });
  EXPECT_OK(Run(commands, {1, 2}));
  EXPECT_THAT(Download<uint32_t>(target), Each(1u));
}

TEST_F(NumbersTest, TheSizeOfABlockHasALimit) {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.numbers_size = device().limits().max_numbers_size + 1;
  ASSERT_GT(params.numbers_size, 4096u);
  CommandBuffer commands;
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_command_buffer_create(device(), &params, commands.out()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("max_numbers_size"));
  --params.numbers_size;
  EXPECT_OK(hal_command_buffer_create(device(), &params, commands.out()));
}

TEST_F(NumbersTest, QueueOperationsHaveNone) {
  const Dispatch dispatch = AddNumber(0, Zeros(), Zeros());
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                hal_device_queue_dispatch(device(), hal::SubmitParams(kNoWaits, kNoSignals), kernels_,
                                          kernels_.Export("add_constant"), dispatch.params()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("command buffer"));
}

struct BadNumber {
  const char* name;
  hal_status_t status;
  hal_number_ref_t ref;
};
void PrintTo(const BadNumber& number, std::ostream* out) { *out << number.name; }

// Of a dispatch with 4 bytes of constants, in a recording with 16 bytes of numbers.
const BadNumber kBadNumbers[] = {
    {"UnknownKind", HAL_STATUS_INVALID_ARGUMENT, {static_cast<hal_number_kind_t>(2), 0, 0, 4}},
    {"NoBytes", HAL_STATUS_INVALID_ARGUMENT, {HAL_NUMBER_KIND_CONSTANTS, 0, 0, 0}},
    {"PastTheConstants", HAL_STATUS_OUT_OF_RANGE, {HAL_NUMBER_KIND_CONSTANTS, 1, 0, 4}},
    {"FarPastTheConstants", HAL_STATUS_OUT_OF_RANGE, {HAL_NUMBER_KIND_CONSTANTS, UINT32_MAX, 0, 4}},
    {"PastTheBlock", HAL_STATUS_OUT_OF_RANGE, {HAL_NUMBER_KIND_CONSTANTS, 0, 13, 4}},
    {"FarPastTheBlock", HAL_STATUS_OUT_OF_RANGE, {HAL_NUMBER_KIND_CONSTANTS, 0, UINT32_MAX, 4}},
    {"MoreThanZ", HAL_STATUS_OUT_OF_RANGE, {HAL_NUMBER_KIND_WORKGROUP_COUNT, 8, 0, 8}},
    {"BetweenCounts", HAL_STATUS_INVALID_ARGUMENT, {HAL_NUMBER_KIND_WORKGROUP_COUNT, 2, 0, 4}},
    {"HalfACount", HAL_STATUS_INVALID_ARGUMENT, {HAL_NUMBER_KIND_WORKGROUP_COUNT, 0, 0, 2}},
};

class BadNumberTest : public DeviceTestWith<BadNumber> {};

TEST_P(BadNumberTest, IsRefused) {
  const Executable kernels = LoadKernels("basic");
  const Buffer buffer = device().CreateBufferOf(std::vector<uint32_t>(kCells, 0));
  const hal_number_ref_t& ref = GetParam().ref;
  Dispatch dispatch;
  dispatch.Constant(uint32_t{1}).Bind(buffer).Bind(buffer);
  dispatch.NumberFrom(HAL_NUMBER_KIND_CONSTANTS, 0, 0, 4);
  dispatch.NumberFrom(ref.kind, ref.target_offset, ref.offset, ref.length);
  const CommandBuffer commands = device().CreateCommandBuffer(0, 0, 16);
  ASSERT_OK(commands.Begin());
  EXPECT_STATUS(GetParam().status, commands.Dispatch(kernels, "add_constant", dispatch));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("params->numbers[1]"));
  EXPECT_STATUS(GetParam().status, commands.End());
}

INSTANTIATE_TEST_SUITE_P(Refs, BadNumberTest, testing::ValuesIn(kBadNumbers), ByName);

TEST_F(NumbersTest, AnIndirectCountIsNone) {
  const Buffer counts = device().CreateBufferOf<uint32_t>({1, 1, 1});
  const CommandBuffer commands = device().CreateCommandBuffer(0, 0, 16);
  ASSERT_OK(commands.Begin());
  const Dispatch dispatch = Dispatch().Indirect(counts).CountsFrom(0, 1, 0).Bind(Zeros());
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, commands.Dispatch(kernels_, "add_one", dispatch));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("INDIRECT"));
}

}  // namespace
}  // namespace halyard::cts
