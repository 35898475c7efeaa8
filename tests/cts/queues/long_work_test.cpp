// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread's signal releases work of the device under test, and a function of the application that keeps the thread for
// long. What other threads submit to the same queue must not wait for that thread.
#include <future>
#include <thread>

#include "cts/cts.h"
#include "support/joining_thread.h"

namespace halyard::cts {
namespace {

/// What keeps the thread, in which order it is released, and whether what was released with it may wait for it.
struct LongCase {
  const char* name;
  enum class Kind { kHostCall, kExecutorTask, kTimepoint } kind;
  bool is_last;
};
void PrintTo(const LongCase& slow, std::ostream* out) { *out << slow.name; }

const LongCase kLongCases[] = {
    {"HostCallAfterTheWork", LongCase::Kind::kHostCall, true},
    {"HostCallBeforeTheWork", LongCase::Kind::kHostCall, false},
    {"ExecutorTaskAfterTheWork", LongCase::Kind::kExecutorTask, true},
    {"ExecutorTaskBeforeTheWork", LongCase::Kind::kExecutorTask, false},
    {"TimepointAfterTheWork", LongCase::Kind::kTimepoint, true},
};

/// A device whose work runs on the thread that releases it.
Device OpenInlineDevice(LongCase::Kind kind) {
  if (kind != LongCase::Kind::kExecutorTask) return OpenDevice("local://sync");
  hal_executor_t executor = HAL_INIT(hal_executor_t);
  executor.submit = [](void*, hal_executor_task_fn_t run, void* task) {
    run(task);
    return HAL_STATUS_OK;
  };
  Device device;
  Check(hal_device_create_on_executor(hal_string_view("local://task"), &executor, device.out()), "an inline executor");
  return device;
}

class LongWorkTest : public DeviceTestWith<LongCase> {
 protected:
  void ReleaseSlow() {
    const auto keep = [this] {
      entered_.set_value();
      may_return_.get_future().wait();
    };
    if (GetParam().kind == LongCase::Kind::kTimepoint) {
      ASSERT_OK(slow_done_.Notify(1, [keep](hal_status_t, const std::string&) { keep(); }));
      ASSERT_OK(inline_.QueueBarrier({{go_, 1}}, {{slow_done_, 1}}));
    } else {
      ASSERT_OK(inline_.QueueHostCall({{go_, 1}}, {{slow_done_, 1}}, [keep](hal_status_t status) {
        keep();
        return status;
      }));
    }
  }
  void ReleaseWork() { ASSERT_OK(Fill(Points{{go_, 1}}, Points{{work_done_, 1}}, 0)); }
  hal_status_t Fill(const Points& waits, const Points& signals, uint64_t offset) {
    return device().QueueFill(waits, signals, Ref(buffer_, offset, 4), uint32_t{7}, device().Queue(0));
  }
  /// Whether the device under test runs its work on the thread that releases it, in turn with the slow work.
  static bool RunsInTurn() { return options().device.find("://sync") != std::string::npos; }

  const Device inline_ = OpenInlineDevice(GetParam().kind);
  const Semaphore go_ = inline_.CreateSemaphore();
  const Semaphore slow_done_ = inline_.CreateSemaphore();
  const Semaphore work_done_ = CreateSemaphore();
  const Semaphore unrelated_done_ = CreateSemaphore();
  const Buffer buffer_ = CreateBuffer(8);
  std::promise<void> entered_;
  std::promise<void> may_return_;
};

TEST_P(LongWorkTest, DelaysNoOtherThreadsSubmission) {
  if (!GetParam().is_last) ReleaseSlow();
  ReleaseWork();
  if (GetParam().is_last) ReleaseSlow();
  const JoiningThread signaller([this] { EXPECT_OK(go_.Signal(1)); });
  entered_.get_future().wait();
  EXPECT_OK(Fill(kNoWaits, {{unrelated_done_, 1}}, 4));
  EXPECT_OK(unrelated_done_.Wait(1));
  // A callback of the application comes before released work; other slow work after it.
  if (GetParam().kind != LongCase::Kind::kTimepoint && (GetParam().is_last || !RunsInTurn())) {
    EXPECT_OK(work_done_.Wait(1));
  }
  may_return_.set_value();
  EXPECT_OK(slow_done_.Wait(1));
  EXPECT_OK(work_done_.Wait(1));
}

INSTANTIATE_TEST_SUITE_P(Work, LongWorkTest, testing::ValuesIn(kLongCases), ByName);

}  // namespace
}  // namespace halyard::cts
