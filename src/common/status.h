// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failing with words: the status goes up the call chain, the words stay in this thread's message.
#ifndef HALYARD_COMMON_STATUS_H_
#define HALYARD_COMMON_STATUS_H_

#include <string_view>

#include "common/host_memory.h"
#include "halyard/status.h"

namespace halyard {

/// A status that must not be dropped. The words of a failure are in this thread's last error message.
using Status = hal_status_t;

inline constexpr Status kOk = HAL_STATUS_OK;

/// Sets this thread's message from a printf format and returns `status`: `return Fail(HAL_STATUS_NOT_FOUND, "…", …);`
[[nodiscard]] Status Fail(hal_status_t status, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// As Fail(), with the words given.
Status FailWith(hal_status_t status, std::string_view message);

/// Puts `prefix` before the message of a failure that is being passed on. Does nothing for OK.
Status Annotate(hal_status_t status, std::string_view prefix);

/// This thread's last message.
std::string_view LastErrorMessage();

/// Puts this thread's message back as it was: for a call that may yet succeed after something in it failed. Costs no
/// memory unless something does fail.
class MessageKeeper {
 public:
  MessageKeeper() noexcept { Swap(); }
  ~MessageKeeper() {
    if (!dropped_) Swap();
  }
  MessageKeeper(const MessageKeeper&) = delete;
  MessageKeeper& operator=(const MessageKeeper&) = delete;
  /// The call has failed after all: the message stays as it is now.
  void Drop() { dropped_ = true; }

 private:
  void Swap() noexcept;
  HostString kept_;
  bool dropped_ = false;
};

/// A failure that outlives its thread's message: what a semaphore or an action keeps.
struct Failure {
  Status status = kOk;
  HostString message;

  /// Keeps a failure. If there is no memory for the words, the status still says it.
  static Failure Of(Status status, std::string_view message) noexcept {
    Failure failure;
    failure.status = status;
    try {
      failure.message = message;
    } catch (...) {
      failure.message.clear();
    }
    return failure;
  }
  /// Keeps `status` with this thread's message.
  static Failure FromThread(Status status) noexcept { return Of(status, LastErrorMessage()); }
  /// Makes it this thread's last failure again.
  Status Raise() const { return FailWith(status, message); }
};

/// A printf argument pair for "%.*s".
#define HALYARD_SV(view) static_cast<int>((view).size()), (view).data()

inline std::string_view View(hal_string_view_t text) { return {text.data ? text.data : "", text.data ? text.size : 0}; }
inline hal_string_view_t ToC(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace halyard

#endif  // HALYARD_COMMON_STATUS_H_
