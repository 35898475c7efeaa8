// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/callbacks.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <unordered_map>
#include <utility>

#include "cts/options.h"

namespace halyard::cts {
namespace {

/// Callbacks that wait for their call, by number. Numbers are never used twice, so a second call is always noticed.
struct CallbackTable {
  std::mutex mutex;
  std::condition_variable idle;
  std::unordered_map<uintptr_t, Callback> waiting;
  uintptr_t last_number = 0;
  size_t running = 0;
};

CallbackTable& table() {
  static CallbackTable instance;
  return instance;
}

hal_status_t Call(void* user_data, hal_status_t status, hal_string_view_t message) {
  Callback callback;
  {
    std::lock_guard lock(table().mutex);
    auto found = table().waiting.find(reinterpret_cast<uintptr_t>(user_data));
    if (found == table().waiting.end()) {
      ADD_FAILURE() << "a callback was called again, with " << hal_status_name(status);
      return HAL_STATUS_OK;
    }
    callback = std::move(found->second);
    table().waiting.erase(found);
    ++table().running;
  }
  hal_status_t result = HAL_STATUS_INTERNAL;
  try {
    result = callback(status, std::string(message.data ? message.data : "", message.size));
  } catch (const std::exception& error) {
    ADD_FAILURE() << "in a callback: " << error.what();
  }
  callback = nullptr;  // destroys what it captured before the test may end
  std::lock_guard lock(table().mutex);
  --table().running;
  table().idle.notify_all();
  return result;
}

}  // namespace

void* AddCallback(Callback callback) {
  std::lock_guard lock(table().mutex);
  const uintptr_t number = ++table().last_number;
  table().waiting.emplace(number, std::move(callback));
  return reinterpret_cast<void*>(number);  // NOLINT(performance-no-int-to-ptr): never dereferenced
}

void WithdrawCallback(void* user_data) {
  std::lock_guard lock(table().mutex);
  if (table().waiting.erase(reinterpret_cast<uintptr_t>(user_data)) == 0) {
    ADD_FAILURE() << "a callback was called although the call that took it failed";
  }
}

void ExpectAllCallbacksCalled() {
  std::unique_lock lock(table().mutex);
  const auto idle = [] { return table().waiting.empty() && table().running == 0; };
  if (table().idle.wait_for(lock, std::chrono::nanoseconds(kForever), idle)) return;
  ADD_FAILURE() << table().waiting.size() << " callbacks were never called, " << table().running
                << " have not returned";
  table().waiting.clear();
}

hal_status_t CallHostCall(void* user_data, hal_status_t status) {
  return Call(user_data, status, hal_string_view(nullptr));
}

void CallTimepoint(void* user_data, hal_status_t status, hal_string_view_t message) {
  Call(user_data, status, message);
}

void CallRelease(void* user_data) { Call(user_data, HAL_STATUS_OK, hal_string_view(nullptr)); }

size_t Counter::Add() {
  std::lock_guard lock(mutex_);
  changed_.notify_all();
  return ++count_;
}

size_t Counter::count() const {
  std::lock_guard lock(mutex_);
  return count_;
}

bool Counter::WaitFor(size_t count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::nanoseconds(kForever), [&] { return count_ >= count; });
}

}  // namespace halyard::cts
