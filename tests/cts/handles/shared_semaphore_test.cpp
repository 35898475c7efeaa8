// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Semaphores that leave as HOST_FD: one timeline for all that have it, in this process and in others, which may end.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cts/cts.h"

namespace halyard::cts {
namespace {

using testing::HasSubstr;

constexpr hal_external_semaphore_type_t kSharedTimeline = HAL_EXTERNAL_SEMAPHORE_TYPE_HOST_FD;

Semaphore CreateShared(const Device& device, uint64_t initial = 0) {
  hal_semaphore_params_t params = HAL_INIT(hal_semaphore_params_t);
  params.initial_value = initial;
  params.handles = HAL_PEER_HANDLE_HOST_FD;
  Semaphore semaphore;
  Check(hal_semaphore_create(device, &params, semaphore.out()), "hal_semaphore_create");
  return semaphore;
}

hal_external_semaphore_t ExportTimeline(const Semaphore& semaphore) {
  hal_external_semaphore_t external = HAL_INIT(hal_external_semaphore_t);
  Check(hal_semaphore_export(semaphore, kSharedTimeline, &external), "hal_semaphore_export");
  return external;
}

void Close(const hal_external_semaphore_t& external) { close(static_cast<int>(external.handle)); }

/// Another one of the same timeline, for any device.
Semaphore Another(const Device& device, const Semaphore& of) {
  const hal_external_semaphore_t external = ExportTimeline(of);
  Semaphore semaphore;
  const hal_status_t status = hal_semaphore_import(device, &external, semaphore.out());
  Close(external);
  Check(status, "hal_semaphore_import");
  return semaphore;
}

/// A process that has a semaphore of the timeline, from the moment on that this returns, and ends when it is killed.
class Sharer {
 public:
  explicit Sharer(const Semaphore& semaphore) {
    const hal_external_semaphore_t external = ExportTimeline(semaphore);
    int ready[2];
    if (pipe(ready) != 0) throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ == 0) Live(external, ready[1]);
    close(ready[1]);
    Close(external);
    char byte = 0;
    joined_ = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
  }
  ~Sharer() { Kill(); }
  bool joined() const { return joined_; }
  void Kill() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }
  pid_t process() const { return process_; }

 private:
  // Only the host: a vendor's library does not work after fork().
  [[noreturn]] static void Live(const hal_external_semaphore_t& external, int ready) {
    alarm(60);
    hal_device_t* device = nullptr;
    hal_semaphore_t* semaphore = nullptr;
    if (hal_device_create(View("local://sync"), &device) != HAL_STATUS_OK) _exit(1);
    if (hal_semaphore_import(device, &external, &semaphore) != HAL_STATUS_OK) _exit(2);
    if (write(ready, "x", 1) != 1) _exit(3);
    while (true) pause();
  }

  pid_t process_ = -1;
  bool joined_ = false;
};

class SharedSemaphoreTest : public DeviceTest {
 protected:
  void SetUp() override {
    hal_peer_properties_t own = HAL_INIT(hal_peer_properties_t);
    ASSERT_OK(hal_device_query_peer(device(), device(), &own));
    if ((own.semaphore_handles & HAL_PEER_HANDLE_HOST_FD) == 0) GTEST_SKIP() << "the system has no memfd";
  }
};

TEST_F(SharedSemaphoreTest, BothHaveOneTimeline) {
  const Semaphore mine = CreateShared(device(), 5);
  const Semaphore theirs = Another(device(), mine);
  EXPECT_EQ(theirs.Value(), 5u);
  ASSERT_OK(theirs.Signal(6));
  EXPECT_EQ(mine.Value(), 6u);
  EXPECT_OK(mine.Wait(6));
  ASSERT_OK(mine.Signal(9));
  EXPECT_OK(theirs.Wait(8));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, theirs.Signal(9)) << "the other one has done it";
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, theirs.Wait(10, 0));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, theirs.Wait(10, 1'000'000));
}

TEST_F(SharedSemaphoreTest, QueuesSignalAndWaitForIt) {
  const Semaphore mine = CreateShared(device());
  const Semaphore theirs = Another(device(), mine);
  const Device other = OpenSecondDevice();
  const Semaphore third = Another(other, mine);
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Barrier({{theirs, 2}}, {{done, 1}}));
  ASSERT_OK(other.QueueBarrier({{third, 1}}, {{third, 2}}));
  ASSERT_OK(Barrier(kNoWaits, {{mine, 1}}));
  EXPECT_OK(done.Wait(1));
  EXPECT_EQ(mine.Value(), 2u);
}

TEST_F(SharedSemaphoreTest, ThreadsThatWaitAreWoken) {
  const Semaphore mine = CreateShared(device());
  const Semaphore theirs = Another(device(), mine);
  constexpr uint64_t kRounds = 200;
  auto answers = std::async(std::launch::async, [&] {
    for (uint64_t i = 0; i < kRounds; ++i) {
      if (theirs.Wait(2 * i + 1) != HAL_STATUS_OK || theirs.Signal(2 * i + 2) != HAL_STATUS_OK) return false;
    }
    return true;
  });
  for (uint64_t i = 0; i < kRounds; ++i) {
    ASSERT_OK(mine.Signal(2 * i + 1));
    ASSERT_OK(mine.Wait(2 * i + 2));
  }
  EXPECT_TRUE(answers.get());
}

TEST_F(SharedSemaphoreTest, EachWayToWaitIsEnded) {
  uint64_t value = 0;
  const Semaphore mine = CreateShared(device());
  const Semaphore theirs = Another(device(), mine);
  for (const hal_wait_flags_t flags : {HAL_WAIT_AUTO, HAL_WAIT_SPIN, HAL_WAIT_YIELD, HAL_WAIT_BLOCK}) {
    ++value;
    auto waiter = std::async(std::launch::async, [&] {
      return hal_semaphore_list_wait(Points{{theirs, value}}, flags, kForever, nullptr);
    });
    ASSERT_OK(mine.Signal(value));
    EXPECT_OK(waiter.get());
  }
  auto any = std::async(std::launch::async, [&] {
    size_t index = 7;
    const hal_status_t status =
        hal_semaphore_list_wait(Points{{mine, 100}, {theirs, value + 1}}, HAL_WAIT_ANY, kForever, &index);
    return status == HAL_STATUS_OK && index == 1;
  });
  ASSERT_OK(mine.Signal(value + 1));
  EXPECT_TRUE(any.get());
}

// The thread that waits finds that the timeline has moved. What that releases runs elsewhere, as the wait goes on.
TEST_F(SharedSemaphoreTest, AThreadThatWaitsHoldsUpNoOther) {
  const Semaphore mine = CreateShared(device());
  const Semaphore theirs = Another(device(), mine);
  const Buffer buffer = CreateBuffer(64);
  constexpr uint64_t kLast = 20;
  for (uint64_t value = 2; value <= kLast; value += 2) {
    ASSERT_OK(device().QueueFill({{mine, value - 1}}, {{mine, value}}, buffer, uint8_t{1}));
  }
  auto waiter = std::async(std::launch::async, [&] { return mine.Wait(kLast); });
  auto other = std::async(std::launch::async, [&] {
    for (uint64_t value = 1; value < kLast; value += 2) {
      if (theirs.Signal(value) != HAL_STATUS_OK || theirs.Wait(value + 1) != HAL_STATUS_OK) return false;
    }
    return true;
  });
  EXPECT_TRUE(other.get());
  EXPECT_OK(waiter.get());
}

TEST_F(SharedSemaphoreTest, SignalsOfManyThreadsAreEachCountedOnce) {
  const Semaphore mine = CreateShared(device());
  constexpr size_t kThreads = 4;
  constexpr uint64_t kLast = 400;
  std::vector<Semaphore> shared;
  for (size_t i = 0; i < kThreads; ++i) shared.push_back(Another(device(), mine));
  std::atomic<uint64_t> signalled{0};
  OnThreads(kThreads, [&](size_t i) {
    for (uint64_t value = 1; value <= kLast; ++value) {
      if (shared[i].Signal(value) == HAL_STATUS_OK) ++signalled;
      EXPECT_OK(shared[i].Wait(value));
    }
  });
  EXPECT_LE(signalled, kLast);
  EXPECT_EQ(mine.Value(), kLast);
}

TEST_F(SharedSemaphoreTest, FailsForAll) {
  const Semaphore mine = CreateShared(device());
  const Semaphore theirs = Another(device(), mine);
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Barrier({{theirs, 2}}, {{done, 1}}));
  ASSERT_OK(mine.Signal(1));
  ASSERT_OK(mine.Fail(HAL_STATUS_DATA_LOSS, "the camera broke down"));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, theirs.Wait(2));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the camera broke down"));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, done.Wait(1));
  EXPECT_OK(theirs.Wait(1)) << "what was reached stays reached";
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, theirs.Signal(3));
  const Semaphore late = Another(device(), theirs);
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, late.Query());
  ASSERT_OK(theirs.Fail(HAL_STATUS_ABORTED, "too late"));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, mine.Query());
}

TEST_F(SharedSemaphoreTest, AProcessThatIsKilledEndsAllWaits) {
  const Semaphore mine = CreateShared(device());
  Sharer sharer(mine);
  ASSERT_TRUE(sharer.joined());
  const std::string process = std::to_string(sharer.process());
  ASSERT_OK(mine.Signal(1));
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Barrier({{mine, 2}}, {{done, 1}}));
  auto waiter = std::async(std::launch::async, [&] {
    const hal_status_t status = mine.Wait(2);
    return std::make_pair(status, std::string(hal_last_error_message()));
  });
  auto blocked = std::async(std::launch::async, [&] {
    return hal_semaphore_list_wait(Points{{mine, 3}}, HAL_WAIT_BLOCK, kForever, nullptr);
  });
  sharer.Kill();
  const auto [status, message] = waiter.get();
  EXPECT_STATUS(HAL_STATUS_ABORTED, status);
  EXPECT_THAT(message, HasSubstr("the process " + process));
  EXPECT_STATUS(HAL_STATUS_ABORTED, blocked.get());
  EXPECT_STATUS(HAL_STATUS_ABORTED, done.Wait(1));
  EXPECT_OK(mine.Wait(1));
  EXPECT_STATUS(HAL_STATUS_ABORTED, mine.Signal(4));
}

TEST_F(SharedSemaphoreTest, AQueryFindsAProcessThatWasKilled) {
  const Semaphore mine = CreateShared(device());
  Sharer sharer(mine);
  ASSERT_TRUE(sharer.joined());
  EXPECT_OK(mine.Query());
  sharer.Kill();
  hal_status_t status = HAL_STATUS_OK;
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(kForever);
       status == HAL_STATUS_OK && std::chrono::steady_clock::now() < end;) {
    status = mine.Query();
  }
  EXPECT_STATUS(HAL_STATUS_ABORTED, status);
}

TEST_F(SharedSemaphoreTest, OneThatIsReleasedEndsNothing) {
  const Semaphore mine = CreateShared(device());
  for (int i = 0; i < 300; ++i) Another(device(), mine);  // more than there are seats
  std::vector<Semaphore> all(255);
  for (Semaphore& each : all) each = Another(device(), mine);
  const hal_external_semaphore_t external = ExportTimeline(mine);
  Semaphore one_more;
  EXPECT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED, hal_semaphore_import(device(), &external, one_more.out()));
  Close(external);
  all.clear();
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, mine.Wait(1, 150'000'000)) << "none has ended";
  EXPECT_OK(mine.Signal(1));
}

TEST_F(SharedSemaphoreTest, TheLastReferenceCancelsWhatWaits) {
  Semaphore mine = CreateShared(device());
  const Semaphore theirs = Another(device(), mine);
  std::promise<hal_status_t> told;
  ASSERT_OK(mine.Notify(1, [&](hal_status_t status, const std::string&) { told.set_value(status); }));
  mine.reset();
  EXPECT_STATUS(HAL_STATUS_CANCELLED, told.get_future().get());
  EXPECT_OK(theirs.Signal(1));
}

TEST_F(SharedSemaphoreTest, ACallbackMayReleaseIt) {
  for (int i = 0; i < 20; ++i) {
    Semaphore mine = CreateShared(device());
    const Semaphore theirs = Another(device(), mine);
    std::promise<hal_status_t> told;
    auto* const raw = mine.get();
    ASSERT_OK(mine.Notify(1, [&told, raw](hal_status_t status, const std::string&) {
      hal_semaphore_release(raw);
      told.set_value(status);
    }));
    static_cast<void>(mine.release());
    ASSERT_OK(theirs.Signal(1));
    EXPECT_OK(told.get_future().get());
  }
}

TEST_F(SharedSemaphoreTest, ValuesHaveABound) {
  const Semaphore mine = CreateShared(device());
  const uint64_t most = device().limits().max_semaphore_value;
  if (most <= INT64_MAX || device().limits().max_semaphore_distance != UINT64_MAX) return;
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, mine.Signal(uint64_t{1} << 63));
  EXPECT_OK(mine.Signal(INT64_MAX));
}

TEST_F(SharedSemaphoreTest, OnlyWhatWasMadeToLeaveLeaves) {
  const Semaphore plain = CreateSemaphore();
  hal_external_semaphore_t external = HAL_INIT(hal_external_semaphore_t);
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, hal_semaphore_export(plain, kSharedTimeline, &external));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("HAL_PEER_HANDLE_HOST_FD"));
  for (const hal_peer_handles_t handles : {HAL_PEER_HANDLE_IPC, HAL_PEER_HANDLE_OPAQUE_FD, HAL_PEER_HANDLE_WIN32,
                                           HAL_PEER_HANDLE_HOST_FD | HAL_PEER_HANDLE_IPC}) {
    hal_semaphore_params_t params = HAL_INIT(hal_semaphore_params_t);
    params.handles = handles;
    Semaphore semaphore;
    EXPECT_STATUS(HAL_STATUS_UNIMPLEMENTED, hal_semaphore_create(device(), &params, semaphore.out())) << handles;
  }
}

TEST_F(SharedSemaphoreTest, OtherTypesAreRefusedWithWords) {
  const Semaphore mine = CreateShared(device());
  struct {
    hal_external_semaphore_type_t type;
    hal_status_t expected;
    const char* words;
  } const cases[] = {
      {HAL_EXTERNAL_SEMAPHORE_TYPE_NONE, HAL_STATUS_INVALID_ARGUMENT, "NONE"},
      {HAL_EXTERNAL_SEMAPHORE_TYPE_OPAQUE_FD, HAL_STATUS_UNIMPLEMENTED, "export_timeline_fd"},
      {HAL_EXTERNAL_SEMAPHORE_TYPE_IPC, HAL_STATUS_UNIMPLEMENTED, "no value"},
      {HAL_EXTERNAL_SEMAPHORE_TYPE_WIN32, HAL_STATUS_UNIMPLEMENTED, "Windows"},
      {static_cast<hal_external_semaphore_type_t>(77), HAL_STATUS_UNIMPLEMENTED, "77"},
  };
  for (const auto& [type, expected, words] : cases) {
    hal_external_semaphore_t external = HAL_INIT(hal_external_semaphore_t);
    EXPECT_STATUS(expected, hal_semaphore_export(mine, type, &external));
    EXPECT_THAT(hal_last_error_message(), HasSubstr(words));
    external.type = type;
    Semaphore semaphore;
    EXPECT_STATUS(expected, hal_semaphore_import(device(), &external, semaphore.out()));
    EXPECT_THAT(hal_last_error_message(), HasSubstr(words));
  }
}

TEST_F(SharedSemaphoreTest, WhatIsNoTimelineIsRefused) {
  const auto import = [&](int64_t descriptor) {
    hal_external_semaphore_t external = HAL_INIT(hal_external_semaphore_t);
    external.type = kSharedTimeline;
    external.handle = static_cast<uint64_t>(descriptor);
    Semaphore semaphore;
    return hal_semaphore_import(device(), &external, semaphore.out());
  };
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int file = open("/proc/self/exe", O_RDONLY);
  const int blank = memfd_create("blank", MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(blank, 4'096), 0);
  EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, import(blank)) << "not sealed";
  ASSERT_EQ(fcntl(blank, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
  const int tiny = memfd_create("tiny", MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(tiny, 1), 0);
  ASSERT_EQ(fcntl(tiny, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
  for (const int wrong : {ends[0], ends[1], file, blank, tiny}) {
    EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, import(wrong)) << wrong;
    close(wrong);
  }
  for (const int64_t none : {int64_t{-1}, int64_t{tiny}, INT64_MAX}) {
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, import(none)) << none;
  }
  const hal_external_semaphore_t external = ExportTimeline(CreateShared(device()));
  const int read_only = open(("/proc/self/fd/" + std::to_string(external.handle)).c_str(), O_RDONLY);
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, import(read_only));
  close(read_only);
  Close(external);
}

}  // namespace
}  // namespace halyard::cts
