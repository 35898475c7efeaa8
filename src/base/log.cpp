// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/log.h"

#include <cstdio>
#include <memory>
#include <mutex>

#include "base/application_call.h"
#include "base/drain_scope.h"
#include "base/host_memory.h"
#include "base/process_wide.h"
#include "base/status.h"
#include "platform/thread_end.h"

namespace halyard {
namespace {

struct LogTarget {
  hal_log_fn_t callback;
  void* user_data;
  hal_log_level_t level;
};

void WriteToStderr(void*, hal_log_level_t level, hal_string_view_t message) {
  const char* name = level >= HAL_LOG_LEVEL_ERROR ? "error" : "warning";
  std::fprintf(stderr, "halyard: %s: %.*s\n", name, static_cast<int>(message.size), message.data);
}

constinit ForkSafeMutex g_target_mutex;  // protects g_target; never held while the callback runs
LogTarget g_target = {WriteToStderr, nullptr, HAL_LOG_LEVEL_WARNING};

class LogLine final : public Runnable, public HostObject {
 public:
  LogLine(hal_log_level_t level, std::string_view message) : level_(level), message_(message) {}
  void Run() noexcept override {
    const std::unique_ptr<LogLine> self(this);
    Log(level_, message_);
  }

 private:
  const hal_log_level_t level_;
  const HostString message_;
};

}  // namespace

void SetLogCallback(hal_log_fn_t callback, void* user_data, hal_log_level_t level) {
  const std::lock_guard lock(g_target_mutex);
  g_target = {callback, user_data, level};
}

void Log(hal_log_level_t level, std::string_view message) noexcept {
  LogTarget target;
  {
    const std::lock_guard lock(g_target_mutex);
    target = g_target;
  }
  if (!target.callback || level < target.level) return;
  const ApplicationScope scope;
  try {
    target.callback(target.user_data, level, ToC(message));
  } catch (...) {
    // Not to the callback that has just failed.
    const bool ended = KeepThread();
    WriteToStderr(nullptr, HAL_LOG_LEVEL_ERROR,
                  ToC(ended ? "the log callback ended its thread, which goes on, at this message:"
                            : "the log callback threw an exception at this message:"));
    WriteToStderr(nullptr, level, ToC(message));
  }
}

void LogLater(hal_log_level_t level, std::string_view message) noexcept try {
  DrainScope::DeferCallback(new LogLine(level, message));
} catch (...) {
}

}  // namespace halyard
