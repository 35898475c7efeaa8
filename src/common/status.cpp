// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/status.h"

#include <cstdarg>
#include <cstdio>

#include "common/per_thread.h"

namespace halyard {
namespace {

/// The buffer keeps its capacity, so that a failing call does not allocate once the thread has failed before.
struct Message : HostObject {
  HostString text;
};

using ThreadMessage = PerThread<Message>;

}  // namespace

Status Fail(hal_status_t status, const char* format, ...) {
  // The arguments may point into the old message, so the new one is made beside it.
  char local[1024];
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  const int length = std::vsnprintf(local, sizeof(local), format, args);
  va_end(args);
  if (length >= 0 && static_cast<size_t>(length) < sizeof(local)) {
    FailWith(status, {local, static_cast<size_t>(length)});
  } else if (length >= 0) {
    HostString text(static_cast<size_t>(length) + 1, '\0');
    std::vsnprintf(text.data(), text.size(), format, again);
    text.pop_back();
    FailWith(status, text);
  }
  va_end(again);
  return status;
}

Status FailWith(hal_status_t status, std::string_view message) {
  Message* const old = ThreadMessage::Find();
  if (message.empty() && !old) return status;  // no words, none to take back: needs no memory
  try {
    ThreadMessage::Get().text.assign(message);
  } catch (...) {  // no memory for the words; the status still says what happened
    if (old) old->text.clear();
  }
  return status;
}

Status Annotate(hal_status_t status, std::string_view prefix) {
  if (status == kOk) return status;
  try {
    ThreadMessage::Get().text.insert(0, prefix);
  } catch (...) {  // the message without its prefix is still true
    return status;
  }
  return status;
}

std::string_view LastErrorMessage() {
  const Message* const message = ThreadMessage::Find();
  return message ? std::string_view(message->text) : std::string_view("");
}

void MessageKeeper::Swap() noexcept {
  Message* const message = ThreadMessage::Find();
  if (message && !(message->text.empty() && kept_.empty())) message->text.swap(kept_);
}

}  // namespace halyard
