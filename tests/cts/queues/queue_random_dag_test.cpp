// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random graphs of operations over several queues, timelines and threads, checked against a model. Each operation has a
// cell of its own that it computes from the cells of its predecessors; a cell that was computed too early is wrong.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/random_dag.h"

namespace halyard::cts {
namespace {

using testing::HasSubstr;

struct DagCase {
  const char* name;
  size_t operations;
  size_t timelines;
  DagOrder order;
  size_t threads = 1;
  bool deferred = false;  ///< everything is submitted before anything may run
};
void PrintTo(const DagCase& dag, std::ostream* out) { *out << dag.name; }

const DagCase kDagCases[] = {
    {"HundredForward", 100, 4, DagOrder::kForward},
    {"HundredBackward", 100, 4, DagOrder::kBackward},
    {"HundredShuffled", 100, 4, DagOrder::kShuffled},
    {"ThousandForward", 1000, 8, DagOrder::kForward},
    {"ThousandBackward", 1000, 8, DagOrder::kBackward},
    {"ThousandShuffled", 1000, 8, DagOrder::kShuffled},
    {"ThousandDeferred", 1000, 8, DagOrder::kShuffled, 1, true},
    {"ThousandFromFourThreads", 1000, 8, DagOrder::kShuffled, 4},
    {"ThousandFromFourThreadsDeferred", 1000, 8, DagOrder::kShuffled, 4, true},
    {"ThousandOnOneTimeline", 1000, 1, DagOrder::kShuffled},
    {"ThousandOnManyTimelines", 1000, 200, DagOrder::kShuffled},
    {"TwentyThousandSlow", 20'000, 32, DagOrder::kShuffled, 4, true},
};

class RandomDagTest : public DeviceTestWith<DagCase> {
 protected:
  RandomDagTest() : dag_(random_, GetParam().operations, GetParam().timelines) {
    for (size_t i = 0; i < GetParam().timelines; ++i) semaphores_.push_back(CreateSemaphore());
  }

  /// Submits every operation with `submit(number, waits, signals)`, then waits for all timelines.
  void Run(const std::function<hal_status_t(size_t, const Points&, const Points&)>& submit) {
    const Semaphore start = CreateSemaphore(GetParam().deferred ? 0 : 1);
    const std::vector<size_t> submissions = dag_.Submissions(random_, GetParam().order);
    OnThreads(GetParam().threads, [&](size_t thread) {
      for (size_t i = thread; i < submissions.size(); i += GetParam().threads) {
        const DagNode& node = dag_.nodes()[submissions[i]];
        Points waits = RandomDag::Resolve(node.waits, semaphores_);
        if (node.waits.empty()) waits.Add(start, 1);
        ASSERT_OK(submit(submissions[i], waits, RandomDag::Resolve({node.signal}, semaphores_)));
      }
    });
    if (GetParam().deferred) {
      ASSERT_OK(start.Signal(1));
    }
    for (size_t i = 0; i < semaphores_.size(); ++i) {
      ASSERT_OK(semaphores_[i].Wait(dag_.ends()[i]));
      EXPECT_EQ(semaphores_[i].Value(), dag_.ends()[i]);
    }
  }

  SeededRandom random_;
  RandomDag dag_;
  std::vector<Semaphore> semaphores_;
};

TEST_P(RandomDagTest, HostCallsFindTheirInputs) {
  std::vector<uint32_t> cells(dag_.nodes().size(), 0xDEAD);
  std::vector<uint32_t> model(dag_.nodes().size());
  Run([&](size_t i, const Points& waits, const Points& signals) {
    return device().QueueHostCall(
        waits, signals,
        [&, i](hal_status_t status) {
          uint32_t cell = static_cast<uint32_t>(i);
          for (const size_t input : dag_.nodes()[i].inputs) cell = Mix(cell, cells[input], 7);
          cells[i] = cell;  // no lock: the semaphores alone order these accesses
          return status;
        },
        device().Queue(i));
  });
  ExpectAllCallbacksCalled();
  for (size_t i = 0; i < model.size(); ++i) {
    model[i] = static_cast<uint32_t>(i);
    for (const size_t input : dag_.nodes()[i].inputs) model[i] = Mix(model[i], model[input], 7);
  }
  EXPECT_EQ(cells, model);
}

/// Operations of the device on cells of one buffer, and the same on the host as a model.
class DeviceCells {
 public:
  /// Cells are this far apart, for devices that align bindings.
  static constexpr uint64_t kStride = 256;
  static constexpr uint32_t kUntouched = 0xDEAD;

  DeviceCells(const Device& device, const std::vector<DagNode>& nodes, SeededRandom& random)
      : device_(device), nodes_(nodes), kernels_(device.LoadKernels("basic")) {
    for (size_t i = 0; i < nodes.size(); ++i) kinds_.push_back(random.Below(kKinds));
    // One more cell, for operations that have no input.
    words_.assign((nodes.size() + 1) * kStride / sizeof(uint32_t), kUntouched);
    buffer_ = device.CreateBufferOf(words_);
  }

  hal_status_t Submit(size_t i, const Points& waits, const Points& signals) const {
    const Ref cell = CellOf(i);
    const Ref first = CellOf(FirstInput(i));
    const Ref second = CellOf(SecondInput(i));
    const uint32_t number = static_cast<uint32_t>(i);
    const hal_queue_mask_t queue = device_.Queue(i * 7);
    switch (kinds_[i]) {
      case kFill:
        return device_.QueueFill(waits, signals, cell, number, queue);
      case kUpdate:
        return device_.QueueUpdate(waits, signals, &number, cell, queue);
      case kCopy:
        return device_.QueueCopy(waits, signals, first, cell, queue);
      case kDispatch:
        return device_.QueueDispatch(waits, signals, kernels_, "mix_cells", MixDispatch(i), queue);
      case kExecute: {
        const CommandBuffer commands = device_.Record(
            [&](const CommandBuffer& c) {
              Check(c.Copy(second, cell), "copy");
              Check(c.Barrier(), "barrier");
              Check(c.Dispatch(kernels_, "add_one", Dispatch().WorkItems(1).Bind(cell)), "dispatch");
            },
            HAL_COMMAND_BUFFER_ONE_SHOT);
        return device_.QueueExecute(waits, signals, commands, {}, queue);
      }
      case kHostCall:
        return device_.QueueHostCall(
            waits, signals, [](hal_status_t status) { return status; }, queue);
      default:
        return device_.QueueBarrier(waits, signals, queue);
    }
  }

  /// Does in the model what operation `i` does.
  void Model(size_t i) {
    const uint32_t first = words_[WordOf(FirstInput(i))];
    const uint32_t second = words_[WordOf(SecondInput(i))];
    uint32_t& cell = words_[WordOf(i)];
    if (kinds_[i] == kFill || kinds_[i] == kUpdate) cell = static_cast<uint32_t>(i);
    if (kinds_[i] == kCopy) cell = first;
    if (kinds_[i] == kDispatch) cell = Mix(static_cast<uint32_t>(i), first, second);
    if (kinds_[i] == kExecute) cell = second + 1;
  }

  void ExpectAsModelled() const {
    const std::vector<uint32_t> actual = device_.Download<uint32_t>(buffer_);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      ASSERT_EQ(actual[WordOf(i)], words_[WordOf(i)]) << "operation " << i << " of kind " << kinds_[i];
    }
  }

 private:
  enum Kind : uint64_t { kFill, kUpdate, kCopy, kDispatch, kExecute, kHostCall, kBarrier, kKinds };

  size_t FirstInput(size_t i) const { return nodes_[i].inputs.empty() ? nodes_.size() : nodes_[i].inputs.front(); }
  size_t SecondInput(size_t i) const { return nodes_[i].inputs.empty() ? nodes_.size() : nodes_[i].inputs.back(); }
  static size_t WordOf(size_t i) { return i * kStride / sizeof(uint32_t); }
  Ref CellOf(size_t i) const { return Ref(buffer_, i * kStride, sizeof(uint32_t)); }
  Dispatch MixDispatch(size_t i) const {
    return Dispatch()
        .Workgroups(1)
        .Constant(static_cast<uint32_t>(i))
        .Bind(CellOf(FirstInput(i)))
        .Bind(CellOf(SecondInput(i)))
        .Bind(CellOf(i));
  }

  const Device& device_;
  const std::vector<DagNode>& nodes_;
  Executable kernels_;
  Buffer buffer_;
  std::vector<uint64_t> kinds_;
  std::vector<uint32_t> words_;  ///< the model
};

TEST_P(RandomDagTest, DeviceOperationsFindTheirInputs) {
  DeviceCells cells(device(), dag_.nodes(), random_);
  Run([&](size_t i, const Points& waits, const Points& signals) { return cells.Submit(i, waits, signals); });
  for (size_t i = 0; i < dag_.nodes().size(); ++i) cells.Model(i);
  cells.ExpectAsModelled();
}

INSTANTIATE_TEST_SUITE_P(Graphs, RandomDagTest, testing::ValuesIn(kDagCases), ByName);

/// Graphs in which one operation fails. What depends on it fails with it, everything else runs.
class RandomDagFailureTest : public DeviceTestWith<uint64_t> {};

TEST_P(RandomDagFailureTest, FailureTravelsAlongEdgesAndOnlyThere) {
  // Given a graph with a semaphore for each operation, and one operation that will fail.
  constexpr size_t kOperations = 200;
  SeededRandom random;
  for (uint64_t round = 0; round < GetParam(); ++round) random.engine()();
  std::vector<std::vector<size_t>> inputs(kOperations);
  for (size_t i = 1; i < kOperations; ++i) {
    for (uint64_t count = random.Below(3); count > 0; --count) inputs[i].push_back(random.Below(i));
  }
  const size_t culprit = random.Below(kOperations / 4);
  std::vector<bool> fails(kOperations);
  for (size_t i = 0; i < kOperations; ++i) {
    fails[i] = i == culprit;
    for (const size_t input : inputs[i]) fails[i] = fails[i] || fails[input];
  }

  // When it runs.
  std::vector<Semaphore> done;
  for (size_t i = 0; i < kOperations; ++i) done.push_back(CreateSemaphore());
  std::vector<size_t> order(kOperations);
  for (size_t i = 0; i < kOperations; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random.engine());
  for (const size_t i : order) {
    Points waits;
    for (const size_t input : inputs[i]) waits.Add(done[input], 1);
    if (i == culprit || i % 2 == 0) {
      ASSERT_OK(device().QueueHostCall(
          waits, {{done[i], 1}},
          [&, i](hal_status_t status) {
            EXPECT_EQ(status != HAL_STATUS_OK, fails[i] && i != culprit) << "operation " << i;
            if (i != culprit || status != HAL_STATUS_OK) return status;
            hal_set_error_message(hal_string_view("the culprit"));
            return HAL_STATUS_DATA_LOSS;
          },
          device().Queue(i)));
    } else {
      ASSERT_OK(device().QueueBarrier(waits, {{done[i], 1}}, device().Queue(i)));
    }
  }

  // Then exactly its descendants have failed, with its status and message.
  for (size_t i = 0; i < kOperations; ++i) {
    EXPECT_STATUS(fails[i] ? HAL_STATUS_DATA_LOSS : HAL_STATUS_OK, done[i].Wait(1)) << "operation " << i;
    if (fails[i]) {
      EXPECT_THAT(hal_last_error_message(), HasSubstr("the culprit"));
    }
  }
  ExpectAllCallbacksCalled();
}

INSTANTIATE_TEST_SUITE_P(Rounds, RandomDagFailureTest, testing::Range<uint64_t>(0, 8), ByNumber);

}  // namespace
}  // namespace halyard::cts
