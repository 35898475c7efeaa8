// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the application's functions: what they throw, that they end the thread, and what they bring about.
#ifndef HALYARD_BASE_APPLICATION_CALL_H_
#define HALYARD_BASE_APPLICATION_CALL_H_

#include "base/drain_scope.h"
#include "base/host_memory.h"
#include "base/status.h"
#include "base/thread_local.h"
#include "base/vendor_gate.h"

namespace halyard {

/// Exists while the application is called: what it releases and signals runs after it has returned.
class ApplicationScope {
 public:
  ApplicationScope() noexcept { ++t_thread.application_depth; }
  ~ApplicationScope() { --t_thread.application_depth; }
  ApplicationScope(const ApplicationScope&) = delete;
  ApplicationScope& operator=(const ApplicationScope&) = delete;

  /// How many functions of the application this thread is in that the library called.
  static int Depth() { return t_thread.application_depth; }

 private:
  const VendorGate::Pause pause_;  // the application may take any time
  const DrainScope drain_;
};

/// Within a catch block: ABORTED, with the exception's message, or that the application ended the thread. `what` is
/// what the application was called for.
Status ThrownStatus(const char* what) noexcept;
/// Within a catch block: the same as text, for LogThrown() after the block, where the log callback may end the thread
/// as well. NULL if there is no memory for it.
HostString* DescribeThrown(const char* what) noexcept;
/// Logs and frees the text.
void LogThrown(const char* what, HostString* text) noexcept;

/// Calls the application, by a `call` that returns a Status; what it throws becomes one.
template <class Call>
Status CallApplication(const char* what, Call&& call) noexcept {
  const ApplicationScope scope;
  try {
    return call();
  } catch (...) {
    return ThrownStatus(what);
  }
}

/// Calls the application where no caller hears of a failure.
template <class Call>
void CallApplicationUntold(const char* what, Call&& call) noexcept {
  const ApplicationScope scope;
  HostString* thrown = nullptr;
  try {
    return static_cast<void>(call());
  } catch (...) {
    thrown = DescribeThrown(what);
  }
  LogThrown(what, thrown);
}

}  // namespace halyard

#endif  // HALYARD_BASE_APPLICATION_CALL_H_
