// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/faults.h"

#include <utility>

namespace halyard::sim {

void Faults::FailCall(std::string name, uint64_t nth, int result) {
  const std::lock_guard lock(mutex_);
  left_ = nth;
  only_ = std::move(name);
  result_ = result;
}

void Faults::FailCalls(std::string name, int result) {
  const std::lock_guard lock(mutex_);
  failing_ = std::move(name);
  failing_result_ = result;
}

std::optional<int> Faults::Count(const char* name) {
  const std::lock_guard lock(mutex_);
  ++calls_[name];
  ++all_calls_;
  const bool is_failing = failing_result_ != 0 && failing_ == name;
  if (!is_failing && (left_ == 0 || (!only_.empty() && only_ != name) || --left_ != 0)) return std::nullopt;
  ++failures_;
  failed_call_ = name;
  return is_failing ? failing_result_ : result_;
}

void Faults::CountVoid(const char* name) {
  const std::lock_guard lock(mutex_);
  ++calls_[name];
  ++all_calls_;
}

uint64_t Faults::Calls(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  if (name.empty()) return all_calls_;
  const auto found = calls_.find(name);
  return found == calls_.end() ? 0 : found->second;
}

uint64_t Faults::Failures() const {
  const std::lock_guard lock(mutex_);
  return failures_;
}

const char* Faults::FailedCall() const {
  const std::lock_guard lock(mutex_);
  return failed_call_;
}

void Faults::Clear() {
  const std::lock_guard lock(mutex_);
  failed_call_ = nullptr;
  calls_.clear();
  all_calls_ = failures_ = left_ = 0;
  failing_result_ = 0;
}

}  // namespace halyard::sim
