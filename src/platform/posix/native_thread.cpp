// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/native_thread.h"

#include <pthread.h>

#include <bit>
#include <memory>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace halyard {
namespace {

void* RunBody(void* body) {
  const std::unique_ptr<std::function<void()>> own(static_cast<std::function<void()>*>(body));
  (*own)();
  return nullptr;
}

pthread_t ToPosix(uintptr_t id) { return std::bit_cast<pthread_t>(id); }

}  // namespace

int NativeThread::Start(std::function<void()> body, size_t stack_size) {
  auto own = std::make_unique<std::function<void()>>(std::move(body));
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error != 0) return error;
  constexpr size_t kUnit = 65536;  // whole pages of every system
  if (stack_size > 0) error = pthread_attr_setstacksize(&attributes, (stack_size + kUnit - 1) / kUnit * kUnit);
  pthread_t id{};
  if (error == 0) error = pthread_create(&id, &attributes, RunBody, own.get());
  pthread_attr_destroy(&attributes);
  if (error != 0) return error;
  static_cast<void>(own.release());  // the thread frees it
  id_ = std::bit_cast<uintptr_t>(id);
  joinable_ = true;
  return 0;
}

bool NativeThread::IsCurrent() const { return joinable_ && pthread_equal(ToPosix(id_), pthread_self()) != 0; }

void NativeThread::join() {
  pthread_join(ToPosix(id_), nullptr);
  joinable_ = false;
}

void NativeThread::detach() {
  pthread_detach(ToPosix(id_));
  joinable_ = false;
}

void NameThisThread(const char* name) noexcept {
#if defined(__APPLE__)
  pthread_setname_np(name);
#elif defined(__linux__)
  pthread_setname_np(pthread_self(), name);
#else
  static_cast<void>(name);
#endif
}

void SleepPrecisely() noexcept {
#if defined(__linux__)
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // nanoseconds, of this thread
#endif
}

PreciseSleeps::PreciseSleeps() noexcept {
#if defined(__linux__)
  const int slack = prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
  if (slack <= 1) return;  // or the system does not tell
  slack_ = slack;
  SleepPrecisely();
#endif
}

PreciseSleeps::~PreciseSleeps() {
#if defined(__linux__)
  if (slack_ != 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack_), 0UL, 0UL, 0UL);
#endif
}

}  // namespace halyard
