// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device groups, and waits for semaphores of several devices.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "cts/cts.h"
#include "cts/devices/recorder.h"
#include "cts/random_dag.h"
#include "cts/transfers/strided_copies.h"

namespace halyard::cts {
namespace {

using testing::HasSubstr;

using Group = Handle<hal_device_group_t, hal_device_group_retain, hal_device_group_release>;

/// The device under test, the second one and two of the host: of up to three drivers.
class PeerGroupTest : public DeviceTest {
 protected:
  PeerGroupTest() {
    devices_.push_back(OpenDevice(options().device));
    devices_.push_back(OpenSecondDevice());
    devices_.push_back(OpenDevice("local://task?threads=2"));
    devices_.push_back(OpenDevice("local://sync"));
    for (const Device& device : devices_) pointers_.push_back(device.get());
  }
  Group Create() const {
    Group group;
    EXPECT_OK(hal_device_group_create(pointers_.size(), pointers_.data(), group.out()));
    return group;
  }

  std::vector<Device> devices_;
  std::vector<hal_device_t*> pointers_;
};

TEST_F(PeerGroupTest, KnowsItsDevicesAndWhatConnectsThem) {
  Group group = Create();
  ASSERT_EQ(hal_device_group_count(group), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(hal_device_group_device(group, i), pointers_[i]);
    for (size_t j = 0; j < 4; ++j) {
      hal_peer_properties_t asked = HAL_INIT(hal_peer_properties_t);
      ASSERT_OK(hal_device_query_peer(pointers_[i], pointers_[j], &asked));
      const hal_peer_properties_t* const known = hal_device_group_peer(group, i, j);
      ASSERT_NE(known, nullptr);
      EXPECT_EQ(known->struct_size, sizeof(*known));
      EXPECT_EQ(known->relation, asked.relation);
      EXPECT_EQ(known->copy_route, asked.copy_route);
      EXPECT_EQ(known->share, asked.share);
      if (i == j) EXPECT_EQ(known->share, HAL_PEER_SHARE_ALL);
    }
  }
  EXPECT_EQ(hal_device_group_device(group, 4), nullptr);
  EXPECT_EQ(hal_device_group_peer(group, 0, 4), nullptr);
  EXPECT_EQ(hal_device_group_peer(group, 4, 0), nullptr);
  EXPECT_EQ(hal_device_group_count(nullptr), 0u);
  EXPECT_EQ(hal_device_group_device(nullptr, 0), nullptr);
  EXPECT_OK(hal_object_set_label(group, hal_string_view("both")));
  // It keeps them.
  devices_.clear();
  EXPECT_NE(hal_device_info(hal_device_group_device(group, 1)), nullptr);
}

TEST_F(PeerGroupTest, IsRefusedWithoutGoodDevices) {
  Group group;
  const auto create = [&](const std::vector<hal_device_t*>& devices) {
    return hal_device_group_create(devices.size(), devices.data(), group.out());
  };
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, create({}));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_device_group_create(2, nullptr, group.out()));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_device_group_create(1, pointers_.data(), nullptr));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, create({pointers_[0], nullptr}));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("devices[1]"));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, create({pointers_[0], pointers_[1], pointers_[0]}));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("devices[2]"));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, create(std::vector<hal_device_t*>(HAL_DEVICE_GROUP_MAX + 1, pointers_[0])));
  EXPECT_EQ(group.get(), nullptr);
}

// One operation of each device, each after the one before.
TEST_F(PeerGroupTest, TracesAllDevicesOnOneClock) {
  const Group group = Create();
  Recorder recorder;
  const hal_profiling_sink_t sink = recorder.sink();
  ASSERT_OK(hal_device_group_profiling_begin(group, HAL_PROFILING_QUEUE_OPERATIONS, &sink));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION,
                hal_device_group_profiling_begin(group, HAL_PROFILING_QUEUE_OPERATIONS, &sink));
  std::vector<Semaphore> ends;
  std::vector<Buffer> buffers;
  Points waits = kNoWaits;
  for (const Device& device : devices_) {
    buffers.push_back(device.CreateBuffer(1 << 16));
    ends.push_back(device.CreateSemaphore());
    ASSERT_OK(device.QueueFill(waits, {{ends.back(), 1}}, buffers.back(), uint32_t{1}));
    waits = {{ends.back(), 1}};
  }
  ASSERT_OK(ends.back().Wait(1));
  const std::vector<Record> records = recorder.WaitFor(4);
  ASSERT_OK(hal_device_group_profiling_end(group));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_device_group_profiling_end(group));
  uint64_t before = 0;
  for (hal_device_t* const device : pointers_) {
    const auto found =
        std::ranges::find_if(records, [&](const Record& record) { return record.fields.device == device; });
    ASSERT_NE(found, records.end());
    EXPECT_EQ(found->name, "fill");
    // Clocks of devices are compared with the host's, to less than a millisecond.
    EXPECT_GE(found->fields.end_time + 1'000'000, before);
    before = found->fields.end_time;
  }
}

TEST_F(PeerGroupTest, BeginsAllSessionsOrNone) {
  const Group group = Create();
  Recorder recorder;
  const hal_profiling_sink_t sink = recorder.sink();
  ASSERT_OK(hal_device_profiling_begin(devices_[2], HAL_PROFILING_QUEUE_OPERATIONS, &sink));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION,
                hal_device_group_profiling_begin(group, HAL_PROFILING_QUEUE_OPERATIONS, &sink));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("device[2]"));
  ASSERT_OK(hal_device_profiling_end(devices_[2]));
  for (const Device& device : devices_) {
    EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_device_profiling_end(device));
  }
  ASSERT_OK(hal_device_group_profiling_begin(group, HAL_PROFILING_QUEUE_OPERATIONS, &sink));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_device_group_profiling_begin(nullptr, 1, &sink));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_device_group_profiling_end(nullptr));
  // The last reference ends the session.
}

TEST_F(PeerGroupTest, OneWaitTakesPointsOfAllDevices) {
  std::vector<Semaphore> ends;
  std::vector<Buffer> buffers;
  const Semaphore go = devices_[1].CreateSemaphore();
  for (const Device& device : devices_) {
    buffers.push_back(device.CreateBuffer(64));
    ends.push_back(device.CreateSemaphore());
    ASSERT_OK(device.QueueFill({{go, 1}}, {{ends.back(), 1}}, buffers.back(), uint32_t{1}));
  }
  const Semaphore never = devices_[0].CreateSemaphore();
  const Points all = {{ends[0], 1}, {ends[1], 1}, {ends[2], 1}, {ends[3], 1}};
  const Points some = {{never, 1}, {ends[3], 1}, {ends[1], 1}};
  const auto wait = [](const Points& points, hal_wait_flags_t flags, uint64_t timeout, size_t* index) {
    return hal_semaphore_list_wait(points, flags, timeout, index);
  };
  size_t index = 99;
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, wait(all, 0, 0, nullptr));
  ASSERT_OK(go.Signal(1));
  EXPECT_OK(wait(all, 0, HAL_TIMEOUT_INFINITE, nullptr));
  EXPECT_OK(wait(some, HAL_WAIT_ANY, HAL_TIMEOUT_INFINITE, &index));
  EXPECT_TRUE(index == 1 || index == 2) << index;
  ASSERT_OK(never.Fail(HAL_STATUS_DATA_LOSS, "one of them"));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, wait(some, 0, HAL_TIMEOUT_INFINITE, nullptr));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("one of them"));
}

/// How the bytes of an input get to the operation that reads them.
enum class Way { kQueue, kRows, kRecorded };

// A random graph of more than 1,000 operations over four devices. Each node has a buffer on one of them: its own
// number, and the numbers of its inputs, which copies take from their buffers. Every seed gives the same graph again.
class PeerDagTest : public PeerGroupTest, public testing::WithParamInterface<DagOrder> {
 protected:
  hal_status_t CopyWord(Way way, const Device& by, const Points& waits, const Points& signals, const Ref& source,
                        const Ref& target) {
    const hal_buffer_ref_t from = source;
    const hal_buffer_ref_t to = target;
    if (way == Way::kQueue) return by.QueueCopy(waits, signals, source, target);
    if (way == Way::kRows) {
      hal_strided_copy_params_t params = HAL_STRIDED_COPY_PARAMS_INIT;
      params.source = source;
      params.target = target;
      params.width = 2;
      params.height = 2;
      return hal_device_queue_copy_strided(by, hal::SubmitParams(waits, signals, HAL_QUEUE_ANY), &params);
    }
    const CommandBuffer commands = by.Record([&](const CommandBuffer& c) {
      Check(c.Copy(hal_buffer_ref(from.buffer, from.offset, 2), hal_buffer_ref(to.buffer, to.offset, 2)), "copy");
      Check(c.Copy(hal_buffer_ref(from.buffer, from.offset + 2, 2), hal_buffer_ref(to.buffer, to.offset + 2, 2)),
            "copy");
    });
    return by.QueueExecute(waits, signals, commands);
  }
};

TEST_P(PeerDagTest, FindsWhatItsInputsWrote) {
  constexpr size_t kNodes = 300;
  SeededRandom random;
  const RandomDag dag(random, kNodes, 8);
  std::vector<Semaphore> timelines;
  for (size_t i = 0; i < dag.ends().size(); ++i) timelines.push_back(devices_[i % 4].CreateSemaphore());
  std::vector<size_t> homes;
  std::vector<Buffer> buffers;
  std::vector<Semaphore> steps;
  for (const DagNode& node : dag.nodes()) {
    homes.push_back(random.Below(devices_.size()));
    steps.push_back(devices_[homes.back()].CreateSemaphore());
    buffers.push_back(devices_[homes.back()].CreateBufferOf(std::vector<uint32_t>(node.inputs.size() + 1, 0)));
  }
  size_t operations = 0;
  for (const size_t i : dag.Submissions(random, GetParam())) {
    const DagNode& node = dag.nodes()[i];
    const Device& home = devices_[homes[i]];
    uint64_t step = 1;
    ASSERT_OK(home.QueueFill(RandomDag::Resolve(node.waits, timelines), {{steps[i], step}}, Ref(buffers[i], 0, 4),
                             static_cast<uint32_t>(i + 1)));
    for (size_t k = 0; k < node.inputs.size(); ++k, ++step) {
      const size_t input = node.inputs[k];
      const Device& by = random.OneIn(2) ? home : devices_[homes[input]];
      ASSERT_OK(CopyWord(static_cast<Way>(random.Below(3)), by, {{steps[i], step}}, {{steps[i], step + 1}},
                         Ref(buffers[input], 0, 4), Ref(buffers[i], 4 * (k + 1), 4)));
    }
    ASSERT_OK(home.QueueBarrier({{steps[i], step}}, RandomDag::Resolve({node.signal}, timelines)));
    operations += node.inputs.size() + 2;
  }
  EXPECT_GE(operations, 1000u);
  Points ends;
  for (size_t i = 0; i < timelines.size(); ++i) ends.Add(timelines[i], dag.ends()[i]);
  ASSERT_OK(hal_semaphore_list_wait(ends, 0, HAL_TIMEOUT_INFINITE, nullptr));
  for (size_t i = 0; i < kNodes; ++i) {
    std::vector<uint32_t> expected = {static_cast<uint32_t>(i + 1)};
    for (const size_t input : dag.nodes()[i].inputs) expected.push_back(static_cast<uint32_t>(input + 1));
    ASSERT_EQ(devices_[homes[i]].Download<uint32_t>(buffers[i]), expected) << "node " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, PeerDagTest, testing::Values(DagOrder::kForward, DagOrder::kShuffled));

}  // namespace
}  // namespace halyard::cts
