// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels as objects: how ranks come together, split and fail, and what is refused.
#include <string>
#include <vector>

#include "cts/collectives/team.h"
#include "cts/cts.h"
#include "halyard/fault_injection.h"

namespace halyard::cts {
namespace {

using testing::AllOf;
using testing::HasSubstr;

hal_channel_params_t ParamsOf(const hal_channel_id_t& id, uint32_t rank, uint32_t rank_count) {
  hal_channel_params_t params = HAL_INIT(hal_channel_params_t);
  params.id = id;
  params.rank = rank;
  params.rank_count = rank_count;
  return params;
}

hal_channel_info_t InfoOf(hal_channel_t* channel) {
  hal_channel_info_t info = HAL_INIT(hal_channel_info_t);
  Check(hal_channel_query(channel, &info), "hal_channel_query");
  return info;
}

hal_collective_params_t SumOf(const Buffer& buffer, uint64_t count) {
  hal_collective_params_t params = HAL_COLLECTIVE_PARAMS_INIT;
  params.element_type = HAL_ELEMENT_TYPE_UI32;
  params.count = count;
  params.source = Ref(buffer);
  params.target = Ref(buffer);
  return params;
}

class ChannelTest : public DeviceTest {
 protected:
  Team MakeTeam(size_t count, uint64_t timeout_ns = 0) const {
    return Team(MixedDevices(device(), other_, count), timeout_ns);
  }
  /// Expects that the operation of each rank failed so, and that the devices go on.
  void ExpectFailed(const Team& team, const std::vector<Semaphore>& done, hal_status_t status,
                    const testing::Matcher<std::string>& words) const {
    for (const Semaphore& each : done) {
      EXPECT_STATUS(status, each.Wait(1));
      EXPECT_THAT(std::string(hal_last_error_message()), words);
    }
    SeededRandom random;
    CollectiveCase given;
    given.element = ElementModels()[0];
    given.count = 10;
    std::vector<Device> devices;
    for (uint32_t rank = 0; rank < team.size(); ++rank) devices.push_back(team.device(rank));
    Team(devices).ExpectRuns(given, random);
  }

  Device other_ = OpenSecondDevice();
};

TEST_F(ChannelTest, IsMadeByIdInAnyOrder) {
  hal_channel_id_t id;
  ASSERT_OK(hal_channel_create_id(&id));
  std::vector<Channel> channels(3);
  std::vector<Device> devices = MixedDevices(device(), other_, 3);
  std::vector<Semaphore> done(3);
  for (const uint32_t rank : {2, 0, 1}) {
    const hal_channel_params_t params = ParamsOf(id, rank, 3);
    ASSERT_OK(hal_channel_create(devices[rank], &params, channels[rank].out()));
    EXPECT_EQ(InfoOf(channels[rank]).rank, rank);
    EXPECT_EQ(InfoOf(channels[rank]).rank_count, 3u);
    EXPECT_EQ(InfoOf(channels[2]).ranks_here, rank == 2 ? 1u : rank == 0 ? 2u : 3u);
    EXPECT_STATUS(rank == 1 ? HAL_STATUS_OK : HAL_STATUS_DEADLINE_EXCEEDED,
                  hal_channel_wait(channels[2], rank == 1 ? kForever : 0));
    // Operations need not wait for the others' creation.
    hal_collective_params_t meet = HAL_COLLECTIVE_PARAMS_INIT;
    meet.element_type = HAL_ELEMENT_TYPE_F32;
    done[rank] = devices[rank].CreateSemaphore();
    ASSERT_OK(hal_device_queue_collective(devices[rank], hal::SubmitParams(kNoWaits, Points{{done[rank], 1}}),
                                          channels[rank], &meet));
  }
  for (const Semaphore& each : done) EXPECT_OK(each.Wait(1));
}

TEST_F(ChannelTest, RefusesWhatDoesNotFitTogether) {
  hal_channel_id_t id;
  ASSERT_OK(hal_channel_create_id(&id));
  Channel first;
  Channel refused;
  hal_channel_params_t params = ParamsOf(id, 0, 2);
  ASSERT_OK(hal_channel_create(device(), &params, first.out()));
  EXPECT_STATUS(HAL_STATUS_ALREADY_EXISTS, hal_channel_create(device(), &params, refused.out()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("rank 0"));
  params = ParamsOf(id, 1, 3);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_channel_create(device(), &params, refused.out()));
  EXPECT_THAT(hal_last_error_message(), AllOf(HasSubstr("rank_count is 3"), HasSubstr("said 2")));
  params = ParamsOf(id, 2, 2);
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_channel_create(device(), &params, refused.out()));
  params = ParamsOf(id, 0, 0);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_channel_create(device(), &params, refused.out()));
  params = ParamsOf(hal_channel_id_t{}, 0, 2);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_channel_create(device(), &params, refused.out()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("hal_channel_create_id"));
  hal_channel_id_t foreign = id;
  foreign.bytes[8] ^= 1;
  params = ParamsOf(foreign, 0, 2);
  EXPECT_STATUS(HAL_STATUS_UNIMPLEMENTED, hal_channel_create(device(), &params, refused.out()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("another process"));
  // The refusals have changed nothing.
  params = ParamsOf(id, 1, 2);
  ASSERT_OK(hal_channel_create(other_, &params, refused.out()));
  EXPECT_OK(hal_channel_wait(first, kForever));
}

TEST_F(ChannelTest, SplitsByColourAndKey) {
  Team team = MakeTeam(5);
  std::vector<Channel> halves(5);
  // Even ranks in reverse, odd ones in order, and rank 4 takes part without a channel.
  for (uint32_t rank = 0; rank < 5; ++rank) {
    const uint32_t color = rank == 4 ? HAL_CHANNEL_NO_COLOR : rank % 2;
    const int32_t key = rank % 2 == 0 ? -static_cast<int32_t>(rank) : 7;
    if (rank == 4) {
      hal_collective_params_t meet = HAL_COLLECTIVE_PARAMS_INIT;
      meet.element_type = HAL_ELEMENT_TYPE_F32;
      EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION,
                    hal_device_queue_collective(team.device(0), nullptr, halves[0], &meet));
      EXPECT_THAT(hal_last_error_message(), HasSubstr("hal_channel_wait"));
      EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, hal_channel_wait(halves[0], 0));
      EXPECT_EQ(InfoOf(halves[0]).rank, HAL_RANK_NONE);
    }
    ASSERT_OK(hal_channel_split(team.channel(rank), color, key, halves[rank].out()));
  }
  EXPECT_FALSE(halves[4]);
  for (uint32_t rank = 0; rank < 4; ++rank) {
    ASSERT_OK(hal_channel_wait(halves[rank], kForever));
    EXPECT_EQ(InfoOf(halves[rank]).rank_count, 2u);
    EXPECT_EQ(InfoOf(halves[rank]).rank, rank % 2 == 0 ? 1 - rank / 2 : rank / 2);
  }
  SeededRandom random;
  CollectiveCase given;
  given.kind = HAL_COLLECTIVE_ALL_GATHER;
  given.element = ElementModels()[0];
  given.count = 5;
  Team({team.device(2), team.device(0)}, {halves[2], halves[0]}).ExpectRuns(given, random);
  Team({team.device(1), team.device(3)}, {halves[1], halves[3]}).ExpectRuns(given, random);
  team.ExpectRuns(given, random);
}

TEST_F(ChannelTest, ASplitFailsWithItsChannel) {
  Team team = MakeTeam(2);
  Channel half;
  ASSERT_OK(hal_channel_split(team.channel(0), 0, 0, half.out()));
  ASSERT_OK(hal_channel_abort(team.channel(1), HAL_STATUS_CANCELLED, View("no more")));
  EXPECT_STATUS(HAL_STATUS_CANCELLED, hal_channel_wait(half, kForever));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("no more"));
  Channel none;
  EXPECT_STATUS(HAL_STATUS_CANCELLED, hal_channel_split(team.channel(1), 0, 0, none.out()));
}

struct Disagreement {
  const char* name;
  void (*change)(hal_collective_params_t* params);
  const char* words;
};
void PrintTo(const Disagreement& disagreement, std::ostream* out) { *out << disagreement.name; }

class DisagreementTest : public ChannelTest, public testing::WithParamInterface<Disagreement> {};

TEST_P(DisagreementTest, FailsAllRanksAndNamesTwo) {
  Team team = MakeTeam(3);
  std::vector<Semaphore> done;
  std::vector<Buffer> buffers;
  for (uint32_t rank = 0; rank < 3; ++rank) {
    done.push_back(team.device(rank).CreateSemaphore());
    buffers.push_back(team.device(rank).CreateBufferOf(std::vector<uint32_t>(64, rank)));
    hal_collective_params_t params = SumOf(buffers.back(), 8);
    params.kind = HAL_COLLECTIVE_REDUCE;
    if (rank == 2) GetParam().change(&params);
    if (rank < 2 || done[0].Query() == HAL_STATUS_OK) {
      ASSERT_OK(team.Submit(rank, kNoWaits, {{done[rank], 1}}, params));
    }
  }
  ExpectFailed(team, done, HAL_STATUS_INVALID_ARGUMENT,
               AllOf(HasSubstr("rank 0 submitted reduce (sum) of 8 x ui32 with root 0"),
                     HasSubstr(std::string("rank 2 submitted ") + GetParam().words)));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, team.Meet(1, kNoWaits, kNoSignals));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_channel_wait(team.channel(1), 0));
}

INSTANTIATE_TEST_SUITE_P(
    Of, DisagreementTest,
    testing::Values(
        Disagreement{"Kind", [](auto* p) { p->kind = HAL_COLLECTIVE_BROADCAST; }, "broadcast of 8 x ui32 with root 0"},
        Disagreement{"Reduction", [](auto* p) { p->reduction = HAL_REDUCTION_MIN; }, "reduce (min) of 8 x ui32"},
        Disagreement{"Type", [](auto* p) { p->element_type = HAL_ELEMENT_TYPE_F32; }, "reduce (sum) of 8 x f32"},
        Disagreement{"Count", [](auto* p) { p->count = 9; }, "reduce (sum) of 9 x ui32"},
        Disagreement{"Root", [](auto* p) { p->root = 1; }, "reduce (sum) of 8 x ui32 with root 1"}),
    ByName);

TEST_F(ChannelTest, PermutationsMustAgree) {
  Team team = MakeTeam(2);
  std::vector<Semaphore> done;
  for (uint32_t rank = 0; rank < 2; ++rank) {
    done.push_back(team.device(rank).CreateSemaphore());
    const Buffer buffer = team.device(rank).CreateBuffer(64);
    hal_collective_params_t params = SumOf(buffer, 8);
    params.kind = HAL_COLLECTIVE_PERMUTE;
    if (rank == 0) params.send_to = 1;
    ASSERT_OK(team.Submit(rank, kNoWaits, {{done[rank], 1}}, params));
  }
  ExpectFailed(team, done, HAL_STATUS_INVALID_ARGUMENT, HasSubstr("rank 0 sends to rank 1, which does not receive"));
}

TEST_F(ChannelTest, AbortFailsWhatWaits) {
  Team team = MakeTeam(3);
  std::vector<Semaphore> done;
  for (uint32_t rank = 0; rank < 3; ++rank) done.push_back(team.device(rank).CreateSemaphore());
  const Semaphore never = CreateSemaphore();
  ASSERT_OK(team.Meet(0, kNoWaits, {{done[0], 1}}));
  ASSERT_OK(team.Meet(1, {{never, 1}}, {{done[1], 1}}));
  ASSERT_OK(hal_channel_abort(team.channel(2), HAL_STATUS_ABORTED, View("enough")));
  ASSERT_OK(hal_channel_abort(team.channel(2), HAL_STATUS_DATA_LOSS, View("too late")));
  EXPECT_STATUS(HAL_STATUS_ABORTED, team.Meet(2, kNoWaits, {{done[2], 1}}));
  done.pop_back();
  EXPECT_STATUS(HAL_STATUS_ABORTED, done[0].Wait(1));
  EXPECT_EQ(done[1].Query(), HAL_STATUS_ABORTED);
  ASSERT_OK(never.Signal(1));
  ExpectFailed(team, done, HAL_STATUS_ABORTED, HasSubstr("enough"));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_channel_abort(team.channel(2), HAL_STATUS_OK, View("fine")));
}

TEST_F(ChannelTest, AFailedWaitFailsAllRanks) {
  Team team = MakeTeam(3);
  std::vector<Semaphore> done;
  const Semaphore bad = CreateSemaphore();
  for (uint32_t rank = 0; rank < 3; ++rank) {
    done.push_back(team.device(rank).CreateSemaphore());
    ASSERT_OK(team.Meet(rank, rank == 1 ? Points{{bad, 1}} : kNoWaits, {{done[rank], 1}}));
  }
  ASSERT_OK(bad.Fail(HAL_STATUS_DATA_LOSS, "rotten"));
  ExpectFailed(team, done, HAL_STATUS_DATA_LOSS,
               AllOf(HasSubstr("rank 1, before its all_reduce"), HasSubstr("rotten")));
}

TEST_F(ChannelTest, ARankThatLeavesFailsWhatOthersWaitFor) {
  Team team = MakeTeam(3);
  std::vector<Semaphore> done;
  for (uint32_t rank = 0; rank < 2; ++rank) {
    done.push_back(team.device(rank).CreateSemaphore());
    ASSERT_OK(team.Meet(rank, kNoWaits, {{done[rank], 1}}));
  }
  team.channel(2).reset();
  ExpectFailed(team, done, HAL_STATUS_UNAVAILABLE, HasSubstr("rank 2's channel was released before the rank came"));
}

TEST_F(ChannelTest, OthersFindThatARankHasLeft) {
  Team team = MakeTeam(2);
  const Semaphore done = team.device(1).CreateSemaphore();
  team.channel(0).reset();
  ASSERT_OK(team.Meet(1, kNoWaits, {{done, 1}}));
  ExpectFailed(team, {done}, HAL_STATUS_UNAVAILABLE,
               HasSubstr("rank 0's channel was released before the rank came to operation 0"));
  Team pair = MakeTeam(2);
  const Semaphore received = pair.device(1).CreateSemaphore();
  const Buffer buffer = pair.device(1).CreateBuffer(64);
  hal_collective_params_t params = SumOf(buffer, 8);
  params.kind = HAL_COLLECTIVE_RECEIVE;
  params.receive_from = 0;
  ASSERT_OK(pair.Submit(1, kNoWaits, {{received, 1}}, params));
  pair.channel(0).reset();
  EXPECT_STATUS(HAL_STATUS_UNAVAILABLE, received.Wait(1));
}

TEST_F(ChannelTest, ARankThatDoesNotComeInTimeFailsTheOthers) {
  Team team = MakeTeam(3, 20'000'000);
  std::vector<Semaphore> done;
  for (uint32_t rank = 0; rank < 2; ++rank) {
    done.push_back(team.device(rank).CreateSemaphore());
    ASSERT_OK(team.Meet(rank, kNoWaits, {{done[rank], 1}}));
  }
  ExpectFailed(team, done, HAL_STATUS_UNAVAILABLE,
               AllOf(HasSubstr("rank 2 did not submit its part of operation 0"), HasSubstr("within 0.02 s")));
}

TEST_F(ChannelTest, ARankWhoseWaitsAreNotReachedInTimeFailsTheOthers) {
  Team team = MakeTeam(2, 20'000'000);
  std::vector<Semaphore> done;
  const Semaphore never = CreateSemaphore();
  for (uint32_t rank = 0; rank < 2; ++rank) {
    done.push_back(team.device(rank).CreateSemaphore());
    ASSERT_OK(team.Meet(rank, rank == 1 ? Points{{never, 1}} : kNoWaits, {{done[rank], 1}}));
  }
  ExpectFailed(team, done, HAL_STATUS_UNAVAILABLE, HasSubstr("1 of 2 ranks were ready"));
}

TEST_F(ChannelTest, ALostDeviceFailsAllRanks) {
  const void* table = nullptr;
  Device lost = OpenSecondDevice();
  if (hal_device_query_interface(lost, hal_string_view(HAL_FAULT_INJECTION_INTERFACE), 1, &table) != HAL_STATUS_OK)
    GTEST_SKIP() << "the other device cannot be lost on purpose";
  Team team({device(), lost, device()});
  std::vector<Semaphore> done;
  std::vector<Buffer> buffers;
  const Semaphore go = CreateSemaphore();
  for (uint32_t rank = 0; rank < 3; ++rank) {
    done.push_back(CreateSemaphore());
    buffers.push_back(team.device(rank).CreateBufferOf(std::vector<uint32_t>(300'000, rank)));
    ASSERT_OK(team.Submit(rank, {{go, 1}}, {{done[rank], 1}}, SumOf(buffers.back(), 300'000)));
  }
  ASSERT_OK(static_cast<const hal_fault_injection_interface_t*>(table)->lose_device(lost, hal_string_view("gone")));
  ASSERT_OK(go.Signal(1));
  for (const Semaphore& each : done) EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, each.Wait(1));
  const Semaphore again = CreateSemaphore();
  ASSERT_OK(device().QueueFill(kNoWaits, {{again, 1}}, buffers[0], uint32_t{4}));
  EXPECT_OK(again.Wait(1));
}

TEST_F(ChannelTest, RefusesBadOperations) {
  Team team = MakeTeam(2);
  const Buffer buffer = CreateBuffer(64);
  const Buffer storage = CreateBuffer(64, DeviceLocal(HAL_BUFFER_USAGE_STORAGE));
  const auto refused = [&](hal_status_t status, const char* words, const auto& change) {
    hal_collective_params_t params = SumOf(buffer, 8);
    change(&params);
    EXPECT_STATUS(status, team.Submit(0, kNoWaits, kNoSignals, params)) << words;
    EXPECT_THAT(hal_last_error_message(), HasSubstr(words));
  };
  using Params = hal_collective_params_t*;
  refused(HAL_STATUS_INVALID_ARGUMENT, "params->kind is 12", [](Params p) { p->kind = hal_collective_kind_t(12); });
  refused(HAL_STATUS_INVALID_ARGUMENT, "reduction is 9", [](Params p) { p->reduction = hal_reduction_t(9); });
  refused(HAL_STATUS_INVALID_ARGUMENT, "element_type", [](Params p) { p->element_type = 0; });
  refused(HAL_STATUS_INVALID_ARGUMENT, "f4E2M1FN, of which there is no sum",
          [](Params p) { p->element_type = HAL_ELEMENT_TYPE_F4E2M1FN; });
  refused(HAL_STATUS_INVALID_ARGUMENT, "i32, of which there is no scaled_sum", [](Params p) {
    p->element_type = HAL_ELEMENT_TYPE_I32;
    p->reduction = HAL_REDUCTION_SCALED_SUM;
  });
  refused(HAL_STATUS_INVALID_ARGUMENT, "complex<f32>, of which there is no min", [](Params p) {
    p->element_type = HAL_ELEMENT_TYPE_COMPLEX_F32;
    p->reduction = HAL_REDUCTION_MIN;
  });
  refused(HAL_STATUS_OUT_OF_RANGE, "source has 64 bytes; all_reduce (sum) of 17 x ui32 on 2 ranks takes 68",
          [](Params p) { p->count = 17; });
  refused(HAL_STATUS_OUT_OF_RANGE, "target has 64 bytes; all_gather of 9 x ui32 on 2 ranks takes 72", [](Params p) {
    p->kind = HAL_COLLECTIVE_ALL_GATHER;
    p->count = 9;
  });
  refused(HAL_STATUS_OUT_OF_RANGE, "past 63 bits", [](Params p) { p->count = UINT64_MAX / 4; });
  refused(HAL_STATUS_OUT_OF_RANGE, "params->root is 2; the channel has ranks 0 to 1", [](Params p) {
    p->kind = HAL_COLLECTIVE_REDUCE;
    p->root = 2;
  });
  refused(HAL_STATUS_OUT_OF_RANGE, "params->send_to", [](Params p) { p->kind = HAL_COLLECTIVE_SEND; });
  refused(HAL_STATUS_OUT_OF_RANGE, "params->receive_from is 3", [](Params p) {
    p->kind = HAL_COLLECTIVE_PERMUTE;
    p->receive_from = 3;
  });
  refused(HAL_STATUS_INVALID_ARGUMENT, "source", [](Params p) { p->source.buffer = nullptr; });
  refused(HAL_STATUS_PERMISSION_DENIED, "TRANSFER_TARGET", [&](Params p) { p->target = Ref(storage); });
  refused(HAL_STATUS_INVALID_ARGUMENT, "source is at byte 2; it must be a multiple of 4",
          [&](Params p) { p->source = Ref(buffer, 2, 62); });
  refused(HAL_STATUS_INVALID_ARGUMENT, "source and target overlap", [&](Params p) { p->source = Ref(buffer, 4, 32); });
  refused(HAL_STATUS_INVALID_ARGUMENT, "rank 0's piece of the other", [&](Params p) {
    p->kind = HAL_COLLECTIVE_ALL_GATHER;
    p->count = 4;
    p->source = Ref(buffer, 16, 16);
  });
  const hal_collective_params_t params = SumOf(buffer, 8);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_device_queue_collective(other_, nullptr, team.channel(0), &params));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("one of another device"));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_device_queue_collective(device(), nullptr, nullptr, &params));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_device_queue_collective(device(), nullptr, team.channel(0), nullptr));
  // None of them has counted as an operation.
  SeededRandom random;
  CollectiveCase given;
  given.element = ElementModels()[0];
  given.count = 3;
  team.ExpectRuns(given, random);
}

}  // namespace
}  // namespace halyard::cts
