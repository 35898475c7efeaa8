// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order inside a command buffer: what barriers promise, in every place where one can stand, between every two kinds of
// command that touch the same memory.
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"

namespace halyard::cts {
namespace {

/// Large enough that two commands which overlap are seen to.
constexpr size_t kWords = 16 * 1024;
constexpr uint64_t kLength = kWords * sizeof(uint32_t);

Dispatch AddConstant(uint32_t constant, const Ref& source, const Ref& target, uint32_t words = kWords) {
  return Dispatch().Workgroups(words / 64).Constant(constant).Bind(source).Bind(target);
}

/// Four buffers of kWords words, kernels, and the means to run a command buffer.
class CommandOrderTest : public DeviceTest {
 protected:
  void Run(const CommandBuffer& commands) const {
    const Semaphore done = CreateSemaphore();
    Check(device().QueueExecute(kNoWaits, {{done, 1}}, commands), "hal_device_queue_execute");
    Check(done.Wait(1), "execute");
  }
  void RunRecording(const std::function<void(const CommandBuffer&)>& commands,
                    hal_command_buffer_flags_t flags = 0) const {
    Run(device().Record(commands, flags));
  }
  void ExpectWords(const Buffer& buffer, uint32_t value) const {
    EXPECT_TRUE(SameElements(Download<uint32_t>(buffer), std::vector<uint32_t>(kWords, value)));
  }

  const Executable kernels_ = LoadKernels("basic");
  const Buffer a_ = device().CreateBufferOf(std::vector<uint32_t>(kWords, 1));
  const Buffer b_ = device().CreateBufferOf(std::vector<uint32_t>(kWords, 2));
  const Buffer c_ = device().CreateBufferOf(std::vector<uint32_t>(kWords, 3));
};

// --- Where barriers stand ---

void OneBarrier(const CommandBuffer& c) { Check(c.Barrier(), "barrier"); }
void ThreeBarriers(const CommandBuffer& c) {
  for (int i = 0; i < 3; ++i) OneBarrier(c);
}
void BarrierInTwoParts(const CommandBuffer& c) {
  Check(c.Barrier(), "barrier");
  Check(c.Barrier(), "barrier");
}
void BarrierInADebugGroup(const CommandBuffer& c) {
  Check(c.BeginDebugGroup("barrier"), "begin_debug_group");
  OneBarrier(c);
  Check(c.EndDebugGroup(), "end_debug_group");
}
void BarriersAroundAnEmptyGroup(const CommandBuffer& c) {
  OneBarrier(c);
  Check(c.BeginDebugGroup("empty"), "begin_debug_group");
  Check(c.EndDebugGroup(), "end_debug_group");
  OneBarrier(c);
}
void NoBarrier(const CommandBuffer&) {}

/// What stands before the first command, between any two, and after the last.
struct Placement {
  const char* name;
  void (*leading)(const CommandBuffer&);
  void (*between)(const CommandBuffer&);
  void (*trailing)(const CommandBuffer&);
};
void PrintTo(const Placement& placement, std::ostream* out) { *out << placement.name; }

class BarrierPlacementTest : public CommandOrderTest, public testing::WithParamInterface<Placement> {
 protected:
  /// Records `commands` with barriers where the parameter puts them.
  void RecordWithBarriers(const CommandBuffer& c, const std::vector<std::function<hal_status_t()>>& commands) const {
    GetParam().leading(c);
    for (size_t i = 0; i < commands.size(); ++i) {
      if (i > 0) GetParam().between(c);
      Check(commands[i](), "a command");
    }
    GetParam().trailing(c);
  }
};

// Every command reads what the one before wrote.
TEST_P(BarrierPlacementTest, ChainIsInOrder) {
  RunRecording([&](const CommandBuffer& c) {
    RecordWithBarriers(c, {
                              [&] { return c.Fill(a_, uint32_t{10}); },
                              [&] { return c.Dispatch(kernels_, "add_constant", AddConstant(5, a_, b_)); },
                              [&] { return c.Copy(b_, c_); },
                              [&] { return c.Dispatch(kernels_, "add_constant", AddConstant(7, c_, a_)); },
                              [&] { return c.Copy(a_, b_); },
                          });
  });
  ExpectWords(b_, 22);
  ExpectWords(c_, 15);
}

TEST_P(BarrierPlacementTest, RecordingsFollowOneAnother) {
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    RecordWithBarriers(c, {
                              [&] { return c.Dispatch(kernels_, "add_constant", AddConstant(1, a_, b_)); },
                              [&] { return c.Copy(b_, a_); },
                          });
  });
  for (int i = 0; i < 5; ++i) Run(commands);
  ExpectWords(a_, 6);
}

// Between two barriers there are many commands, and each of them reads what all before it wrote.
TEST_P(BarrierPlacementTest, WideStepsAreInOrder) {
  constexpr uint32_t kParts = 32;
  constexpr uint64_t kPart = kLength / kParts;
  const auto part = [&](const Buffer& buffer, uint32_t i) { return Ref(buffer, i % kParts * kPart, kPart); };
  RunRecording([&](const CommandBuffer& c) {
    GetParam().leading(c);
    for (uint32_t i = 0; i < kParts; ++i) Check(c.Fill(part(a_, i), uint32_t{10}), "fill");
    GetParam().between(c);
    for (uint32_t i = 0; i < kParts; ++i) Check(c.Copy(part(a_, i), part(b_, i + 1)), "copy");
    GetParam().between(c);
    for (uint32_t i = 0; i < kParts; ++i) {
      Check(c.Dispatch(kernels_, "add_constant", AddConstant(i, part(b_, i), part(c_, i + 3), kWords / kParts)),
            "dispatch");
    }
    GetParam().trailing(c);
  });
  const std::vector<uint32_t> words = Download<uint32_t>(c_);
  for (uint32_t i = 0; i < kParts; ++i) EXPECT_EQ(words[(i + 3) % kParts * (kWords / kParts)], 10 + i);
}

const Placement kPlacements[] = {
    {"Between", NoBarrier, OneBarrier, NoBarrier},
    {"Leading", OneBarrier, OneBarrier, NoBarrier},
    {"Trailing", NoBarrier, OneBarrier, OneBarrier},
    {"Everywhere", OneBarrier, OneBarrier, OneBarrier},
    {"ThreeInARow", NoBarrier, ThreeBarriers, NoBarrier},
    {"ThreeInARowEverywhere", ThreeBarriers, ThreeBarriers, ThreeBarriers},
    {"InTwoParts", NoBarrier, BarrierInTwoParts, NoBarrier},
    {"InADebugGroup", NoBarrier, BarrierInADebugGroup, BarrierInADebugGroup},
    {"AroundAnEmptyGroup", NoBarrier, BarriersAroundAnEmptyGroup, NoBarrier},
};
INSTANTIATE_TEST_SUITE_P(Placements, BarrierPlacementTest, testing::ValuesIn(kPlacements), ByName);

TEST_F(CommandOrderTest, NothingButBarriers) {
  RunRecording([](const CommandBuffer& c) {
    for (int i = 0; i < 10; ++i) OneBarrier(c);
  });
  ExpectWords(a_, 1);
}

// Between these commands nothing depends on anything: they are right in any order, also at the same time.
TEST_F(CommandOrderTest, IndependentCommandsNeedNoBarriers) {
  constexpr uint32_t kParts = 64;
  constexpr uint64_t kPart = kLength / kParts;
  const std::vector<uint32_t> data = Counting(kPart / 4);
  RunRecording([&](const CommandBuffer& c) {
    for (uint32_t i = 0; i < kParts; ++i) {
      const Ref target(b_, i * kPart, kPart);
      switch (i % 4) {
        case 0:
          Check(c.Fill(target, i), "fill");
          break;
        case 1:
          Check(c.Update(data.data(), target), "update");
          break;
        case 2:
          Check(c.Copy(Ref(a_, i * kPart, kPart), target), "copy");
          break;
        default:
          Check(c.Dispatch(kernels_, "add_constant", AddConstant(i, Ref(c_, 0, kPart), target, kWords / kParts)),
                "dispatch");
      }
    }
  });
  for (uint32_t i = 0; i < kParts; ++i) {
    const std::vector<uint32_t> part = Download<uint32_t>(b_, i * kPart, kPart / 4);
    const std::vector<uint32_t> expected[] = {std::vector<uint32_t>(part.size(), i), data,
                                              std::vector<uint32_t>(part.size(), 1),
                                              std::vector<uint32_t>(part.size(), 3 + i)};
    EXPECT_TRUE(SameElements(part, expected[i % 4])) << "part " << i;
  }
}

// --- Every two kinds of command ---

/// A command that writes all of `target`, some from what is in `source`.
struct Writer {
  const char* name;
  bool reads;
  /// Records it and says what each word of the target is then, if each word of the source is `source_value`.
  uint32_t (*record)(const CommandBuffer& c, const Executable& kernels, const Buffer& source, uint32_t source_value,
                     const Buffer& target, uint32_t fresh);
};
void PrintTo(const Writer& writer, std::ostream* out) { *out << writer.name; }

const Writer kWriters[] = {
    {"Fill", false,
     [](const CommandBuffer& c, const Executable&, const Buffer&, uint32_t, const Buffer& target, uint32_t fresh) {
       Check(c.Fill(target, fresh), "fill");
       return fresh;
     }},
    {"Update", false,
     [](const CommandBuffer& c, const Executable&, const Buffer&, uint32_t, const Buffer& target, uint32_t fresh) {
       const std::vector<uint32_t> data(kWords, fresh);
       Check(c.Update(data.data(), Ref(target, 0, kLength)), "update");
       return fresh;
     }},
    {"Copy", true,
     [](const CommandBuffer& c, const Executable&, const Buffer& source, uint32_t source_value, const Buffer& target,
        uint32_t) {
       Check(c.Copy(source, target), "copy");
       return source_value;
     }},
    {"Dispatch", true,
     [](const CommandBuffer& c, const Executable& kernels, const Buffer& source, uint32_t source_value,
        const Buffer& target, uint32_t fresh) {
       Check(c.Dispatch(kernels, "add_constant", AddConstant(fresh, source, target)), "dispatch");
       return source_value + fresh;
     }},
};
std::vector<Writer> Readers() {
  std::vector<Writer> readers;
  for (const Writer& writer : kWriters) {
    if (writer.reads) readers.push_back(writer);
  }
  return readers;
}

static_assert(kLength <= HAL_UPDATE_MAX_LENGTH);

/// How commands are ordered: what stands between them in what kind of recording.
struct Ordering {
  void (*between)(const CommandBuffer&);
  hal_command_buffer_flags_t flags;
};
constexpr Ordering kByBarriers = {OneBarrier, 0};
constexpr Ordering kByHazards = {NoBarrier, HAL_COMMAND_BUFFER_TRACK_HAZARDS};

class CommandHazardTest : public CommandOrderTest, public testing::WithParamInterface<std::tuple<Writer, Writer>> {
 protected:
  static constexpr int kRounds = 4;
  const Writer& first() const { return std::get<0>(GetParam()); }
  const Writer& second() const { return std::get<1>(GetParam()); }
};

class ReadAfterWriteTest : public CommandHazardTest {
 protected:
  void Try(const Ordering& ordering) const {
    uint32_t expected = 3;
    const auto record = [&](const CommandBuffer& c) {
      for (uint32_t round = 0; round < kRounds; ++round) {
        const uint32_t middle = first().record(c, kernels_, c_, expected, a_, 100 + round);
        ordering.between(c);
        expected = second().record(c, kernels_, a_, middle, c_, 10);
        ordering.between(c);
      }
    };
    RunRecording(record, ordering.flags);
    ExpectWords(c_, expected);
  }
};

TEST_P(ReadAfterWriteTest, ReadsWhatWasWritten) { Try(kByBarriers); }
TEST_P(ReadAfterWriteTest, IsTrackedWithoutABarrier) { Try(kByHazards); }

INSTANTIATE_TEST_SUITE_P(Commands, ReadAfterWriteTest,
                         testing::Combine(testing::ValuesIn(kWriters), testing::ValuesIn(Readers())), ByParts);

class WriteAfterReadTest : public CommandHazardTest {
 protected:
  void Try(const Ordering& ordering) const {
    uint32_t before = 1;
    uint32_t expected = 0;
    const auto record = [&](const CommandBuffer& c) {
      for (uint32_t round = 0; round < kRounds; ++round) {
        expected = first().record(c, kernels_, a_, before, c_, 10);
        ordering.between(c);
        before = second().record(c, kernels_, b_, 2, a_, 100 + round);
        if (round + 1 < kRounds) ordering.between(c);
      }
    };
    RunRecording(record, ordering.flags);
    ExpectWords(c_, expected);
    ExpectWords(a_, before);
  }
};

TEST_P(WriteAfterReadTest, ReadsWhatWasThereBefore) { Try(kByBarriers); }
TEST_P(WriteAfterReadTest, IsTrackedWithoutABarrier) { Try(kByHazards); }

INSTANTIATE_TEST_SUITE_P(Commands, WriteAfterReadTest,
                         testing::Combine(testing::ValuesIn(Readers()), testing::ValuesIn(kWriters)), ByParts);

class WriteAfterWriteTest : public CommandHazardTest {
 protected:
  void Try(const Ordering& ordering) const {
    uint32_t expected = 0;
    const auto record = [&](const CommandBuffer& c) {
      for (uint32_t round = 0; round < kRounds; ++round) {
        first().record(c, kernels_, b_, 2, a_, 200 + round);
        ordering.between(c);
        expected = second().record(c, kernels_, c_, 3, a_, 100 + round);
        ordering.between(c);
      }
    };
    RunRecording(record, ordering.flags);
    ExpectWords(a_, expected);
  }
};

TEST_P(WriteAfterWriteTest, LaterOneStays) { Try(kByBarriers); }
TEST_P(WriteAfterWriteTest, IsTrackedWithoutABarrier) { Try(kByHazards); }

INSTANTIATE_TEST_SUITE_P(Commands, WriteAfterWriteTest,
                         testing::Combine(testing::ValuesIn(kWriters), testing::ValuesIn(kWriters)), ByParts);

// A count that is read by an indirect dispatch is read after the barrier.
class IndirectHazardTest : public CommandOrderTest, public testing::WithParamInterface<Writer> {
 protected:
  void Try(const Ordering& ordering) const {
    const Executable kernels = LoadKernels("dispatch");
    const Buffer cells = device().CreateBufferOf(std::vector<uint32_t>(64, 0));
    const auto record = [&](const CommandBuffer& c) {
      const uint32_t each = GetParam().record(c, kernels_, a_, 1, b_, 2);
      ASSERT_LE(each, 4u);
      ordering.between(c);
      const Dispatch visits = Dispatch().Indirect(Ref(b_, 100, 12)).Constant(uint32_t{64}).Bind(cells);
      Check(c.Dispatch(kernels, "count_visits", visits), "dispatch");
    };
    RunRecording(record, ordering.flags);
    const uint32_t each = Download<uint32_t>(b_, 0, 1).front();
    std::vector<uint32_t> expected(64, 0);
    std::fill_n(expected.begin(), each * each * each, 1);
    EXPECT_TRUE(SameElements(Download<uint32_t>(cells), expected));
  }
};

TEST_P(IndirectHazardTest, CountIsReadAfterTheBarrier) { Try(kByBarriers); }
TEST_P(IndirectHazardTest, CountIsTrackedWithoutABarrier) { Try(kByHazards); }

INSTANTIATE_TEST_SUITE_P(Commands, IndirectHazardTest, testing::ValuesIn(kWriters), ByName);

// --- Against a model ---

class RandomRecordingTest : public CommandOrderTest, public testing::WithParamInterface<Number> {};

// Random commands on the parts of a few buffers, each after a barrier or several, compared with the same done in host
// memory; the command buffer is executed twice.
TEST_P(RandomRecordingTest, AgreesWithTheModel) {
  constexpr size_t kParts = 8;
  constexpr size_t kPart = kWords / kParts;
  SeededRandom random;
  std::vector<uint32_t> model(kParts);
  for (uint32_t i = 0; i < kParts; ++i) model[i] = i;
  std::vector<std::function<void()>> steps;
  const auto part = [&](size_t i) { return Ref(a_, i * kPart * 4, kPart * 4); };
  for (size_t i = 0; i < kParts; ++i) Upload(a_, std::vector<uint32_t>(kPart, model[i]), i * kPart * 4);

  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    for (uint64_t step = 0; step < GetParam(); ++step) {
      const uint64_t from = random.Below(kParts);
      const uint64_t to = (from + random.Between(1, kParts - 1)) % kParts;
      const auto value = static_cast<uint32_t>(random.Below(1000));
      if (random.OneIn(2)) {
        Check(c.Dispatch(kernels_, "add_constant", AddConstant(value, part(from), part(to), kPart)), "dispatch");
        steps.push_back([&model, from, to, value] { model[to] = model[from] + value; });
      } else if (random.OneIn(2)) {
        Check(c.Copy(part(from), part(to)), "copy");
        steps.push_back([&model, from, to] { model[to] = model[from]; });
      } else {
        Check(c.Fill(part(to), value), "fill");
        steps.push_back([&model, to, value] { model[to] = value; });
      }
      for (uint64_t barriers = random.Between(1, 3); barriers > 0; --barriers) OneBarrier(c);
    }
  });
  for (int execution = 0; execution < 2; ++execution) {
    Run(commands);
    for (const std::function<void()>& step : steps) step();
  }
  const std::vector<uint32_t> words = Download<uint32_t>(a_);
  for (size_t i = 0; i < kWords; ++i) ASSERT_EQ(words[i], model[i / kPart]) << "word " << i;
}

INSTANTIATE_TEST_SUITE_P(Steps, RandomRecordingTest, Numbers("Steps", {10, 30, 31, 100, 300}), ByNameOf);

}  // namespace
}  // namespace halyard::cts
