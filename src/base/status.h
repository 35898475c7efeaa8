// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failing with a message: one pointer that goes up the call chain has the code and the text.
#ifndef HALYARD_BASE_STATUS_H_
#define HALYARD_BASE_STATUS_H_

#include <array>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "halyard/status.h"

namespace halyard {

/// The code and the message of a failure: made by Fail(), never changed, shared by all that refer to it. Thread-safe:
/// the count of references is atomic.
class FailureText;

/// OK, or a failure with its message. One pointer, which functions return in a register; NULL is OK.
///
/// A failing status is a reference, and each is handed on or dropped once: returned, given to Failure, Annotate(),
/// ToC() or Publish(), or dropped by Ignore(). One that is forgotten is a leak, which the address sanitizer reports. A
/// destructor would see to it, and would cost nine instructions for each call that is not inlined.
///
/// Thread-compatible; another thread may have the status if the caller orders both.
class [[nodiscard]] Status {
 public:
  constexpr Status() noexcept = default;

  /// HAL_STATUS_OK, or what failed. Does not drop the status, nor do the next two.
  hal_status_t code() const noexcept { return text_ ? CodeOf(*text_) : HAL_STATUS_OK; }
  /// Valid until the status is dropped. Ends in a zero byte; empty for OK.
  std::string_view message() const noexcept;
  /// The same failure once more.
  Status Share() const noexcept {
    if (text_) AddReference(*text_);
    return *this;
  }

  /// Drops the status: nothing is told of a failure.
  void Ignore() const noexcept {
    if (text_) [[unlikely]]
      DropReference(text_);
  }

  friend constexpr bool operator==(const Status& a, const Status& b) noexcept { return a.text_ == b.text_; }
  /// A temporary would be forgotten: Succeeds() drops it.
  friend constexpr bool operator==(Status&& temporary, const Status&) noexcept = delete;

 private:
  friend class FailureText;
  explicit constexpr Status(const FailureText* text) noexcept : text_(text) {}

  static hal_status_t CodeOf(const FailureText& text) noexcept;
  static void AddReference(const FailureText& text) noexcept;
  static void DropReference(const FailureText* text) noexcept;

  const FailureText* text_ = nullptr;
};
static_assert(std::is_trivially_copyable_v<Status> && sizeof(Status) == sizeof(void*), "or it is returned via memory");

inline constexpr Status kOk;

/// Whether it is OK. Drops a failure.
[[nodiscard]] inline bool Succeeds(Status status) noexcept {
  status.Ignore();
  return status == kOk;
}

/// Makes a failure, with a message from a printf format: `return Fail(HAL_STATUS_NOT_FOUND, "…", …);`
///
/// Needs no memory: if the host has none, a small reserve of the process has room for the first 255 bytes. Once that is
/// used up, the failure has its code alone.
Status Fail(hal_status_t code, const char* format, ...) noexcept __attribute__((format(printf, 2, 3)));

/// As Fail(), with the message given.
Status FailWith(hal_status_t code, std::string_view message) noexcept;

/// A failure without a message, which allocates nothing: an answer that is no error.
Status FailBare(hal_status_t code) noexcept;

/// Fails with the status that an errno value stands for, and the message "<what>: <the system's message>".
Status FailWithErrno(int error, std::string_view what);

/// Puts texts before the message of a failure that is being passed on: `Annotate(status, function, ": ")`. Does nothing
/// for OK. What makes the texts must not throw, as the failure would be forgotten: there is another one below for that.
Status AnnotateWith(Status failure, std::span<const std::string_view> prefix) noexcept;
template <class... Texts>
Status Annotate(Status status, const Texts&... prefix) noexcept {
  if (status == kOk) [[likely]]
    return status;
  const std::array<std::string_view, sizeof...(Texts)> texts = {std::string_view(prefix)...};
  return AnnotateWith(status, texts);
}

/// Leaves a failure's text with this thread for FromC() on the other side of a C function, such as an entry of a
/// vtable, and returns its code. Drops the status.
[[nodiscard]] hal_status_t LeaveText(Status failure) noexcept;
[[nodiscard]] inline hal_status_t ToC(Status status) noexcept {
  if (status == kOk) [[likely]]
    return HAL_STATUS_OK;
  return LeaveText(status);
}

/// What a C function returned: with the text that ToC() or the host's set_error() left, or with this thread's last
/// message, if the function was a public one. INTERNAL for a number that is no status.
Status TakeText(hal_status_t failure) noexcept;
inline Status FromC(hal_status_t code) noexcept {
  if (code == HAL_STATUS_OK) [[likely]]
    return kOk;
  return TakeText(code);
}
inline Status FromC(Status status) noexcept { return status; }
/// Drops what LeaveText() has left.
void DropText() noexcept;

/// Whether a C function returned OK. Drops the text of a failure, and allocates nothing.
[[nodiscard]] inline bool Succeeds(hal_status_t code) noexcept {
  if (code == HAL_STATUS_OK) [[likely]]
    return true;
  DropText();
  return false;
}

/// Makes it what hal_last_error_message() says on this thread, and returns its code. Leaves that alone for OK. Drops
/// the status.
hal_status_t Publish(Status status) noexcept;

/// Evaluates an expression of type Status, or a call of a C function, and returns the failure from the enclosing
/// function unless it is OK.
#define HAL_TRY(...)                                                                                              \
  do {                                                                                                            \
    if (const ::halyard::Status hal_try_status = ::halyard::FromC(__VA_ARGS__); hal_try_status != ::halyard::kOk) \
      return hal_try_status;                                                                                      \
  } while (false)

/// Owns a status: what a semaphore, an action or a local variable keeps of a failure. OK at first. Not synchronised.
class Failure {
 public:
  Failure() noexcept = default;
  explicit Failure(Status status) noexcept : status_(status) {}
  Failure(const Failure& other) noexcept : status_(other.status_.Share()) {}
  Failure(Failure&& other) noexcept : status_(std::exchange(other.status_, kOk)) {}
  Failure& operator=(Failure other) noexcept {
    std::swap(status_, other.status_);
    return *this;
  }
  ~Failure() { status_.Ignore(); }

  /// False if it is OK.
  explicit operator bool() const noexcept { return status_ != kOk; }
  hal_status_t code() const noexcept { return status_.code(); }
  /// Valid as long as this is; ends in a zero byte.
  std::string_view message() const noexcept { return status_.message(); }
  /// The same failure, to hand on.
  Status Share() const noexcept { return status_.Share(); }
  /// Gives the status away. OK from now on.
  Status Take() noexcept { return std::exchange(status_, kOk); }

 private:
  Status status_;
};

/// As for a Status, where what makes the texts may throw.
template <class... Texts>
Status Annotate(const Failure& failure, const Texts&... prefix) noexcept {
  return Annotate(failure.Share(), prefix...);
}

/// Makes the status' message what hal_last_error_message() says on this thread; OK stands for none. Drops the status,
/// and returns what was there before, which Ignore() drops.
Status ExchangeLastMessage(Status message) noexcept;

/// Exists while the library calls the application, or a public function: hal_last_error_message() says at first what
/// the status does, and afterwards again what it said before, whatever fails meanwhile.
class LastMessageScope {
 public:
  explicit LastMessageScope(Status shown) noexcept : before_(ExchangeLastMessage(shown)) {}
  ~LastMessageScope() { ExchangeLastMessage(before_).Ignore(); }
  LastMessageScope(const LastMessageScope&) = delete;
  LastMessageScope& operator=(const LastMessageScope&) = delete;

 private:
  const Status before_;
};

/// What LeaveText() has left for the next TakeText() on this thread, else this thread's last message; ends in a zero
/// byte.
std::string_view LeftMessage() noexcept;

/// This thread's last message, as hal_last_error_message() returns it; ends in a zero byte.
std::string_view LastErrorMessage() noexcept;

/// A printf argument pair for "%.*s".
#define HALYARD_SV(view) static_cast<int>((view).size()), (view).data()

inline std::string_view View(hal_string_view_t text) { return {text.data ? text.data : "", text.data ? text.size : 0}; }
constexpr hal_string_view_t ToC(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace halyard

#endif  // HALYARD_BASE_STATUS_H_
