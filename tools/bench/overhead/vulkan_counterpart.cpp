// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "bench/comparison/turns.h"
#include "counterpart.h"
#include "vulkan_calls.h"

namespace halyard::tools {
namespace {

constexpr RecordedWork kEmpty = {.kernel = "empty", .threads = 1, .chained = false};
constexpr size_t kRing = 1024;  // recordings of a stream that may be under way

/// Recordings that are used in turn, each once the device is done with it. Once it is done with all of them, the first
/// ones serve again, which the processor's caches still hold.
class Ring {
 public:
  explicit Ring(const VulkanDevice& vk) : vk_(vk), timeline_(vk.MakeTimeline()) {
    for (Recording& recording : recordings_) recording.commands = std::make_unique<VulkanCommands>(vk);
  }
  ~Ring() { vk_.DestroySemaphore(vk_.handle(), timeline_, nullptr); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  VulkanCommands& Next() {
    if (vk_.Value(timeline_) == value_) next_ = 0;
    Recording& recording = recordings_[next_];
    next_ = (next_ + 1) % kRing;
    if (recording.value > 0) SpinForVulkan(vk_, timeline_, recording.value);
    recording.value = ++value_;
    return *recording.commands;
  }
  VkSemaphore timeline() const { return timeline_; }
  uint64_t value() const { return value_; }
  void Drain() const { SpinForVulkan(vk_, timeline_, value_); }
  /// For destructors.
  void AwaitEnd() const noexcept { AwaitVulkan(vk_, timeline_, value_); }

 private:
  struct Recording {
    std::unique_ptr<VulkanCommands> commands;
    uint64_t value = 0;  // of the timeline, once the device is done with it; 0 before the first use
  };

  const VulkanDevice& vk_;
  const VkSemaphore timeline_;  // counts the stream's submissions
  uint64_t value_ = 0;
  size_t next_ = 0;
  std::array<Recording, kRing> recordings_;
};

/// A stream is a queue with a timeline, which is the writer too: a submission signals its number. So each stream has
/// one thread at a time, unless it is guarded.
class VulkanCounterpart final : public Counterpart {
 public:
  explicit VulkanCounterpart(hal_device_t* device) : vk_(device), empty_(vk_, kEmpty) {
    for (std::unique_ptr<Stream>& stream : streams_) stream = std::make_unique<Stream>(vk_);
    buffer_ = vk_.MakeBuffer(kLargestBuffer);
    memory_ = vk_.MakeMemory(buffer_);
  }
  ~VulkanCounterpart() override {
    for (const std::unique_ptr<Stream>& stream : streams_) stream->ring.AwaitEnd();
    vk_.DestroyBuffer(vk_.handle(), buffer_, nullptr);
    vk_.FreeMemory(vk_.handle(), memory_, nullptr);
  }

  void Enter() override {}
  void Leave() override {}

  // One command buffer, as a program would make it that knows all of it.
  void LaunchMany(int count) override { Launch(0, count); }
  void LaunchAndWait(int count) override {
    Launch(0, count);
    streams_[0]->ring.Drain();
  }
  void Submit(size_t stream, size_t writer, int count) override {
    for (int i = 0; i < count; ++i) expected_[writer] = {stream, Launch(stream, 1)};
  }
  // The command buffers, recorded.
  void Prepare(int count) override {
    const std::lock_guard lock(streams_[0]->mutex);
    prepared_.clear();
    for (int i = 0; i < count; ++i) prepared_.push_back(Record(streams_[0]->ring, 1));
  }
  void SubmitPrepared(size_t writer) override {
    const std::lock_guard lock(streams_[0]->mutex);
    const VkSemaphore timeline = streams_[0]->ring.timeline();
    uint64_t value = streams_[0]->ring.value() - prepared_.size();
    for (VkCommandBuffer commands : prepared_) {
      SubmitVulkan(vk_, vk_.queue(0), commands, timeline, value, timeline, value + 1);
      ++value;
    }
    expected_[writer] = {0, value};
  }
  void SubmitEdge(size_t writer) override {
    const uint64_t before = Launch(0, 1);
    expected_[writer] = {1, Launch(1, 1, streams_[0]->ring.timeline(), before)};
  }
  void SubmitAndSleep() override {
    const uint64_t value = Launch(0, 1);
    SleepForVulkan(vk_, streams_[0]->ring.timeline(), value);
  }
  // The thread that launches is told before Spin() begins, so the number is known.
  void ExpectWrite(size_t writer) override { expected_[writer] = {0, streams_[0]->ring.value() + 1}; }
  void LaunchWithWrite(size_t) override { Launch(0, 1); }
  void Spin(size_t writer) const override {
    const Expected& expected = expected_[writer];
    SpinForVulkan(vk_, streams_[expected.stream]->ring.timeline(), expected.value);
  }
  // A program with an allocator of its own makes a buffer over memory that it has.
  void AllocateAndFree(uint64_t length, int count) override {
    for (int i = 0; i < count; ++i) {
      const VkBuffer buffer = vk_.MakeBuffer(length);
      MustVulkan(vk_.BindBufferMemory(vk_.handle(), buffer, memory_, 0), "vkBindBufferMemory");
      vk_.DestroyBuffer(vk_.handle(), buffer, nullptr);
    }
  }
  void MakeSignals(int count) override {
    for (int i = 0; i < count; ++i) vk_.DestroySemaphore(vk_.handle(), vk_.MakeTimeline(), nullptr);
  }
  // A program has to write its own staging: no call of Vulkan's does it.
  void Upload(const void*, uint64_t) override { FailWithoutTransfers(); }
  void Download(void*, uint64_t) override { FailWithoutTransfers(); }
  void Drain() override {
    for (const std::unique_ptr<Stream>& stream : streams_) stream->ring.Drain();
  }
  std::unique_ptr<CounterpartGraph> MakeGraph(const RecordedWork& work) override { return MakeVulkanGraph(vk_, work); }
  std::unique_ptr<CounterpartGraph> MakeTransfer(const RecordedTransfer& transfer) override {
    return MakeVulkanTransfer(vk_, transfer);
  }
  double KernelTime(const RecordedWork& work) override;

 private:
  static constexpr uint64_t kLargestBuffer = uint64_t{64} << 20;  // bytes

  struct Stream {
    explicit Stream(const VulkanDevice& vk) : ring(vk) {}
    std::mutex mutex;  // protects ring: writers may share a stream
    Ring ring;
  };
  struct Expected {
    size_t stream = 0;
    uint64_t value = 0;
  };

  [[noreturn]] static void FailWithoutTransfers() {
    Fail(ExitCode::kUsage, "Vulkan has no call that uploads or downloads any memory of the host");
  }

  VkCommandBuffer Record(Ring& ring, int dispatches) const {
    VulkanCommands& commands = ring.Next();
    commands.Record([&](VkCommandBuffer handle) {
      empty_.Bind(handle);
      for (int i = 0; i < dispatches; ++i) vk_.CmdDispatch(handle, 1, 1, 1);
    });
    return commands.handle();
  }

  // Behind what the stream did last, or behind a value of another timeline. Returns what its own one will have.
  uint64_t Launch(size_t index, int dispatches, VkSemaphore wait = VK_NULL_HANDLE, uint64_t after = 0) {
    Stream& stream = *streams_[index];
    const std::lock_guard lock(stream.mutex);
    const VkCommandBuffer commands = Record(stream.ring, dispatches);
    const uint64_t value = stream.ring.value();
    const VkSemaphore own = stream.ring.timeline();
    SubmitVulkan(vk_, vk_.queue(index), commands, wait ? wait : own, wait ? after : value - 1, own, value);
    return value;
  }

  VulkanDevice vk_;
  VulkanKernel empty_;
  std::array<std::unique_ptr<Stream>, kStreams> streams_;
  std::array<Expected, kWriters> expected_{};
  std::vector<VkCommandBuffer> prepared_;  // in the first stream's ring, the last of it
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
};

double VulkanCounterpart::KernelTime(const RecordedWork& work) {
  constexpr int kLaunches = 51;
  RecordedWork once = work;
  once.dispatches = 1;
  const std::unique_ptr<CounterpartGraph> graph = MakeVulkanGraph(vk_, once);
  std::vector<double> times(kLaunches);
  for (double& time : times) {
    time = bench::Time([&] {
      graph->Launch();
      graph->Wait();
    });
  }
  return bench::Median(times);
}

}  // namespace

std::unique_ptr<Counterpart> MakeVulkanCounterpart(hal_device_t* device) {
  return std::make_unique<VulkanCounterpart>(device);
}

}  // namespace halyard::tools
