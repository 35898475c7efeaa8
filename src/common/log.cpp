// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/log.h"

#include <cstdio>
#include <mutex>

#include "common/process_wide.h"

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

constinit ForkSafeMutex g_mutex;  // protects g_target; never held while the callback runs
LogTarget g_target = {WriteToStderr, nullptr, HAL_LOG_LEVEL_WARNING};

}  // namespace

void SetLogCallback(hal_log_fn_t callback, void* user_data, hal_log_level_t level) {
  const std::lock_guard lock(g_mutex);
  g_target = {callback, user_data, level};
}

void Log(hal_log_level_t level, std::string_view message) {
  LogTarget target;
  {
    const std::lock_guard lock(g_mutex);
    target = g_target;
  }
  if (target.callback && level >= target.level)
    target.callback(target.user_data, level, {message.data(), message.size()});
}

}  // namespace halyard
