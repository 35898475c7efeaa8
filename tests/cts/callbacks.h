// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host functions that tests hand to the C API. The contract calls each exactly once; every test is held to that.
#ifndef HALYARD_TESTS_CTS_CALLBACKS_H_
#define HALYARD_TESTS_CTS_CALLBACKS_H_

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

#include "halyard/halyard.h"

namespace halyard::cts {

/// A host function as tests write it. `message` is empty where the API gives none.
using Callback = std::function<hal_status_t(hal_status_t status, const std::string& message)>;

/// Keeps a callback until it is called; the result is the `user_data` for one of the functions below.
void* AddCallback(Callback callback);
/// Drops a callback whose call into the API was refused, so that no check waits for it.
void WithdrawCallback(void* user_data);
/// Waits until every callback has been called; a test failure if one never is.
void ExpectAllCallbacksCalled();

/// @name What the C API calls. A second call of one callback is a test failure.
/// @{
hal_status_t CallHostCall(void* user_data, hal_status_t status);
void CallTimepoint(void* user_data, hal_status_t status, hal_string_view_t message);
void CallRelease(void* user_data);
/// @}

/// Counts things that happen on other threads.
class Counter {
 public:
  /// Adds one and returns the new count.
  size_t Add();
  size_t count() const;
  /// Waits until the count is at least `count`; false if it takes forever.
  bool WaitFor(size_t count);

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  size_t count_ = 0;
};

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_CALLBACKS_H_
