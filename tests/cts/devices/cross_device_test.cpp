// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several devices at once: semaphores of any device are waited for and signalled by queues of any other.
#include <functional>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/queue_operations.h"
#include "cts/random_dag.h"

namespace halyard::cts {
namespace {

using testing::HasSubstr;

/// What holds for every kind of operation with semaphores of another device.
class ForeignSemaphoreTest : public DeviceTestWith<OperationKind> {
 protected:
  hal_status_t Submit(const Points& waits, const Points& signals) const {
    return operation_.submit(HAL_QUEUE_ANY, waits, signals);
  }

  Device other_ = OpenSecondDevice();
  Operation operation_ = GetParam().make(device());
};

TEST_P(ForeignSemaphoreTest, IsWaitedFor) {
  const Semaphore foreign = other_.CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Submit({{foreign, 1}}, {{done, 1}}));
  EXPECT_EQ(done.Value(), 0u);
  ASSERT_OK(other_.QueueBarrier(kNoWaits, {{foreign, 1}}));
  EXPECT_OK(done.Wait(1));
}

TEST_P(ForeignSemaphoreTest, IsSignalled) {
  const Semaphore foreign = other_.CreateSemaphore(2);
  const Semaphore go = CreateSemaphore();
  const Semaphore done = other_.CreateSemaphore();
  ASSERT_OK(other_.QueueBarrier({{foreign, 3}}, {{done, 1}}));
  ASSERT_OK(Submit({{go, 1}}, {{foreign, 3}}));
  EXPECT_EQ(foreign.Value(), 2u);
  ASSERT_OK(go.Signal(1));
  EXPECT_OK(done.Wait(1));
}

TEST_P(ForeignSemaphoreTest, FailureComesAcross) {
  const Semaphore foreign = other_.CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Submit({{foreign, 1}}, {{done, 1}}));
  ASSERT_OK(other_.QueueHostCall(kNoWaits, {{foreign, 1}}, [](hal_status_t) {
    hal_set_error_message(hal_string_view("over there"));
    return HAL_STATUS_DATA_LOSS;
  }));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("over there"));
}

TEST_P(ForeignSemaphoreTest, FailureReachesTheOtherDevice) {
  const Semaphore bad = CreateSemaphore();
  const Semaphore foreign = other_.CreateSemaphore();
  ASSERT_OK(Submit({{bad, 1}}, {{foreign, 1}}));
  ASSERT_OK(bad.Fail(HAL_STATUS_ABORTED, "over here"));
  EXPECT_STATUS(HAL_STATUS_ABORTED, foreign.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("over here"));
}

TEST_P(ForeignSemaphoreTest, DestructionCancels) {
  Semaphore foreign = other_.CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Submit({{foreign, 1}}, {{done, 1}}));
  foreign.reset();
  EXPECT_STATUS(HAL_STATUS_CANCELLED, done.Wait(1));
}

TEST_P(ForeignSemaphoreTest, OutlivesTheCallersReferenceToItsDevice) {
  const Semaphore foreign = other_.CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  other_.reset();
  ASSERT_OK(Submit({{foreign, 1}}, {{done, 1}}));
  ASSERT_OK(foreign.Signal(1));
  EXPECT_OK(done.Wait(1));
}

INSTANTIATE_TEST_SUITE_P(Operations, ForeignSemaphoreTest, testing::ValuesIn(OperationKinds()), ByName);

/// Which device there is other than the one under test.
struct Companion {
  const char* name;
  bool same_uri;
};
void PrintTo(const Companion& companion, std::ostream* out) { *out << companion.name; }

class CrossDeviceTest : public DeviceTestWith<Companion> {
 protected:
  Device other_ = GetParam().same_uri ? OpenDevice(options().device) : OpenSecondDevice();
};

TEST_P(CrossDeviceTest, BothWork) {
  for (const Device& each : {device(), other_}) {
    const Buffer buffer = each.CreateBuffer(128);
    const Semaphore done = each.CreateSemaphore();
    ASSERT_OK(each.QueueFill(kNoWaits, {{done, 1}}, buffer, uint32_t{3}));
    ASSERT_OK(done.Wait(1));
    EXPECT_THAT(each.Download<uint32_t>(buffer), testing::Each(3u));
  }
}

TEST_P(CrossDeviceTest, PingPong) {
  constexpr uint64_t kRounds = 500;
  const Semaphore here = CreateSemaphore();
  const Semaphore there = other_.CreateSemaphore();
  for (uint64_t i = 1; i <= kRounds; ++i) {
    ASSERT_OK(other_.QueueBarrier({{here, i}}, {{there, i}}));
    ASSERT_OK(Barrier({{there, i}}, {{here, i + 1}}));
  }
  ASSERT_OK(here.Signal(1));
  EXPECT_OK(here.Wait(kRounds + 1));
  EXPECT_EQ(there.Value(), kRounds);
}

TEST_P(CrossDeviceTest, OneTimelineSignalledByBoth) {
  constexpr uint64_t kRounds = 200;
  const Semaphore timeline = CreateSemaphore();
  for (uint64_t i = kRounds; i-- > 0;) {
    const Device& producer = i % 2 ? device() : other_;
    ASSERT_OK(producer.QueueBarrier({{timeline, i + 1}}, {{timeline, i + 2}}));
  }
  ASSERT_OK(timeline.Signal(1));
  EXPECT_OK(timeline.Wait(kRounds + 1));
}

TEST_P(CrossDeviceTest, ListsMixDevices) {
  const Semaphore inputs[] = {CreateSemaphore(), other_.CreateSemaphore()};
  const Semaphore outputs[] = {CreateSemaphore(), other_.CreateSemaphore()};
  ASSERT_OK(Barrier({{inputs[0], 1}, {inputs[1], 1}}, {{outputs[0], 1}, {outputs[1], 1}}));
  ASSERT_OK(inputs[1].Signal(1));
  EXPECT_EQ(outputs[0].Value(), 0u);
  ASSERT_OK(inputs[0].Signal(1));
  EXPECT_OK(outputs[0].Wait(1));
  EXPECT_OK(outputs[1].Wait(1));
}

TEST_P(CrossDeviceTest, FailureCrossesTwice) {
  const Semaphore here = CreateSemaphore();
  const Semaphore there = other_.CreateSemaphore();
  const Semaphore back = CreateSemaphore();
  const Semaphore unrelated = other_.CreateSemaphore();
  ASSERT_OK(other_.QueueBarrier({{here, 1}}, {{there, 1}}));
  ASSERT_OK(Barrier({{there, 1}}, {{back, 1}}));
  ASSERT_OK(other_.QueueBarrier(kNoWaits, {{unrelated, 1}}));
  ASSERT_OK(here.Fail(HAL_STATUS_UNAVAILABLE, "round trip"));
  EXPECT_STATUS(HAL_STATUS_UNAVAILABLE, back.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("round trip"));
  EXPECT_OK(unrelated.Wait(1));
}

TEST_P(CrossDeviceTest, RandomGraphOverBoth) {
  // Given a random graph whose timelines and operations are dealt out to both devices.
  SeededRandom random;
  const RandomDag dag(random, 1000, 10);
  const Device devices[] = {device(), other_};
  std::vector<Semaphore> semaphores;
  for (size_t i = 0; i < dag.ends().size(); ++i) semaphores.push_back(devices[i % 2].CreateSemaphore());
  std::vector<uint32_t> cells(dag.nodes().size());
  // When it is submitted in a random order.
  for (const size_t i : dag.Submissions(random, DagOrder::kShuffled)) {
    const DagNode& node = dag.nodes()[i];
    ASSERT_OK(devices[random.Below(2)].QueueHostCall(RandomDag::Resolve(node.waits, semaphores),
                                                     RandomDag::Resolve({node.signal}, semaphores),
                                                     [&cells, &node, i](hal_status_t status) {
                                                       cells[i] = static_cast<uint32_t>(i);
                                                       for (const size_t input : node.inputs) {
                                                         cells[i] = Mix(cells[i], cells[input], 7);
                                                       }
                                                       return status;
                                                     }));
  }
  for (size_t i = 0; i < semaphores.size(); ++i) ASSERT_OK(semaphores[i].Wait(dag.ends()[i]));
  ExpectAllCallbacksCalled();
  // Then every operation found its inputs ready.
  std::vector<uint32_t> model(dag.nodes().size());
  for (size_t i = 0; i < model.size(); ++i) {
    model[i] = static_cast<uint32_t>(i);
    for (const size_t input : dag.nodes()[i].inputs) model[i] = Mix(model[i], model[input], 7);
  }
  EXPECT_EQ(cells, model);
}

TEST_P(CrossDeviceTest, ClosingOneLeavesTheOther) {
  const Semaphore pending = other_.CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(other_.QueueBarrier({{done, 1}}, {{pending, 1}}));
  other_.reset();  // its pending work keeps it until that is done
  ASSERT_OK(Barrier(kNoWaits, {{done, 1}}));
  EXPECT_OK(pending.Wait(1));
}

INSTANTIATE_TEST_SUITE_P(Companions, CrossDeviceTest,
                         testing::Values(Companion{"SameUri", true}, Companion{"OtherDevice", false}), ByName);

}  // namespace
}  // namespace halyard::cts
