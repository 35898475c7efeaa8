// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What callbacks may do: signal to any depth, throw, and give up the caller's last reference. And which callbacks hear
// of a failure that no signal carries.
#include <pthread.h>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cts {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

/// Runs `function` on a thread whose stack has room for a call or two of the library, and for no recursion.
void OnSmallStack(const std::function<void()>& function) {
  constexpr size_t kStack = size_t{160} << 10;
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStack), 0);
  const auto run = [](void* body) -> void* {
    (*static_cast<const std::function<void()>*>(body))();
    return nullptr;
  };
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&function)), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

/// The messages that the library logs while it exists.
class LogRecorder {
 public:
  LogRecorder() { hal_set_log_callback(Record, this, HAL_LOG_LEVEL_WARNING); }
  ~LogRecorder() { hal_set_log_callback(nullptr, nullptr, HAL_LOG_LEVEL_WARNING); }
  LogRecorder(const LogRecorder&) = delete;
  LogRecorder& operator=(const LogRecorder&) = delete;

  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  bool WaitForLine() { return count_.WaitFor(1); }

 private:
  static void Record(void* self, hal_log_level_t, hal_string_view_t message) {
    auto* const recorder = static_cast<LogRecorder*>(self);
    {
      const std::lock_guard lock(recorder->mutex_);
      recorder->lines_.push_back(Text(message));
    }
    recorder->count_.Add();
  }
  mutable std::mutex mutex_;  // protects lines_
  std::vector<std::string> lines_;
  Counter count_;
};

class CallbackTest : public DeviceTest {};

/// Calls, each of which brings the next one about.
struct Chain {
  static constexpr uint64_t kLength = 1'000'000;
  hal_semaphore_t* semaphore;
  bool signals_first;
  uint64_t value = 0;

  void Next() {
    if (++value > kLength) return;
    if (signals_first) EXPECT_EQ(hal_semaphore_signal(semaphore, value), HAL_STATUS_OK);
    EXPECT_EQ(hal_semaphore_notify(semaphore, value, OnTimepoint, this, nullptr), HAL_STATUS_OK);
    if (!signals_first) EXPECT_EQ(hal_semaphore_signal(semaphore, value), HAL_STATUS_OK);
  }
  static void OnTimepoint(void* chain, hal_status_t, hal_string_view_t) { static_cast<Chain*>(chain)->Next(); }
};

TEST_F(CallbackTest, AMillionThatSignalEachOtherNeedNoStack) {
  const Semaphore semaphore = CreateSemaphore();
  Chain chain{semaphore, /*signals_first=*/false};
  OnSmallStack([&] { chain.Next(); });
  EXPECT_EQ(semaphore.Value(), Chain::kLength);
}

TEST_F(CallbackTest, AMillionThatRegisterEachOtherNeedNoStack) {
  const Semaphore semaphore = CreateSemaphore();
  Chain chain{semaphore, /*signals_first=*/true};
  OnSmallStack([&] { chain.Next(); });
  EXPECT_EQ(semaphore.Value(), Chain::kLength);
}

TEST_F(CallbackTest, OneComesAfterTheOtherHasReturned) {
  const Semaphore semaphore = CreateSemaphore();
  bool inside = false;
  Counter called;
  ASSERT_OK(semaphore.Notify(1, [&](hal_status_t, const std::string&) {
    inside = true;
    EXPECT_OK(semaphore.Signal(2));
    inside = false;
    called.Add();
  }));
  ASSERT_OK(semaphore.Notify(2, [&](hal_status_t, const std::string&) {
    EXPECT_FALSE(inside);
    called.Add();
  }));
  ASSERT_OK(semaphore.Signal(1));
  EXPECT_EQ(called.count(), 2u);
}

TEST_F(CallbackTest, CancellingCallsWithinTheCallAlsoFromACallback) {
  const Semaphore semaphore = CreateSemaphore();
  hal_timepoint_t timepoint = {};
  bool cancelled = false;
  ASSERT_OK(semaphore.Notify(
      2,
      [&](hal_status_t status, const std::string&) {
        EXPECT_STATUS(HAL_STATUS_CANCELLED, status);
        cancelled = true;
      },
      &timepoint));
  ASSERT_OK(semaphore.Notify(1, [&](hal_status_t, const std::string&) {
    EXPECT_OK(semaphore.Cancel(timepoint));
    EXPECT_TRUE(cancelled);
  }));
  ASSERT_OK(semaphore.Signal(1));
  EXPECT_TRUE(cancelled);
}

TEST_F(CallbackTest, WaitingWithoutTimeIsAllowed) {
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(semaphore.Notify(1, [&](hal_status_t, const std::string&) {
    EXPECT_OK(semaphore.Wait(1, 0));
    EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, semaphore.Wait(2, 0));
    EXPECT_OK(Barrier({{semaphore, 1}}, {{semaphore, 2}}));
  }));
  ASSERT_OK(semaphore.Signal(1));
  EXPECT_OK(semaphore.Wait(2));
}

// --- Exceptions ------------------------------------------------------------------------------------------------------

// What the library tells of an exception: its text, unless this program has a C++ runtime of its own.
auto TellsOf([[maybe_unused]] const char* text) {
#if defined(HALYARD_OTHER_CXX_RUNTIME)
  return HasSubstr("no std::exception of the library's C++ runtime");
#else
  return HasSubstr(text);
#endif
}

TEST_F(CallbackTest, ThrowingTimepointIsLogged) {
  LogRecorder log;
  const Semaphore semaphore = CreateSemaphore();
  const auto thrower = [](void*, hal_status_t, hal_string_view_t) { throw std::runtime_error("no paper left"); };
  ASSERT_OK(hal_semaphore_notify(semaphore, 1, thrower, nullptr, nullptr));
  ASSERT_OK(semaphore.Signal(1));
  ASSERT_TRUE(log.WaitForLine());
  EXPECT_THAT(log.lines(), Contains(AllOf(HasSubstr("timepoint"), TellsOf("no paper left"))));
}

TEST_F(CallbackTest, ThrowingSomethingStrangeIsLoggedToo) {
  LogRecorder log;
  const Semaphore semaphore = CreateSemaphore(1);
  const auto thrower = [](void*, hal_status_t, hal_string_view_t) { throw 7; };
  ASSERT_OK(hal_semaphore_notify(semaphore, 1, thrower, nullptr, nullptr));
  EXPECT_THAT(log.lines(), Contains(HasSubstr("exception")));
}

TEST_F(CallbackTest, ThrowingReleaseOfAFileIsLogged) {
  LogRecorder log;
  const auto thrower = [](void*) { throw std::runtime_error("kept after all"); };
  char byte = 0;
  File file;
  ASSERT_OK(hal_file_from_memory(&byte, 1, HAL_FILE_ACCESS_READ, thrower, nullptr, file.out()));
  file.reset();
  EXPECT_THAT(log.lines(), Contains(AllOf(HasSubstr("release callback"), TellsOf("kept after all"))));
}

TEST_F(CallbackTest, AThrowingLogIsNoHarm) {
  const auto log_thrower = [](void*, hal_log_level_t, hal_string_view_t) { throw std::runtime_error("disk full"); };
  const auto thrower = [](void*, hal_status_t, hal_string_view_t) { throw std::runtime_error("no paper left"); };
  hal_set_log_callback(log_thrower, nullptr, HAL_LOG_LEVEL_WARNING);
  const Semaphore semaphore = CreateSemaphore(1);
  EXPECT_OK(hal_semaphore_notify(semaphore, 1, thrower, nullptr, nullptr));
  hal_set_log_callback(nullptr, nullptr, HAL_LOG_LEVEL_WARNING);
}

// --- Last references -------------------------------------------------------------------------------------------------

TEST_F(CallbackTest, MayGiveUpTheFenceThatIsSignalledOrFailed) {
  for (const bool fails : {false, true}) {
    const Semaphore first = CreateSemaphore();
    const Semaphore second = CreateSemaphore();
    Fence fence({{first, 1}, {second, 1}});
    hal_fence_t* const given = fence.get();
    ASSERT_OK(first.Notify(1, [&](hal_status_t, const std::string&) { fence.reset(); }));
    EXPECT_OK(fails ? hal_fence_fail(given, HAL_STATUS_ABORTED, View("given up")) : hal_fence_signal(given));
    EXPECT_EQ(fence.get(), nullptr);
    EXPECT_EQ(second.Query(), fails ? HAL_STATUS_ABORTED : HAL_STATUS_OK);
  }
}

TEST_F(CallbackTest, MayGiveUpTheSemaphoreThatIsSignalled) {
  Semaphore semaphore = CreateSemaphore();
  hal_semaphore_t* const given = semaphore.get();
  ASSERT_OK(semaphore.Notify(1, [&](hal_status_t, const std::string&) { semaphore.reset(); }));
  EXPECT_OK(hal_semaphore_signal(given, 1));
  EXPECT_EQ(semaphore.get(), nullptr);
}

TEST_F(CallbackTest, ReleasesMayGoOnAndOn) {
  struct Link {
    std::vector<File>* files;
    static void Release(void* link) {
      std::vector<File>& files = *static_cast<Link*>(link)->files;
      if (files.empty()) return;
      const File next = std::move(files.back());
      files.pop_back();
    }
  };
  std::vector<File> files;
  Link link{&files};
  char byte = 0;
  for (int i = 0; i < 100'000; ++i) {
    File file;
    ASSERT_OK(hal_file_from_memory(&byte, 1, HAL_FILE_ACCESS_READ, Link::Release, &link, file.out()));
    files.push_back(std::move(file));
  }
  OnSmallStack([&] { Link::Release(&link); });
  EXPECT_TRUE(files.empty());
}

// --- Failures --------------------------------------------------------------------------------------------------------

TEST_F(CallbackTest, AFailureThatNoSignalCarriesIsLogged) {
  LogRecorder log;
  const Semaphore failed = CreateSemaphore();
  ASSERT_OK(failed.Fail(HAL_STATUS_DATA_LOSS, "spilt"));
  ASSERT_OK(Barrier({{failed, 1}}, kNoSignals));
  ASSERT_TRUE(log.WaitForLine());
  // Each driver has its own message.
  EXPECT_THAT(log.lines(), ElementsAre(AllOf(HasSubstr("signals nothing"), HasSubstr("failed"), EndsWith(": spilt"))));
}

TEST_F(CallbackTest, AFailureThatASignalCarriesIsNotLogged) {
  LogRecorder log;
  const Semaphore failed = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(failed.Fail(HAL_STATUS_DATA_LOSS, "spilt"));
  ASSERT_OK(Barrier({{failed, 1}}, {{done, 1}}));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, done.Wait(1));
  EXPECT_THAT(log.lines(), testing::IsEmpty());
}

/// What needs queues that call the host and fill buffers with more than a few bytes.
class CallbackWorkTest : public DeviceTest {};

TEST_F(CallbackWorkTest, ThrowingHostCallIsAborted) {
  const Semaphore done = CreateSemaphore();
  const auto thrower = [](void*, hal_status_t) -> hal_status_t { throw std::runtime_error("no paper left"); };
  const hal_timeline_point_t signal = {done, 1};
  ASSERT_OK(hal_device_queue_host_call(
      device(), hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1)), thrower, nullptr));
  EXPECT_STATUS(HAL_STATUS_ABORTED, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), AllOf(HasSubstr("host call"), TellsOf("no paper left")));
}

TEST_F(CallbackWorkTest, ThrowingAtAFailureChangesNothing) {
  const LogRecorder log;
  const Semaphore failed = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(failed.Fail(HAL_STATUS_DATA_LOSS, "spilt"));
  const auto thrower = [](void*, hal_status_t) -> hal_status_t { throw std::runtime_error("no paper left"); };
  const hal_timeline_point_t wait = {failed, 1};
  const hal_timeline_point_t signal = {done, 1};
  ASSERT_OK(hal_device_queue_host_call(
      device(), hal::SubmitParams(hal_semaphore_list(&wait, 1), hal_semaphore_list(&signal, 1)), thrower, nullptr));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("spilt"));
}

// Whether the timeline has got there when it is failed is the device's affair; what follows from that is not.
TEST_F(CallbackWorkTest, FailingATimelineFailsWhatWasSubmittedForLater) {
  for (int round = 0; round < 8; ++round) {
    const Buffer buffer = CreateBuffer(16 << 20);  // its own, as the fill may still run when the round ends
    const Semaphore filled = CreateSemaphore();
    const Semaphore copied = CreateSemaphore();
    const Semaphore done = CreateSemaphore();
    ASSERT_OK(device().QueueFill(kNoWaits, {{filled, 1}}, buffer, 1));
    ASSERT_OK(device().QueueFill({{filled, 1}}, {{copied, 1}}, Ref(buffer, 0, 64), 2));
    ASSERT_OK(Barrier({{copied, 1}}, {{done, 1}}));
    ASSERT_OK(filled.Fail(HAL_STATUS_ABORTED, "given up by the host"));
    const bool reached = filled.Value() == 1;
    EXPECT_STATUS(reached ? HAL_STATUS_OK : HAL_STATUS_ABORTED, done.Wait(1));
    if (!reached) EXPECT_THAT(hal_last_error_message(), HasSubstr("given up by the host"));
  }
}

// The callback runs on whichever thread; the call that made the buffer may still be under way.
TEST_F(CallbackWorkTest, MayGiveUpTheDeviceWithinAnAllocation) {
  Device other = OpenSecondDevice();
  const Semaphore allocated = other.CreateSemaphore();
  hal_device_t* const given = other.get();
  const hal_timeline_point_t signal = {allocated, 1};
  Counter called;
  ASSERT_OK(allocated.Notify(1, [&](hal_status_t, const std::string&) {
    other.reset();
    called.Add();
  }));
  const hal_buffer_params_t params = DeviceLocal();
  Buffer buffer;
  ASSERT_OK(hal_device_queue_alloca(given,
                                    hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1)),
                                    &params, 4096, buffer.out()));
  EXPECT_TRUE(called.WaitFor(1));
}

}  // namespace
}  // namespace halyard::cts
