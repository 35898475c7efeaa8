// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What collective operations compute and move: every kind, reduction and element type, on 1 to 8 ranks.
#include <algorithm>
#include <numeric>
#include <ostream>
#include <vector>

#include "cts/collectives/team.h"
#include "cts/cts.h"

namespace halyard::cts {
namespace {

constexpr hal_collective_kind_t kKinds[] = {
    HAL_COLLECTIVE_ALL_REDUCE, HAL_COLLECTIVE_REDUCE,     HAL_COLLECTIVE_REDUCE_SCATTER,
    HAL_COLLECTIVE_BROADCAST,  HAL_COLLECTIVE_ALL_GATHER, HAL_COLLECTIVE_GATHER,
    HAL_COLLECTIVE_SCATTER,    HAL_COLLECTIVE_ALL_TO_ALL, HAL_COLLECTIVE_PERMUTE,
};
constexpr hal_reduction_t kReductions[] = {HAL_REDUCTION_SUM, HAL_REDUCTION_PRODUCT, HAL_REDUCTION_MIN,
                                           HAL_REDUCTION_MAX, HAL_REDUCTION_AVERAGE, HAL_REDUCTION_SCALED_SUM};

/// A permutation, in which some ranks may send to none.
std::vector<uint32_t> RandomPermutation(uint32_t count, SeededRandom& random) {
  std::vector<uint32_t> send_to(count);
  std::iota(send_to.begin(), send_to.end(), 0);
  std::shuffle(send_to.begin(), send_to.end(), random.engine());
  for (uint32_t& rank : send_to) {
    if (random.OneIn(6)) rank = HAL_RANK_NONE;
  }
  return send_to;
}

/// Which device every second rank is of.
struct Companions {
  const char* name;
  bool mixed;
};
void PrintTo(const Companions& companions, std::ostream* out) { *out << companions.name; }

class CollectiveTest : public DeviceTestWith<Companions> {
 protected:
  Team MakeTeam(size_t count) const { return Team(MixedDevices(device(), other_, count)); }
  /// A case of a kind, with what else it needs.
  CollectiveCase CaseOf(hal_collective_kind_t kind, uint32_t ranks, uint64_t count, bool in_place) {
    CollectiveCase made;
    made.kind = kind;
    made.element = ElementModels()[0];
    made.count = count;
    made.root = static_cast<uint32_t>(random_.Below(ranks));
    made.in_place = in_place;
    if (kind == HAL_COLLECTIVE_PERMUTE) made.send_to = RandomPermutation(ranks, random_);
    return made;
  }

  SeededRandom random_;
  Device other_ = GetParam().mixed ? OpenSecondDevice() : device();
};

TEST_P(CollectiveTest, EveryKindOnOneToEightRanks) {
  for (uint32_t ranks = 1; ranks <= 8; ++ranks) {
    const Team team = MakeTeam(ranks);
    for (const hal_collective_kind_t kind : kKinds) {
      team.ExpectRuns(CaseOf(kind, ranks, 37, random_.OneIn(2)), random_);
      if (HasFailure()) return;
    }
  }
}

TEST_P(CollectiveTest, EveryReductionOfEveryType) {
  const Team team = MakeTeam(3);
  for (const ElementModel& element : ElementModels()) {
    for (const hal_reduction_t reduction : kReductions) {
      if (reduction == HAL_REDUCTION_SCALED_SUM && !element.is_float()) continue;
      CollectiveCase given = CaseOf(HAL_COLLECTIVE_ALL_REDUCE, 3, 133, random_.OneIn(2));
      given.element = element;
      given.reduction = reduction;
      given.offset = random_.Below(5);
      team.ExpectRuns(given, random_);
      if (HasFailure()) return;
    }
  }
}

// Several pieces of each transfer, several slots, and a last piece that is shorter.
TEST_P(CollectiveTest, EveryKindOfMuch) {
  const Team team = MakeTeam(3);
  for (const hal_collective_kind_t kind : kKinds) {
    CollectiveCase given = CaseOf(kind, 3, 33'001, random_.OneIn(2));
    given.element = ElementModels()[3];  // f64, so that few elements are several pieces
    given.reduction = HAL_REDUCTION_MAX;
    given.offset = 3;
    team.ExpectRuns(given, random_);
    if (HasFailure()) return;
  }
}

TEST_P(CollectiveTest, OfNothing) {
  const Team team = MakeTeam(2);
  for (const hal_collective_kind_t kind : kKinds) team.ExpectRuns(CaseOf(kind, 2, 0, false), random_);
}

TEST_P(CollectiveTest, RandomOperations) {
  constexpr size_t kOperations = 50;
  std::vector<Team> teams;
  for (const size_t ranks : {2, 4, 7}) teams.push_back(MakeTeam(ranks));
  for (size_t i = 0; i < kOperations && !HasFailure(); ++i) {
    const Team& team = teams[random_.Below(teams.size())];
    CollectiveCase given = CaseOf(kKinds[random_.Below(std::size(kKinds))], team.size(),
                                  random_.Below(random_.OneIn(20) ? 5'000 : 100), random_.OneIn(3));
    given.element = ElementModels()[random_.Below(ElementModels().size())];
    given.reduction = kReductions[random_.Below(given.element.is_float() ? 6 : 5)];
    given.offset = random_.Below(9);
    team.ExpectRuns(given, random_);
  }
}

TEST_P(CollectiveTest, SendsAndReceivesMeetInTheOrderOfTheirPair) {
  constexpr uint32_t kRounds = 5;
  const Team team = MakeTeam(3);
  const Semaphore done = CreateSemaphore();
  std::vector<Buffer> sources;
  std::vector<Buffer> targets;
  std::vector<Semaphore> ends;
  // Each rank sends to both others before it receives anything.
  for (uint32_t round = 0; round < kRounds; ++round) {
    for (uint32_t from = 0; from < 3; ++from) {
      for (uint32_t to = 0; to < 3; ++to) {
        sources.push_back(team.device(from).CreateBufferOf(std::vector<uint32_t>(64, 100 * round + 10 * from + to)));
        ends.push_back(team.device(from).CreateSemaphore());
        hal_collective_params_t params = HAL_COLLECTIVE_PARAMS_INIT;
        params.kind = HAL_COLLECTIVE_SEND;
        params.element_type = HAL_ELEMENT_TYPE_I32;
        params.count = 64;
        params.send_to = to;
        params.source = Ref(sources.back());
        ASSERT_OK(team.Submit(from, kNoWaits, {{ends.back(), 1}}, params));
      }
    }
  }
  for (uint32_t to = 0; to < 3; ++to) {
    for (uint32_t from = 0; from < 3; ++from) {
      for (uint32_t round = 0; round < kRounds; ++round) {
        targets.push_back(team.device(to).CreateBuffer(256));
        ends.push_back(team.device(to).CreateSemaphore());
        hal_collective_params_t params = HAL_COLLECTIVE_PARAMS_INIT;
        params.kind = HAL_COLLECTIVE_RECEIVE;
        params.element_type = HAL_ELEMENT_TYPE_I32;
        params.count = 64;
        params.receive_from = from;
        params.target = Ref(targets.back());
        ASSERT_OK(team.Submit(to, kNoWaits, {{ends.back(), 1}}, params));
        ASSERT_OK(ends.back().Wait(1));
        EXPECT_THAT(team.device(to).Download<uint32_t>(targets.back()), testing::Each(100 * round + 10 * from + to));
      }
    }
  }
  for (const Semaphore& end : ends) EXPECT_OK(end.Wait(1));
}

// Every operation waits for the ones before it on its rank, on the devices.
TEST_P(CollectiveTest, ComesAfterItsWaitsAndBeforeItsSignals) {
  constexpr uint64_t kRounds = 20;
  constexpr uint32_t kRanks = 3;
  const Team team = MakeTeam(kRanks);
  std::vector<Buffer> buffers;
  std::vector<Semaphore> timelines;
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    buffers.push_back(team.device(rank).CreateBuffer(4096));
    timelines.push_back(team.device(rank).CreateSemaphore());
  }
  const Semaphore go = CreateSemaphore();
  for (uint64_t i = 0; i < kRounds; ++i) {
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      Points waits = {{timelines[rank], 2 * i}};
      if (i == 0) waits.Add(go, 1);
      ASSERT_OK(team.device(rank).QueueFill(waits, {{timelines[rank], 2 * i + 1}}, buffers[rank],
                                            static_cast<uint32_t>(rank + i)));
      hal_collective_params_t params = HAL_COLLECTIVE_PARAMS_INIT;
      params.element_type = HAL_ELEMENT_TYPE_UI32;
      params.count = 1024;
      params.source = Ref(buffers[rank]);
      params.target = Ref(buffers[rank]);
      ASSERT_OK(team.Submit(rank, {{timelines[rank], 2 * i + 1}}, {{timelines[rank], 2 * i + 2}}, params));
    }
  }
  for (const Semaphore& timeline : timelines) EXPECT_EQ(timeline.Value(), 0u);
  ASSERT_OK(go.Signal(1));
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    ASSERT_OK(timelines[rank].Wait(2 * kRounds));
    EXPECT_THAT(team.device(rank).Download<uint32_t>(buffers[rank]),
                testing::Each(static_cast<uint32_t>(3 * (kRounds - 1) + 3)));
  }
}

TEST_P(CollectiveTest, OfQueueAllocationsAndKeepsWhatItUses) {
  Team team = MakeTeam(2);
  const Semaphore go = CreateSemaphore();
  std::vector<Semaphore> done;
  std::vector<Buffer> results;
  for (uint32_t rank = 0; rank < 2; ++rank) {
    const Device& own = team.device(rank);
    const Semaphore step = own.CreateSemaphore();
    done.push_back(own.CreateSemaphore());
    results.push_back(own.CreateBuffer(400'000));
    Buffer source;
    ASSERT_OK(own.QueueAlloca({{go, 1}}, {{step, 1}}, 400'000, &source));
    ASSERT_OK(own.QueueFill({{step, 1}}, {{step, 2}}, source, uint32_t{rank + 5}));
    hal_collective_params_t params = HAL_COLLECTIVE_PARAMS_INIT;
    params.element_type = HAL_ELEMENT_TYPE_UI32;
    params.count = 100'000;
    params.source = Ref(source);
    params.target = Ref(results.back());
    ASSERT_OK(team.Submit(rank, {{step, 2}}, {{done[rank], 1}}, params));
    team.channel(rank).reset();  // the rank leaves, and what it has submitted runs on
  }
  ASSERT_OK(go.Signal(1));
  for (uint32_t rank = 0; rank < 2; ++rank) {
    ASSERT_OK(done[rank].Wait(1));
    EXPECT_THAT(team.device(rank).Download<uint32_t>(results[rank]), testing::Each(11u));
  }
}

// A thread for each rank, as programs mostly have; two channels at once, in an order of each thread's own.
TEST_P(CollectiveTest, OfThreads) {
  constexpr uint32_t kRanks = 4;
  constexpr uint64_t kRounds = 30;
  const Team first = MakeTeam(kRanks);
  const Team second(first.devices());
  OnThreads(kRanks, [&](size_t rank) {
    const Device& own = first.device(rank);
    const Buffer a = own.CreateBufferOf(std::vector<uint32_t>(3000, 1));
    const Buffer b = own.CreateBufferOf(std::vector<uint32_t>(50'000, 1));
    const Semaphore done = own.CreateSemaphore();
    const Semaphore other_done = own.CreateSemaphore();
    hal_collective_params_t params = HAL_COLLECTIVE_PARAMS_INIT;
    params.element_type = HAL_ELEMENT_TYPE_UI32;
    for (uint64_t i = 0; i < kRounds; ++i) {
      for (const bool small : {rank % 2 == 0, rank % 2 != 0}) {
        params.count = small ? 3000 : 50'000;
        params.source = params.target = Ref(small ? a : b);
        const Semaphore& end = small ? done : other_done;
        ASSERT_OK((small ? first : second).Submit(rank, {{end, i}}, {{end, i + 1}}, params));
      }
    }
    ASSERT_OK(done.Wait(kRounds));
    ASSERT_OK(other_done.Wait(kRounds));
    uint32_t expected = 1;
    for (uint64_t i = 0; i < kRounds; ++i) expected *= kRanks;
    EXPECT_THAT(own.Download<uint32_t>(a), testing::Each(expected));
    EXPECT_THAT(own.Download<uint32_t>(b), testing::Each(expected));
  });
}

INSTANTIATE_TEST_SUITE_P(Devices, CollectiveTest, testing::Values(Companions{"Same", false}, Companions{"Mixed", true}),
                         ByName);

class ManyCollectivesTest : public DeviceTest {};

TEST_F(ManyCollectivesTest, SlowTenThousandRandomOperations) {
  SeededRandom random;
  std::vector<Team> teams;
  const Device other = OpenSecondDevice();
  for (size_t ranks = 1; ranks <= 8; ++ranks) {
    for (const bool mixed : {false, true}) {
      teams.emplace_back(MixedDevices(device(), mixed ? other : device(), ranks));
    }
  }
  for (size_t i = 0; i < 10'000 && !HasFailure(); ++i) {
    const Team& team = teams[random.Below(teams.size())];
    CollectiveCase given;
    given.kind = kKinds[random.Below(std::size(kKinds))];
    given.count = random.Below(random.OneIn(50) ? 200'000 : 300);
    given.root = static_cast<uint32_t>(random.Below(team.size()));
    given.in_place = random.OneIn(3);
    given.element = ElementModels()[random.Below(ElementModels().size())];
    given.reduction = kReductions[random.Below(given.element.is_float() ? 6 : 5)];
    given.offset = random.Below(9);
    if (given.kind == HAL_COLLECTIVE_PERMUTE) given.send_to = RandomPermutation(team.size(), random);
    team.ExpectRuns(given, random);
  }
}

}  // namespace
}  // namespace halyard::cts
