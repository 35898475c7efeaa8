// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random command buffers against a model that runs their commands one after the other. Barriers and events stand only
// where two commands touch the same bytes, so that encoders may overlap and change places wherever the model lets them.
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include "metal_test.h"

namespace halyard::metal {
namespace {

using cts::Buffer;
using cts::Check;
using cts::CommandBuffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::Ref;
using cts::SeededRandom;
using cts::Semaphore;

constexpr size_t kBuffers = 4;
constexpr uint64_t kBufferSize = 256 << 10;  // bytes of a buffer
constexpr uint64_t kLargeSize = 64 << 10;    // bytes: from here on the driver likes blits
constexpr uint64_t kWorkgroup = 256;         // bytes that a workgroup of the kernels works on
constexpr uint32_t kRecordings = 2;
constexpr uint32_t kCommands = 1'000;  // of each

/// A range of one of the buffers.
struct Range {
  size_t buffer = 0;
  uint64_t offset = 0;
  uint64_t length = 0;
};

/// Which commands touched which bytes, and whether a command may follow them now.
class Accesses {
 public:
  /// The number of commands that must be over before one may read or write a range; 0 for none.
  uint32_t Needed(const Range& range, bool writes) const {
    uint32_t needed = 0;
    for (uint64_t i = range.offset; i < range.offset + range.length; ++i) {
      needed = std::max(needed, written_[range.buffer][i]);
      if (writes) needed = std::max(needed, read_[range.buffer][i]);
    }
    return needed;
  }
  /// Command number `command`, counted from 1, touches a range.
  void Add(uint32_t command, const Range& range, bool writes) {
    auto& list = writes ? written_ : read_;
    const auto begin = list[range.buffer].begin() + static_cast<ptrdiff_t>(range.offset);
    std::fill_n(begin, range.length, command);
  }

 private:
  using Last = std::array<std::vector<uint32_t>, kBuffers>;  // the last command that touched a byte
  static Last None() {
    Last last;
    last.fill(std::vector<uint32_t>(kBufferSize));
    return last;
  }

  Last written_ = None();
  Last read_ = None();
};

/// What the buffers hold after the commands, had they run in order.
using Model = std::array<std::vector<uint8_t>, kBuffers>;
using Change = std::function<void(Model&)>;

/// Records commands at random, and what they do.
class Recorder {
 public:
  Recorder(const Device& device, const Executable& kernels, const std::vector<Buffer>& buffers, SeededRandom& random)
      : kernels_(kernels), buffers_(buffers), random_(random) {
    for (cts::Event& event : events_) event = device.CreateEvent();
  }

  void Record(const CommandBuffer& recording, uint32_t commands) {
    recording_ = &recording;
    over_ = commands_;  // semaphores order what went before
    signalled_.fill(0);
    for (uint32_t i = 0; i < commands; ++i) AddCommand();
  }
  const std::vector<Change>& changes() const { return changes_; }

 private:
  void AddCommand() {
    switch (random_.Below(8)) {
      case 0:
      case 1:
        return AddFill();
      case 2:
      case 3:
        return AddCopy();
      case 4:
        return AddUpdate();
      default:
        return AddDispatch();
    }
  }

  void AddFill() {
    const uint64_t size = uint64_t{1} << random_.Below(3);
    const Range target = RandomRange(size, HAL_WHOLE_SIZE);
    const auto pattern = static_cast<uint32_t>(random_.Between(1, UINT32_MAX) * (random_.OneIn(2) ? 1 : 0x01010101));
    Order(target);
    Check(hal_command_buffer_fill(*recording_, ToRef(target), &pattern, size), "fill");
    Did([=](Model& model) {
      for (uint64_t i = 0; i < target.length; ++i) {
        At(model, target)[i] = static_cast<uint8_t>(pattern >> (i % size * 8));
      }
    });
  }

  void AddCopy() {
    const Range source = RandomRange(1, HAL_WHOLE_SIZE);
    Range target = {(source.buffer + 1 + random_.Below(kBuffers - 1)) % kBuffers, 0, source.length};
    target.offset = random_.Below(kBufferSize - target.length + 1);
    if (random_.OneIn(2)) target.offset = target.offset / 4 * 4;
    Order(target, {source});
    Check(recording_->Copy(ToRef(source), ToRef(target)), "copy");
    Did([=](Model& model) { std::memcpy(At(model, target), At(model, source), target.length); });
  }

  void AddUpdate() {
    const Range target = RandomRange(1, 4096);
    const std::vector<uint8_t> data = random_.Bytes(target.length);
    Order(target);
    Check(recording_->Update(data.data(), ToRef(target)), "update");
    Did([=](Model& model) { std::memcpy(At(model, target), data.data(), data.size()); });
  }

  void AddDispatch() {
    Range source = RandomRange(kWorkgroup, 16 * kWorkgroup);
    Range target = {(source.buffer + 1 + random_.Below(kBuffers - 1)) % kBuffers, 0, source.length};
    target.offset = random_.Below((kBufferSize - target.length) / kWorkgroup + 1) * kWorkgroup;
    const auto value = static_cast<uint32_t>(random_.Below(UINT32_MAX));
    Order(target, {source});
    Dispatch dispatch;
    dispatch.Workgroups(static_cast<uint32_t>(target.length / kWorkgroup)).Constant(value);
    dispatch.Bind(ToRef(source)).Bind(ToRef(target));
    Check(recording_->Dispatch(kernels_, "add_constant", dispatch), "add_constant");
    Did([=](Model& model) {
      for (uint64_t i = 0; i < target.length; i += sizeof(uint32_t)) {
        uint32_t word = 0;
        std::memcpy(&word, At(model, source) + i, sizeof(word));
        word += value;
        std::memcpy(At(model, target) + i, &word, sizeof(word));
      }
    });
  }

  /// Mostly short; offset and length are multiples of `unit`.
  Range RandomRange(uint64_t unit, uint64_t longest) {
    longest = std::min(longest, random_.OneIn(20) ? 2 * kLargeSize : uint64_t{2048});
    Range range;
    range.buffer = random_.Below(kBuffers);
    range.length = random_.Between(1, longest / unit) * unit;
    range.offset = random_.Below((kBufferSize - range.length) / unit + 1) * unit;
    if (random_.OneIn(2)) {
      range.offset = range.offset / 4 * 4;
      range.length = std::max<uint64_t>(range.length / 4 * 4, unit);
    }
    return range;
  }

  /// The buffer itself or its slot of the binding table.
  Ref ToRef(const Range& range) {
    if (random_.OneIn(4)) return cts::Slot(static_cast<uint32_t>(range.buffer), range.offset, range.length);
    return Ref(buffers_[range.buffer], range.offset, range.length);
  }
  static uint8_t* At(Model& model, const Range& range) { return model[range.buffer].data() + range.offset; }

  /// Makes the next command wait for those that touched its bytes, by an event if there is one, else by a barrier.
  void Order(const Range& target, const std::vector<Range>& sources = {}) {
    uint32_t needed = accesses_.Needed(target, true);
    for (const Range& source : sources) needed = std::max(needed, accesses_.Needed(source, false));
    if (needed > over_) WaitFor(needed);
    accesses_.Add(commands_ + 1, target, true);
    for (const Range& source : sources) accesses_.Add(commands_ + 1, source, false);
  }

  void WaitFor(uint32_t needed) {
    for (size_t i = 0; i < events_.size(); ++i) {
      if (signalled_[i] < needed) continue;
      Check(recording_->WaitEvents({events_[i].get()}), "wait_events");
      over_ = std::max(over_, signalled_[i]);
      return;
    }
    Check(recording_->Barrier(), "barrier");
    over_ = commands_;
  }

  void Did(Change change) {
    changes_.push_back(std::move(change));
    ++commands_;
    if (!random_.OneIn(5)) return;
    const size_t event = random_.Below(events_.size());
    if (signalled_[event] != 0) return;
    Check(recording_->SignalEvent(events_[event]), "signal_event");
    signalled_[event] = commands_;
  }

  const Executable& kernels_;
  const std::vector<Buffer>& buffers_;
  SeededRandom& random_;
  const CommandBuffer* recording_ = nullptr;
  Accesses accesses_;
  std::vector<Change> changes_;
  uint32_t commands_ = 0;
  uint32_t over_ = 0;  // so many commands are over when the next one begins
  std::array<cts::Event, 24> events_;
  std::array<uint32_t, 24> signalled_{};  // in this recording, behind so many commands; 0 if not
};

class RandomRecordingTest : public MetalTest, public testing::WithParamInterface<const char*> {
 protected:
  RandomRecordingTest() {
    for (std::vector<uint8_t>& bytes : model_) {
      bytes = random_.Bytes(kBufferSize);
      buffers_.push_back(device_.CreateBufferOf(bytes));
    }
  }

  /// Executes recordings one after the other, on the device's queues in turn.
  void Execute(const std::vector<CommandBuffer>& recordings) {
    const std::vector<Ref> table(buffers_.begin(), buffers_.end());
    for (size_t i = 0; i < recordings.size(); ++i, ++step_) {
      ASSERT_OK(
          device_.QueueExecute({{timeline_, step_}}, {{timeline_, step_ + 1}}, recordings[i], table, device_.Queue(i)));
    }
  }
  void ExpectModel() const {
    for (size_t i = 0; i < kBuffers; ++i) {
      const std::vector<uint8_t> bytes = device_.Download<uint8_t>(buffers_[i]);
      const auto different = std::mismatch(bytes.begin(), bytes.end(), model_[i].begin());
      EXPECT_EQ(different.first - bytes.begin(), ptrdiff_t{kBufferSize}) << "in buffer " << i;
    }
  }

  const Device device_ = Open(GetParam());
  const Executable kernels_ = device_.LoadKernels("basic");
  const Semaphore timeline_ = device_.CreateSemaphore();
  SeededRandom random_;
  std::vector<Buffer> buffers_;
  Model model_;
  uint64_t step_ = 0;
};

TEST_P(RandomRecordingTest, DoesWhatItsCommandsDoInOrder) {
  Recorder recorder(device_, kernels_, buffers_, random_);
  std::vector<CommandBuffer> recordings;
  for (uint32_t i = 0; i < kRecordings; ++i) {
    recordings.push_back(
        device_.Record([&](const CommandBuffer& recording) { recorder.Record(recording, kCommands); }, 0, kBuffers));
  }
  for (int round = 0; round < 2; ++round) {
    Execute(recordings);
    for (const Change& change : recorder.changes()) change(model_);
  }
  ASSERT_OK(timeline_.Wait(step_));
  ExpectModel();
}

INSTANTIATE_TEST_SUITE_P(Metal, RandomRecordingTest,
                         testing::Values("", "dispatch=serial", "transfers=blit", "transfers=kernel",
                                         "arguments=encoder", "residency=use", "queues=4"),
                         ByParameters);

}  // namespace
}  // namespace halyard::metal
