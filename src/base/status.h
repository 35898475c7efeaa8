// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failing with a message: the status goes up the call chain, the message stays with this thread.
#ifndef HALYARD_BASE_STATUS_H_
#define HALYARD_BASE_STATUS_H_

#include <string_view>

#include "base/host_memory.h"
#include "base/stored_message.h"
#include "base/thread_local.h"
#include "halyard/status.h"

namespace halyard {

/// A status that must not be dropped. What a failure has to say is this thread's last error message.
///
/// Each thread has a buffer for its message from its first failure on, even without memory: then a reserve of the
/// process has some. A longer message is on the heap. When that has no room, the buffer has its beginning.
using Status = hal_status_t;

inline constexpr Status kOk = HAL_STATUS_OK;

/// Evaluates an expression of type Status, and returns it from the enclosing function unless it is kOk.
#define HAL_TRY(...)                                                                              \
  do {                                                                                            \
    if (const ::halyard::Status hal_try_status = (__VA_ARGS__); hal_try_status != ::halyard::kOk) \
      return hal_try_status;                                                                      \
  } while (false)

/// Bytes of each thread's buffer, the zero at the end included.
inline constexpr size_t kShortMessage = 256;

/// Sets this thread's message from a printf format and returns `status`: `return Fail(HAL_STATUS_NOT_FOUND, "…", …);`
[[nodiscard]] Status Fail(hal_status_t status, const char* format, ...) noexcept __attribute__((format(printf, 2, 3)));

/// As Fail(), with the message given.
Status FailWith(hal_status_t status, std::string_view message) noexcept;

/// Fails with the status that an errno value stands for, and the message "<what>: <the system's message>".
Status FailWithErrno(int error, std::string_view what);

/// Puts `prefix` before the message of a failure that is being passed on. Does nothing for OK.
Status Annotate(hal_status_t status, std::string_view prefix) noexcept;

/// This thread's last message.
std::string_view LastErrorMessage() noexcept;

/// This thread has no message from now on.
void ClearMessage() noexcept;

/// Puts this thread's message back as it was: for a call that may yet succeed after something in it failed. Until then
/// the thread has none. Takes no memory, and next to no time unless something fails: only then the message is copied.
class ScopedErrorMessage {
 public:
  ScopedErrorMessage() noexcept : outer_(t_innermost) { t_innermost = this; }
  ~ScopedErrorMessage() {
    t_innermost = outer_;
    if (saved_ && !dropped_) PutBack();
  }
  ScopedErrorMessage(const ScopedErrorMessage&) = delete;
  ScopedErrorMessage& operator=(const ScopedErrorMessage&) = delete;
  /// The call has failed after all: the message stays as it is now.
  void Dismiss() {
    Save();
    dropped_ = true;
  }

  /// This thread's innermost keeper; NULL if there is none.
  static const ScopedErrorMessage* Innermost() { return t_innermost; }
  /// Whether the thread's message is the one from before, which is not to be seen meanwhile.
  bool hides() const { return !saved_; }
  /// Called before the message changes.
  void Save() const noexcept;

 private:
  void PutBack() const noexcept;

  HALYARD_READ_BY_EVERY_CALL static thread_local constinit inline const ScopedErrorMessage* t_innermost = nullptr;

  const ScopedErrorMessage* const outer_;
  mutable HostString long_;            // the message, if it was on the heap
  mutable char short_[kShortMessage];  // and if it was not; ends in a zero byte
  mutable bool saved_ = false;
  bool dropped_ = false;
};

/// A failure that outlives its thread's message: what a semaphore or an action keeps.
struct Failure {
  Status status = kOk;
  StoredMessage message;

  static Failure Of(Status status, std::string_view message) noexcept {
    Failure failure;
    failure.status = status;
    StoreMessage(message, &failure.message);
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
constexpr hal_string_view_t ToC(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace halyard

#endif  // HALYARD_BASE_STATUS_H_
