// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels whose engine, the simulated NCCL or RCCL, fails: each call of it, later by itself, or never ends.
#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "halyard/channel.h"
#include "halyard/cpp/submit.hpp"
#include "halyard/fault_injection.h"
#include "interop_test.h"
#include "nccl/control.h"

namespace halyard::interop {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr int kSystemError = 2;  // ncclSystemError, and so on
constexpr int kRemoteError = 6;

/// The functions of nccl/control.h, in the library that the driver loads.
struct NcclControl {
  decltype(&halyardNcclSimFail) Fail = nullptr;
  decltype(&halyardNcclSimFailures) Failures = nullptr;
  decltype(&halyardNcclSimCalls) Calls = nullptr;
  decltype(&halyardNcclSimCommunicators) Communicators = nullptr;
  decltype(&halyardNcclSimStall) Stall = nullptr;
  decltype(&halyardNcclSimSetAsyncError) SetAsyncError = nullptr;

  NcclControl() {
    const bool is_cuda = std::string(vendor::kNames.driver) == "cuda";
    const char* const path = std::getenv(is_cuda ? "HALYARD_NCCL_LIBRARY" : "HALYARD_RCCL_LIBRARY");  // NOLINT
    void* const library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!library) return;
    sim::FindSymbol(library, "halyardNcclSimFail", &Fail);
    sim::FindSymbol(library, "halyardNcclSimFailures", &Failures);
    sim::FindSymbol(library, "halyardNcclSimCalls", &Calls);
    sim::FindSymbol(library, "halyardNcclSimCommunicators", &Communicators);
    sim::FindSymbol(library, "halyardNcclSimStall", &Stall);
    sim::FindSymbol(library, "halyardNcclSimSetAsyncError", &SetAsyncError);
  }
};

class EngineTest : public InteropTest {
 protected:
  static constexpr uint32_t kCount = 1000;

  void SetUp() override {
    InteropTest::SetUp();
    ASSERT_NE(nccl_.Fail, nullptr) << "the environment names no simulated library of collectives";
    devices_ = {device_, OpenDevice(1)};
    for (const auto& device : devices_) {
      buffers_.emplace_back();
      const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
      ASSERT_OK(hal_allocator_allocate(hal_device_allocator(device.get()), &params, 2 * kCount * sizeof(float),
                                       buffers_.back().out()));
    }
  }
  void TearDown() override {
    nccl_.Stall(0);
    nccl_.Fail(nullptr, 0, 0);
    Release();
    buffers_.clear();
    devices_.clear();
    InteropTest::TearDown();
    EXPECT_EQ(nccl_.Communicators(), 0u);
  }

  void MakeChannel(uint64_t timeout_ns = kTenSeconds) {
    hal_device_t* const raw[] = {devices_[0].get(), devices_[1].get()};
    hal_channel_t* made[2] = {};
    ASSERT_OK(hal_channel_create_all(2, raw, timeout_ns, made));
    for (hal_channel_t* channel : made) channels_.push_back(Ref<hal_channel_t>::Adopting(channel));
    ASSERT_OK(hal_channel_wait(made[0], kTenSeconds));
  }
  void Release() {
    channels_.clear();
    done_.clear();
  }
  std::string Engine() const {
    hal_channel_info_t info = HAL_INIT(hal_channel_info_t);
    EXPECT_OK(hal_channel_query(channels_[0].get(), &info));
    return {info.engine.data, info.engine.size};
  }
  void Fill(float value) {
    for (size_t i = 0; i < 2; ++i) {
      const Ref<hal_semaphore_t> filled = MakeSemaphore(devices_[i]);
      const Points signals = {{filled.get(), 1}};
      ASSERT_OK(hal_device_queue_fill(devices_[i].get(), hal::SubmitParams({}, List(signals)),
                                      hal_buffer_ref(buffers_[i].get(), 0, HAL_WHOLE_SIZE), &value, sizeof(value)));
      ASSERT_OK(Wait(filled, 1));
    }
  }
  hal_collective_params_t Params(hal_collective_kind_t kind) const {
    hal_collective_params_t params = HAL_COLLECTIVE_PARAMS_INIT;
    params.kind = kind;
    params.element_type = HAL_ELEMENT_TYPE_F32;
    params.count = kCount;
    params.root = 0;
    return params;
  }
  /// Each rank's part, whose end `done_` has.
  void Submit(hal_collective_params_t params) {
    done_.clear();
    for (uint32_t rank = 0; rank < 2; ++rank) {
      params.send_to = params.receive_from = 1 - rank;
      const uint64_t bytes = kCount * sizeof(float);
      const bool in_place = params.kind == HAL_COLLECTIVE_ALL_REDUCE;
      params.source = hal_buffer_ref(buffers_[rank].get(), 0, bytes);
      params.target = hal_buffer_ref(buffers_[rank].get(), in_place ? 0 : bytes, bytes);
      done_.push_back(MakeSemaphore(devices_[rank]));
      const Points signals = {{done_.back().get(), 1}};
      const hal_status_t status = hal_device_queue_collective(
          devices_[rank].get(), hal::SubmitParams({}, List(signals)), channels_[rank].get(), &params);
      if (status != HAL_STATUS_OK) {  // it had failed already
        EXPECT_OK(hal_semaphore_fail(done_.back().get(), status, hal_string_view(hal_last_error_message())));
      }
    }
  }
  void ExpectSum(float expected) {
    for (size_t i = 0; i < 2; ++i) {
      std::vector<float> values(kCount);
      const Ref<hal_semaphore_t> read = MakeSemaphore(devices_[i]);
      const Points signals = {{read.get(), 1}};
      ASSERT_OK(hal_device_queue_download(devices_[i].get(), hal::SubmitParams({}, List(signals)),
                                          hal_buffer_ref(buffers_[i].get(), 0, kCount * sizeof(float)), values.data()));
      ASSERT_OK(Wait(read, 1));
      EXPECT_THAT(values, testing::Each(expected));
    }
  }
  void ExpectFailed(hal_status_t status, const std::string& words) {
    for (const auto& done : done_) {
      EXPECT_EQ(Wait(done, 1), status);
      EXPECT_THAT(hal_last_error_message(), HasSubstr(words));
    }
    EXPECT_EQ(hal_channel_wait(channels_[0].get(), 0), status);
  }
  /// The devices work, and so does a new channel.
  void ExpectNewChannelWorks(const std::string& engine = "CCL 2.") {
    Release();
    MakeChannel();
    EXPECT_THAT(Engine(), HasSubstr(engine));
    Fill(2);
    Submit(Params(HAL_COLLECTIVE_ALL_REDUCE));
    for (const auto& done : done_) EXPECT_OK(Wait(done, 1));
    ExpectSum(4);
  }

  NcclControl nccl_;
  std::vector<Ref<hal_device_t>> devices_;
  std::vector<Ref<hal_buffer_t>> buffers_;
  std::vector<Ref<hal_channel_t>> channels_;
  std::vector<Ref<hal_semaphore_t>> done_;
};

TEST_P(EngineTest, MovesTheBytes) {
  const uint64_t before = nccl_.Calls("ncclAllReduce");
  ExpectNewChannelWorks();
  EXPECT_EQ(nccl_.Calls("ncclAllReduce"), before + 2);
}

TEST_P(EngineTest, LeavesToTheHostWhatItDoesNotOpenFor) {
  for (const char* call : {"ncclGetUniqueId", "ncclGroupStart", "ncclCommInitRank", "ncclGroupEnd"}) {
    for (uint64_t nth = 1; nth <= (std::string(call) == "ncclCommInitRank" ? 2u : 1u); ++nth) {
      nccl_.Fail(call, nth, kSystemError);
      ExpectNewChannelWorks("host");
      EXPECT_EQ(nccl_.Failures(), 1u) << call;
      EXPECT_EQ(nccl_.Communicators(), 0u) << call;
    }
  }
  ExpectNewChannelWorks();
}

TEST_P(EngineTest, EachCallThatFailsFailsTheChannel) {
  for (const hal_collective_kind_t kind :
       {HAL_COLLECTIVE_ALL_REDUCE, HAL_COLLECTIVE_REDUCE, HAL_COLLECTIVE_BROADCAST, HAL_COLLECTIVE_PERMUTE}) {
    for (const bool scaled : {false, true}) {
      if (scaled && kind != HAL_COLLECTIVE_ALL_REDUCE) continue;
      for (uint64_t nth = 1;; ++nth) {
        Release();
        MakeChannel();
        nccl_.Fail(nullptr, nth, kSystemError);
        hal_collective_params_t params = Params(kind);
        if (scaled) params.reduction = HAL_REDUCTION_SCALED_SUM;
        Submit(params);
        const hal_status_t first = Wait(done_[0], 1);
        EXPECT_EQ(Wait(done_[1], 1), first) << kind << ", call " << nth;
        const bool failed = nccl_.Failures() > 0;
        nccl_.Fail(nullptr, 0, 0);
        if (!failed) {
          EXPECT_EQ(first, HAL_STATUS_OK);
          break;
        }
        if (first == HAL_STATUS_OK) continue;  // a reduction was not destroyed, which takes nothing from the result
        ExpectFailed(HAL_STATUS_UNAVAILABLE, "unhandled system error");
      }
    }
  }
  ExpectNewChannelWorks();
}

TEST_P(EngineTest, AnErrorOfItsOwnFailsAllRanks) {
  MakeChannel();
  nccl_.Stall(1);
  Submit(Params(HAL_COLLECTIVE_ALL_REDUCE));
  nccl_.SetAsyncError(kRemoteError);
  ExpectFailed(HAL_STATUS_UNAVAILABLE, "ncclCommGetAsyncError");
  nccl_.Stall(0);
  ExpectNewChannelWorks();
}

TEST_P(EngineTest, ATimeoutEndsWhatHangs) {
  MakeChannel(30'000'000);
  nccl_.Stall(1);
  Submit(Params(HAL_COLLECTIVE_PERMUTE));
  ExpectFailed(HAL_STATUS_UNAVAILABLE, "did not end within 0.03 s");
  nccl_.Stall(0);
  ExpectNewChannelWorks();
}

TEST_P(EngineTest, AnAbortEndsWhatHangs) {
  MakeChannel();
  nccl_.Stall(1);
  Submit(Params(HAL_COLLECTIVE_ALL_REDUCE));
  ASSERT_OK(hal_channel_abort(channels_[1].get(), HAL_STATUS_CANCELLED, hal_string_view("enough")));
  ExpectFailed(HAL_STATUS_CANCELLED, "enough");
  nccl_.Stall(0);
  ExpectNewChannelWorks();
}

TEST_P(EngineTest, ALostDeviceEndsTheOthersPart) {
  MakeChannel();
  nccl_.Stall(1);
  Submit(Params(HAL_COLLECTIVE_ALL_REDUCE));
  const void* table = nullptr;
  ASSERT_OK(hal_device_query_interface(devices_[1].get(), hal_string_view(HAL_FAULT_INJECTION_INTERFACE), 1, &table));
  const auto* const faults = static_cast<const hal_fault_injection_interface_t*>(table);
  ASSERT_OK(faults->lose_device(devices_[1].get(), hal_string_view("a test")));
  for (const auto& done : done_) EXPECT_EQ(Wait(done, 1), HAL_STATUS_DEVICE_LOST);
  EXPECT_OK(hal_device_query_health(devices_[0].get()));
}

TEST_P(EngineTest, ChannelsThatAreReleasedAtOnceLeaveNothing) {
  for (int i = 0; i < 20; ++i) {
    hal_device_t* const raw[] = {devices_[0].get(), devices_[1].get()};
    hal_channel_t* made[2] = {};
    ASSERT_OK(hal_channel_create_all(2, raw, 0, made));
    if (i % 2 == 0) EXPECT_OK(hal_channel_abort(made[0], HAL_STATUS_ABORTED, hal_string_view("before it is open")));
    for (hal_channel_t* channel : made) hal_channel_release(channel);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, EngineTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
