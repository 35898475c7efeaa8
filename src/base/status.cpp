// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/status.h"

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <system_error>

#include "base/per_thread.h"

namespace halyard {
namespace {

/// Where a thread's message is. A message that the buffer has no room for is a string, which keeps its capacity: a
/// failing call does not allocate once the thread has failed with as long a message before.
struct ThreadMessage {
  char text[kShortMessage] = {};  // used unless the long message is in use
  HostString long_text;
};

/// NULL if the thread has none and there is no memory for it: then its messages are missing.
ThreadMessage* MessageOfThread() noexcept {
  try {
    return &PerThread<ThreadMessage>::Get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void CopyMessage(const char* from, char* to) noexcept { std::memcpy(to, from, std::strlen(from) + 1); }

void SetShort(std::string_view message) noexcept {
  ThreadMessage* const own = MessageOfThread();
  if (!own) return;
  own->text[CopyTruncated(message, own->text, kShortMessage - 1)] = '\0';
  own->long_text.clear();
}

// `message` may be a part of the present one.
void SetMessage(std::string_view message) noexcept {
  if (const ScopedErrorMessage* const keeper = ScopedErrorMessage::Innermost()) keeper->Save();
  if (message.size() < kShortMessage) return SetShort(message);
  try {
    PerThread<ThreadMessage>::Get().long_text.assign(message);
  } catch (const std::exception&) {
    SetShort(message);
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
    case EDQUOT:
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

Status Fail(hal_status_t status, const char* format, ...) noexcept {
  // The arguments may point into the old message, so the new one is made beside it.
  std::array<char, 1024> local;
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  const int printed = std::vsnprintf(local.data(), local.size(), format, args);
  va_end(args);
  const size_t length = printed > 0 ? static_cast<size_t>(printed) : 0;
  if (length < local.size()) {
    SetMessage({local.data(), length});
  } else {
    try {
      HostString text(length + 1, '\0');
      std::vsnprintf(text.data(), text.size(), format, again);
      text.pop_back();
      SetMessage(text);
    } catch (const std::exception&) {
      SetShort({local.data(), local.size() - 1});
    }
  }
  va_end(again);
  return status;
}

Status FailWith(hal_status_t status, std::string_view message) noexcept {
  SetMessage(message);
  return status;
}

Status FailWithErrno(int error, std::string_view what) {
  const auto reason = std::generic_category().message(error);
  return Fail(StatusOfErrno(error), "%.*s: %s", HALYARD_SV(what), reason.c_str());
}

Status Annotate(hal_status_t status, std::string_view prefix) noexcept {
  if (status == kOk) return status;
  const std::string_view message = LastErrorMessage();
  return Fail(status, "%.*s%.*s", HALYARD_SV(prefix), HALYARD_SV(message));
}

std::string_view LastErrorMessage() noexcept {
  const ScopedErrorMessage* const keeper = ScopedErrorMessage::Innermost();
  if (keeper && keeper->hides()) return "";
  const ThreadMessage* const own = PerThread<ThreadMessage>::Find();
  if (!own) return "";
  return own->long_text.empty() ? std::string_view(own->text) : std::string_view(own->long_text);
}

void ClearMessage() noexcept {
  if (!LastErrorMessage().empty()) SetMessage({});
}

// Keepers further out hide the same message, or have it: the outermost that hides it takes it, the others none.
void ScopedErrorMessage::Save() const noexcept {
  if (saved_) return;
  if (outer_) outer_->Save();
  saved_ = true;
  ThreadMessage* const own = PerThread<ThreadMessage>::Find();
  if (!own) {
    short_[0] = '\0';
    return;
  }
  CopyMessage(own->text, short_);
  own->text[0] = '\0';
  own->long_text.swap(long_);
}

void ScopedErrorMessage::PutBack() const noexcept {
  ThreadMessage* const own = PerThread<ThreadMessage>::Find();
  if (!own) return;
  CopyMessage(short_, own->text);
  own->long_text.swap(long_);
}

}  // namespace halyard
