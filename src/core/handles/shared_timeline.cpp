// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/handles/shared_timeline.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <new>
#include <utility>

#include "core/handles/shared_file.h"
#include "core/semaphore.h"
#include "platform/process.h"

namespace halyard {
namespace {

constexpr uint64_t kMagic = 0x3130454d49544c48;  // "HLTIME01" in memory: the layout below
constexpr uint64_t kFailedBit = uint64_t{1} << 63;
constexpr uint32_t kSeats = 256;
constexpr uint64_t kFileSize = 4096;  // what is mapped; pages that are larger have more

Status FailSystem(int error, const char* what) {
  if (error == ENOENT) return Fail(HAL_STATUS_UNAVAILABLE, "%s: the system has no /proc/self/fd", what);
  return FailWithErrno(error, what);
}

}  // namespace

/// What lies in the file. It begins all zero, which is a good value of everything but the first two words.
struct SharedTimeline::Words {
  struct Seat {
    std::atomic<uint32_t> turn;     // odd while it is taken
    std::atomic<uint32_t> process;  // for messages
  };
  std::atomic<uint64_t> magic;  // written last
  std::atomic<uint64_t> state;  // the value, and kFailedBit
  std::atomic<uint32_t> turn;   // changes with each change of the state
  std::atomic<uint32_t> sleepers;
  std::atomic<uint32_t> failing;  // 1: the failure is being written, or has been
  std::atomic<uint32_t> code;
  std::array<std::atomic<char>, 480> message;  // up to a zero byte
  std::array<Seat, kSeats> seats;
};

Status SharedTimeline::Create(uint64_t initial_value, std::unique_ptr<SharedTimeline>* out) {
  static_assert(sizeof(Words) <= kFileSize && std::atomic<uint64_t>::is_always_lock_free);
  HAL_TRY(CheckSharesHostMemory());
  FileDescriptor file;
  if (const int error = CreateSharedFile("halyard-timeline", kFileSize, &file)) {
    return FailWithErrno(error, "making a timeline that processes share");
  }
  std::unique_ptr<SharedTimeline> made(new SharedTimeline(std::move(file)));
  HAL_TRY(made->Map());
  made->words_->state.store(initial_value);
  made->words_->magic.store(kMagic);
  HAL_TRY(made->TakeSeat());
  *out = std::move(made);
  return kOk;
}

Status SharedTimeline::Open(uint64_t handle, std::unique_ptr<SharedTimeline>* out) {
  int descriptor = -1;
  SharedFileFacts facts;
  HAL_TRY(ReadHostFile("external->handle", handle, /*writes=*/true, &descriptor, &facts));
  FileDescriptor file;
  if (facts.size == kFileSize) {
    if (const int error = Reopen(descriptor, FileUse::kReadAndWrite, &file)) {
      return FailSystem(error, "opening external->handle");
    }
    std::unique_ptr<SharedTimeline> made(new SharedTimeline(std::move(file)));
    HAL_TRY(made->Map());
    if (made->words_->magic.load() == kMagic) {
      HAL_TRY(made->TakeSeat());
      *out = std::move(made);
      return kOk;
    }
  }
  return Fail(HAL_STATUS_INCOMPATIBLE,
              "external->handle, %d, is memory, but no timeline that this version of the library exported", descriptor);
}

Status SharedTimeline::Map() {
  if (const int error = MapShared(file_, 0, kFileSize, 0, /*writes=*/true, &range_)) {
    return FailWithErrno(error, "mapping a timeline that processes share");
  }
  words_ = reinterpret_cast<Words*>(range_.begin);
  return kOk;
}

// The lock comes before the word, and goes after it: a taken seat without a lock is that of a process that ended.
Status SharedTimeline::TakeSeat() {
  for (uint32_t i = 0; i < kSeats; ++i) {
    Words::Seat& seat = words_->seats[i];
    if (seat.turn.load() % 2 != 0) continue;
    const int error = LockPlace(file_, i);
    if (error == EAGAIN || error == EACCES) continue;
    if (error != 0) return FailWithErrno(error, "locking a seat of a timeline that processes share");
    const uint32_t turn = seat.turn.load();
    if (turn % 2 != 0) {  // of a process that ended just now, which the lock must not hide
      UnlockPlace(file_, i);
      continue;
    }
    seat.process.store(static_cast<uint32_t>(ProcessId()));
    seat.turn.store(turn + 1);
    seat_ = i;
    return kOk;
  }
  return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "%u semaphores share the timeline, which is the most there can be",
              kSeats);
}

SharedTimeline::~SharedTimeline() {
  if (seat_ < kSeats) words_->seats[seat_].turn.fetch_add(1);
  UnmapShared(range_);
}

Status SharedTimeline::Export(uint64_t* out_handle) const {
  FileDescriptor file;
  if (const int error = Reopen(file_.get(), FileUse::kReadAndWrite, &file)) {
    return FailSystem(error, "opening a descriptor of the timeline");
  }
  *out_handle = static_cast<uint64_t>(file.Release());
  return kOk;
}

SharedTimeline::Look SharedTimeline::Read() const {
  const uint64_t state = words_->state.load();
  return {state & ~kFailedBit, (state & kFailedBit) != 0};
}

SharedTimeline::Outcome SharedTimeline::Signal(uint64_t value) {
  uint64_t state = words_->state.load();
  do {
    if ((state & kFailedBit) != 0) return Outcome::kFailed;
    if (state >= value) return Outcome::kNotAbove;
  } while (!words_->state.compare_exchange_weak(state, value));
  WakeAll();
  return Outcome::kSignalled;
}

bool SharedTimeline::WriteFailure(hal_status_t code, std::string_view message) {
  uint32_t none = 0;
  if (!words_->failing.compare_exchange_strong(none, 1)) return false;
  const size_t size = std::min(message.size(), words_->message.size() - 1);
  for (size_t i = 0; i < size; ++i) words_->message[i].store(message[i], std::memory_order_relaxed);
  words_->code.store(static_cast<uint32_t>(code));
  return true;
}

void SharedTimeline::SetFailed() {
  words_->state.fetch_or(kFailedBit);
  WakeAll();
}

void SharedTimeline::FailTimeline(hal_status_t code, std::string_view message) {
  if (WriteFailure(code, message)) SetFailed();  // or another thread does
}

Status SharedTimeline::ReadFailure() const {
  std::array<char, sizeof(Words::message)> text{};
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    text[i] = words_->message[i].load(std::memory_order_relaxed);
    if (text[i] == '\0') break;
  }
  const auto code = static_cast<hal_status_t>(words_->code.load());
  if (Succeeds(CheckFailure(code))) return FailWith(code, text.data());
  return FailWith(HAL_STATUS_ABORTED, "a process that shares the semaphore failed it, and ended before it said why");
}

// A seat that is taken, has no lock and is still taken since: a process that leaves frees it before it gives up the
// lock.
bool SharedTimeline::HasEnded(uint32_t number, uint32_t* out_process) {
  Words::Seat& seat = words_->seats[number];
  uint32_t turn = seat.turn.load();
  if (turn % 2 == 0 || number == seat_) return false;
  bool locked = true;
  if (IsPlaceLocked(file_, number, &locked) != 0 || locked) return false;
  *out_process = seat.process.load();
  return seat.turn.load() == turn;
}

// The one that ended may have been about to fail the timeline: then it has claimed the message, and only the bit is
// due.
void SharedTimeline::FailIfOneEnded() {
  if (Read().failed) return;
  for (uint32_t i = 0; i < kSeats; ++i) {
    uint32_t process = 0;
    if (!HasEnded(i, &process)) continue;
    std::array<char, 160> message;
    std::snprintf(message.data(), message.size(),
                  "the process %u, which shared the semaphore, ended without releasing it", process);
    WriteFailure(HAL_STATUS_ABORTED, message.data());
    return SetFailed();
  }
}

uint32_t SharedTimeline::turn() const { return words_->turn.load(); }

// The thread counts itself before it looks at the turn, and one that signals changes the turn before it looks at the
// count: one of the two sees the other.
void SharedTimeline::Sleep(uint32_t turn, uint64_t until) {
  words_->sleepers.fetch_add(1);
  if (words_->turn.load() == turn) WaitOnSharedWord(words_->turn, turn, until);
  words_->sleepers.fetch_sub(1);
}

void SharedTimeline::WakeAll() {
  words_->turn.fetch_add(1);
  if (words_->sleepers.load() != 0) WakeAllOnSharedWord(words_->turn);
}

}  // namespace halyard
