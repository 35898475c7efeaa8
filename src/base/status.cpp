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

/// A message that the thread's buffer has no room for. Keeps its capacity, so that a failing call does not allocate
/// once the thread has failed with as long a message before.
struct LongMessage : HostObject {
  HostString text;
};

using ThreadLongMessage = PerThread<LongMessage>;

void CopyMessage(const char* from, char* to) noexcept { std::memcpy(to, from, std::strlen(from) + 1); }

/// initial-exec for the reason that per_thread.h gives; and because the default model takes memory when a thread first
/// uses it, and ends the process when there is none. Used unless the long message is in use.
[[gnu::tls_model("initial-exec")]] thread_local constinit char t_short[kShortMessage] = {};

void SetShort(std::string_view message) noexcept {
  t_short[CopyTruncated(message, t_short, kShortMessage - 1)] = '\0';
  if (LongMessage* const present = ThreadLongMessage::Find()) present->text.clear();
}

// `message` may be a part of the present one.
void SetMessage(std::string_view message) noexcept {
  if (const ScopedErrorMessage* const keeper = ScopedErrorMessage::Innermost()) keeper->Save();
  if (message.size() < kShortMessage) return SetShort(message);
  try {
    ThreadLongMessage::Get().text.assign(message);
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
  const LongMessage* const message = ThreadLongMessage::Find();
  return message && !message->text.empty() ? std::string_view(message->text) : std::string_view(t_short);
}

void ClearMessage() noexcept {
  if (!LastErrorMessage().empty()) SetMessage({});
}

// Keepers further out hide the same message, or have it: the outermost that hides it takes it, the others none.
void ScopedErrorMessage::Save() const noexcept {
  if (saved_) return;
  if (outer_) outer_->Save();
  saved_ = true;
  CopyMessage(t_short, short_);
  t_short[0] = '\0';
  if (LongMessage* const present = ThreadLongMessage::Find()) present->text.swap(long_);
}

void ScopedErrorMessage::PutBack() const noexcept {
  CopyMessage(short_, t_short);
  if (LongMessage* const present = ThreadLongMessage::Find()) present->text.swap(long_);
}

}  // namespace halyard
