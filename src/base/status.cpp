// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/status.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "base/message_memory.h"
#include "base/per_thread.h"

namespace halyard {

// In memory its text follows, and a zero byte.
class FailureText {
 public:
  /// A failure without memory of its own, which is never freed.
  constexpr explicit FailureText(hal_status_t code) : code_(code), size_(0), references_(kPermanent) {}

  /// Room for `size` bytes of text, or fewer. Never NULL: without memory it is a permanent one, which has no room.
  static FailureText* Make(hal_status_t code, size_t size) noexcept;
  static const FailureText* Make(hal_status_t code, std::string_view text) noexcept;
  static Status AsStatus(const FailureText* text) noexcept { return Status(text); }
  static const FailureText* Of(const Status& status) noexcept { return status.text_; }

  bool is_permanent() const { return references_.load(std::memory_order_relaxed) == kPermanent; }
  hal_status_t code() const { return code_; }
  size_t size() const { return size_; }
  /// Writes text `at` a place, as much as there is room for. Returns how much that was. Not for a permanent one.
  size_t Put(size_t at, std::string_view text) {
    const size_t room = size_ - at;
    return text.size() <= room || room >= 3 ? CopyTruncated(text, data() + at, room) : 0;
  }
  void End(size_t at) { data()[at] = '\0'; }
  /// Where the text is; not of a permanent one.
  char* data() { return reinterpret_cast<char*>(this + 1); }
  std::string_view text() const {
    if (is_permanent()) return "there is no memory for a message";
    return {reinterpret_cast<const char*>(this + 1), size_};
  }

  void AddReference() const {
    if (!is_permanent()) references_.fetch_add(1, std::memory_order_relaxed);
  }
  void DropReference() const noexcept {
    if (is_permanent() || references_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    FreeMessage(const_cast<FailureText*>(this), sizeof(FailureText) + size_ + 1);
  }

 private:
  static constexpr uint32_t kPermanent = 0;
  static constexpr size_t kShortText = 255;  // bytes that the reserve has room for
  FailureText(hal_status_t code, size_t size) : code_(code), size_(size), references_(1) {}

  const hal_status_t code_;
  const size_t size_;  // bytes of text
  mutable std::atomic<uint32_t> references_;
};

namespace {

// One for each status, in the order of their numbers.
constinit std::array<FailureText, HAL_STATUS_INTERNAL + 1> g_permanent = {
    FailureText(HAL_STATUS_OK),
    FailureText(HAL_STATUS_CANCELLED),
    FailureText(HAL_STATUS_INVALID_ARGUMENT),
    FailureText(HAL_STATUS_OUT_OF_RANGE),
    FailureText(HAL_STATUS_NOT_FOUND),
    FailureText(HAL_STATUS_ALREADY_EXISTS),
    FailureText(HAL_STATUS_PERMISSION_DENIED),
    FailureText(HAL_STATUS_FAILED_PRECONDITION),
    FailureText(HAL_STATUS_RESOURCE_EXHAUSTED),
    FailureText(HAL_STATUS_DEADLINE_EXCEEDED),
    FailureText(HAL_STATUS_ABORTED),
    FailureText(HAL_STATUS_UNIMPLEMENTED),
    FailureText(HAL_STATUS_UNAVAILABLE),
    FailureText(HAL_STATUS_INCOMPATIBLE),
    FailureText(HAL_STATUS_DATA_LOSS),
    FailureText(HAL_STATUS_DEVICE_LOST),
    FailureText(HAL_STATUS_INTERNAL),
};

/// Owns a reference.
class TextSlot {
 public:
  TextSlot() = default;
  ~TextSlot() { Set(nullptr); }
  TextSlot(const TextSlot&) = delete;
  TextSlot& operator=(const TextSlot&) = delete;
  const FailureText* get() const { return text_; }
  /// Takes a reference over, and gives the one before away.
  const FailureText* Exchange(const FailureText* text) { return std::exchange(text_, text); }
  void Set(const FailureText* text) {
    if (const FailureText* const before = Exchange(text)) before->DropReference();
  }

 private:
  const FailureText* text_ = nullptr;
};

struct ThreadFailures {
  TextSlot last;  // what hal_last_error_message() says
  TextSlot left;  // by LeaveText(), on the way through a C function
};

/// NULL if the thread has none and there is no memory for it: then its messages are missing.
ThreadFailures* FailuresOfThread() noexcept {
  try {
    return &PerThread<ThreadFailures>::Get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

hal_status_t StatusOfErrno(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return HAL_STATUS_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EROFS:
      return HAL_STATUS_PERMISSION_DENIED;
    case EBADF:
    case EINVAL:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case ENXIO:
    case ESPIPE:
      return HAL_STATUS_INVALID_ARGUMENT;
#if defined(EDQUOT)  // a limit of one user, which Windows does not tell from a full disk
    case EDQUOT:
#endif
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC:
      return HAL_STATUS_RESOURCE_EXHAUSTED;
    case EIO:
      return HAL_STATUS_DATA_LOSS;
    default:
      return HAL_STATUS_UNAVAILABLE;
  }
}

}  // namespace

FailureText* FailureText::Make(hal_status_t code, size_t size) noexcept {
  const size_t whole = sizeof(FailureText) + size + 1;
  size_t room = whole;
  void* const memory = AllocateMessage(&room);
  if (!memory) return &g_permanent[code];
  return new (memory) FailureText(code, room < whole ? kShortText : size);
}

const FailureText* FailureText::Make(hal_status_t code, std::string_view text) noexcept {
  FailureText* const made = Make(code, text.size());
  if (made->is_permanent()) return made;
  made->data()[CopyTruncated(text, made->data(), made->size())] = '\0';
  return made;
}

hal_status_t Status::CodeOf(const FailureText& text) noexcept { return text.code(); }
void Status::AddReference(const FailureText& text) noexcept { text.AddReference(); }
void Status::DropReference(const FailureText* text) noexcept { text->DropReference(); }
std::string_view Status::message() const noexcept { return text_ ? text_->text() : ""; }

Status Fail(hal_status_t code, const char* format, ...) noexcept {
  std::array<char, 1024> local;
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  const int printed = std::vsnprintf(local.data(), local.size(), format, args);
  va_end(args);
  const size_t length = printed > 0 ? static_cast<size_t>(printed) : 0;
  const FailureText* made = nullptr;
  if (length < local.size()) {
    made = FailureText::Make(code, {local.data(), length});
  } else {
    FailureText* const whole = FailureText::Make(code, length);
    made = whole;
    if (!whole->is_permanent() && whole->size() == length) {
      std::vsnprintf(whole->data(), length + 1, format, again);
    } else if (!whole->is_permanent()) {
      whole->data()[CopyTruncated({local.data(), local.size() - 1}, whole->data(), whole->size())] = '\0';
    }
  }
  va_end(again);
  return FailureText::AsStatus(made);
}

Status FailWith(hal_status_t code, std::string_view message) noexcept {
  return FailureText::AsStatus(FailureText::Make(code, message));
}

Status FailBare(hal_status_t code) noexcept { return FailureText::AsStatus(&g_permanent[code]); }

Status FailWithErrno(int error, std::string_view what) {
  const auto reason = std::generic_category().message(error);
  return Fail(StatusOfErrno(error), "%.*s: %s", HALYARD_SV(what), reason.c_str());
}

Status AnnotateWith(Status failure, std::span<const std::string_view> prefix) noexcept {
  const Failure inner(failure);
  size_t size = inner.message().size();
  for (const std::string_view text : prefix) size += text.size();
  FailureText* const made = FailureText::Make(inner.code(), size);
  if (made->is_permanent()) return FailureText::AsStatus(made);
  size_t at = 0;
  for (const std::string_view text : prefix) at += made->Put(at, text);
  at += made->Put(at, inner.message());
  made->End(at);
  return FailureText::AsStatus(made);
}

hal_status_t LeaveText(Status failure) noexcept {
  const hal_status_t code = failure.code();
  if (ThreadFailures* const own = FailuresOfThread()) {
    own->left.Set(FailureText::Of(failure));
  } else {
    failure.Ignore();
  }
  return code;
}

Status TakeText(hal_status_t failure) noexcept {
  const auto number = static_cast<uint32_t>(failure);
  ThreadFailures* const own = PerThread<ThreadFailures>::Find();
  const FailureText* text = own ? own->left.Exchange(nullptr) : nullptr;
  if (!text && own && own->last.get()) {
    text = own->last.get();
    text->AddReference();
  }
  if (text && text->code() == failure && number <= HAL_STATUS_INTERNAL) return FailureText::AsStatus(text);
  const Failure other(FailureText::AsStatus(text));
  if (number > HAL_STATUS_INTERNAL) {
    return Fail(HAL_STATUS_INTERNAL, "a driver or callback returned %u, which is no status", number);
  }
  return FailWith(failure, other.message());
}

void DropText() noexcept {
  if (ThreadFailures* const own = PerThread<ThreadFailures>::Find()) {
    Failure(FailureText::AsStatus(own->left.Exchange(nullptr))) = {};
  }
}

hal_status_t Publish(Status status) noexcept {
  if (status == kOk) [[likely]]
    return HAL_STATUS_OK;
  const hal_status_t code = status.code();
  ExchangeLastMessage(status).Ignore();
  return code;
}

Status ExchangeLastMessage(Status message) noexcept {
  ThreadFailures* const own = message == kOk ? PerThread<ThreadFailures>::Find() : FailuresOfThread();
  if (own) return FailureText::AsStatus(own->last.Exchange(FailureText::Of(message)));
  message.Ignore();
  return kOk;
}

std::string_view LeftMessage() noexcept {
  const ThreadFailures* const own = PerThread<ThreadFailures>::Find();
  return own && own->left.get() ? own->left.get()->text() : LastErrorMessage();
}

std::string_view LastErrorMessage() noexcept {
  const ThreadFailures* const own = PerThread<ThreadFailures>::Find();
  if (!own || !own->last.get()) return "";
  return own->last.get()->text();
}

}  // namespace halyard
