// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A timeline in memory that processes share.
#ifndef HALYARD_CORE_HANDLES_SHARED_TIMELINE_H_
#define HALYARD_CORE_HANDLES_SHARED_TIMELINE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "platform/shared_memory.h"

namespace halyard {

/// The value and the failure of a timeline, and the seats of those that share it. Each SharedTimeline object has one
/// seat: a word that says it is taken, and a place of the file that the object's own opening of it has locked. The
/// system gives the lock up when the process ends, however that happens. So a seat that is taken without a lock is that
/// of a process that ended.
///
/// Why locks of an open file description: process ids mean nothing in another pid namespace and are used again, a
/// robust futex tells of threads, and a socket would need a channel between each two processes. These need the
/// descriptor alone, and the system keeps them without a thread.
///
/// Another process may write anything to the words: they are read once each, and what is read is checked. Thread-safe.
class SharedTimeline : public HostObject {
 public:
  /// Values have one bit less than their word.
  static constexpr uint64_t kMaxValue = INT64_MAX;

  /// How a timeline stands.
  struct Look {
    uint64_t value;
    bool failed;
  };
  enum class Outcome { kSignalled, kNotAbove, kFailed };

  static Status Create(uint64_t initial_value, std::unique_ptr<SharedTimeline>* out);
  /// As hal_semaphore_import().
  static Status Open(uint64_t handle, std::unique_ptr<SharedTimeline>* out);
  /// Leaves: the others hear of it if they look at the seats, and of nothing else.
  ~SharedTimeline();
  SharedTimeline(const SharedTimeline&) = delete;
  SharedTimeline& operator=(const SharedTimeline&) = delete;

  /// A descriptor with an opening of its own, so that the lock is not that of its receiver too.
  Status Export(uint64_t* out_handle) const;

  Look Read() const;
  /// `value` is kMaxValue at most.
  Outcome Signal(uint64_t value);
  /// The first failure stays.
  void FailTimeline(hal_status_t code, std::string_view message);
  /// Once Read() says that it has failed.
  Status ReadFailure() const;
  /// Fails the timeline if a process that shares it has ended.
  void FailIfOneEnded();

  /// @name Sleeping
  /// A thread reads the turn, looks whether there is something to do, and sleeps until the turn is another one.
  /// @{
  uint32_t turn() const;
  void Sleep(uint32_t turn, uint64_t until);
  void WakeAll();
  /// @}

 private:
  struct Words;
  explicit SharedTimeline(FileDescriptor file) : file_(std::move(file)) {}
  Status Map();
  Status TakeSeat();
  bool HasEnded(uint32_t number, uint32_t* out_process);
  bool WriteFailure(hal_status_t code, std::string_view message);
  void SetFailed();

  FileDescriptor file_;  // an opening that no other object has
  SharedRange range_;
  Words* words_ = nullptr;
  uint32_t seat_ = UINT32_MAX;  // none
};

}  // namespace halyard

#endif  // HALYARD_CORE_HANDLES_SHARED_TIMELINE_H_
