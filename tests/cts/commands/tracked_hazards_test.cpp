// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recordings that order themselves: random commands without barriers do what they do one after the other, whatever
// memory the slots of an execution stand for.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"

namespace halyard::cts {
namespace {

constexpr size_t kUnits = 8;  // of a memory
constexpr size_t kUnitWords = 1024;
constexpr uint64_t kUnitBytes = kUnitWords * sizeof(uint32_t);
constexpr uint32_t kSlots = 3;

/// The memory that a step names: slots, and buffers behind them.
enum Name : uint32_t { kSlot0, kSlot1, kSlot2, kDirect, kSubspan, kNames };
/// Which of the four memories each name stands for, in one execution. A subspan is of the direct one.
using Meaning = std::vector<size_t>;

/// Some units of some memory.
struct Place {
  uint32_t name = 0;
  size_t unit = 0;
  size_t count = 1;
};

/// Words of a memory are equal within a unit.
using Model = std::vector<std::vector<uint32_t>>;
using Step = std::function<void(Model&, const Meaning&)>;

class TrackedRecordingTest : public DeviceTest, public testing::WithParamInterface<Number> {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    for (uint32_t i = 0; i < 4; ++i) {
      memories_.push_back(device().CreateBufferOf(std::vector<uint32_t>(kUnits * kUnitWords, i)));
      model_.emplace_back(kUnits, i);
    }
    Check(hal_buffer_subspan(memories_[3], 0, kUnits * kUnitBytes, subspan_.out()), "hal_buffer_subspan");
  }

  Ref At(const Place& place) const {
    const uint64_t offset = place.unit * kUnitBytes;
    const uint64_t length = place.count * kUnitBytes;
    if (place.name < kSlots) return Slot(place.name, offset, length);
    return Ref(place.name == kDirect ? memories_[3] : subspan_, offset, length);
  }
  // A command's own ranges never overlap: one is in the lower half, the other in the upper one.
  void RecordStep(const CommandBuffer& c) {
    const size_t half = kUnits / 2;
    const size_t count = random_.Between(1, half);
    Place to = {static_cast<uint32_t>(random_.Below(kNames)), random_.Below(half - count + 1), count};
    Place from = {static_cast<uint32_t>(random_.Below(kNames)), half + random_.Below(half - count + 1), count};
    if (random_.OneIn(2)) std::swap(to.unit, from.unit);
    const size_t words = count * kUnitWords;
    const auto value = static_cast<uint32_t>(random_.Below(1000));
    switch (random_.Below(5)) {
      case 0:
        Check(c.Fill(At(to), value), "fill");
        return Set(to, value);
      case 1:
        Check(c.Update(std::vector<uint32_t>(words, value).data(), At(to)), "update");
        return Set(to, value);
      case 2:
        Check(c.Copy(At(from), At(to)), "copy");
        return Add(from, to, 0);
      case 3:
        RecordHalves(c, from, to);
        return Add(from, to, 0);
      default: {
        const Dispatch dispatch =
            Dispatch().Workgroups(static_cast<uint32_t>(words / 64)).Constant(value).Bind(At(from)).Bind(At(to));
        Check(c.Dispatch(kernels_, "add_constant", dispatch), "dispatch");
        return Add(from, to, value);
      }
    }
  }

  /// Copies bytes as two rows.
  void RecordHalves(const CommandBuffer& c, const Place& from, const Place& to) const {
    hal_strided_copy_params_t params = HAL_STRIDED_COPY_PARAMS_INIT;
    params.source = At(from);
    params.target = At(to);
    params.width = from.count * kUnitBytes / 2;
    params.height = 2;
    Check(hal_command_buffer_copy_strided(c, &params), "copy_strided");
  }

  void Set(const Place& to, uint32_t value) {
    steps_.push_back([=](Model& model, const Meaning& meaning) {
      for (size_t i = 0; i < to.count; ++i) model[meaning[to.name]][to.unit + i] = value;
    });
  }
  void Add(const Place& from, const Place& to, uint32_t value) {
    steps_.push_back([=](Model& model, const Meaning& meaning) {
      for (size_t i = 0; i < to.count; ++i) {
        model[meaning[to.name]][to.unit + i] = model[meaning[from.name]][from.unit + i] + value;
      }
    });
  }

  CommandBuffer RecordSteps(hal_command_buffer_flags_t flags) {
    const auto record = [&](const CommandBuffer& c) {
      for (uint64_t step = 0; step < GetParam(); ++step) {
        RecordStep(c);
        if (random_.OneIn(40)) Check(c.Barrier(), "barrier");
      }
    };
    return device().Record(record, HAL_COMMAND_BUFFER_TRACK_HAZARDS | flags, kSlots);
  }

  void Execute(const CommandBuffer& commands, const Meaning& slots) {
    std::vector<Ref> table;
    for (const size_t memory : slots) table.push_back(Ref(memories_[memory]));
    const Semaphore done = CreateSemaphore();
    Check(device().QueueExecute(kNoWaits, {{done, 1}}, commands, table), "hal_device_queue_execute");
    Check(done.Wait(1), "execute");
    Meaning meaning = slots;
    meaning.insert(meaning.end(), {3, 3});
    for (const Step& step : steps_) step(model_, meaning);
    for (size_t memory = 0; memory < memories_.size(); ++memory) ExpectModel(memory);
  }
  void ExpectModel(size_t memory) const {
    std::vector<uint32_t> expected;
    for (const uint32_t value : model_[memory]) expected.insert(expected.end(), kUnitWords, value);
    EXPECT_TRUE(SameElements(Download<uint32_t>(memories_[memory]), expected)) << "memory " << memory;
  }

  SeededRandom random_;
  const Executable kernels_ = LoadKernels("basic");
  std::vector<Buffer> memories_;
  Buffer subspan_;
  Model model_;
  std::vector<Step> steps_;
};

TEST_P(TrackedRecordingTest, AgreesWithTheModel) {
  const CommandBuffer commands = RecordSteps(0);
  for (const Meaning& slots : {Meaning{0, 1, 2}, Meaning{2, 0, 1}, Meaning{0, 1, 2}}) Execute(commands, slots);
}

TEST_P(TrackedRecordingTest, SlotsMayBeTheSameMemory) {
  const CommandBuffer commands = RecordSteps(0);
  for (const Meaning& slots : {Meaning{0, 0, 2}, Meaning{0, 1, 2}, Meaning{1, 2, 3}, Meaning{3, 3, 3}}) {
    Execute(commands, slots);
  }
}

TEST_P(TrackedRecordingTest, OneShotsAreTrackedToo) {
  for (const Meaning& slots : {Meaning{0, 1, 2}, Meaning{1, 1, 3}}) {
    steps_.clear();
    Execute(RecordSteps(HAL_COMMAND_BUFFER_ONE_SHOT), slots);
  }
}

TEST_P(TrackedRecordingTest, UnvalidatedOnesAreTrackedToo) {
  Execute(RecordSteps(HAL_COMMAND_BUFFER_UNVALIDATED), {1, 0, 2});
}

INSTANTIATE_TEST_SUITE_P(Steps, TrackedRecordingTest, Numbers("Steps", {1, 10, 31, 150}), ByNameOf);

}  // namespace
}  // namespace halyard::cts
