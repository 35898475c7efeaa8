// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/calls_inside.h"

#include <chrono>
#include <utility>

namespace halyard::sim {

void CallsInside::ReturnLate(std::string name, uint64_t milliseconds) {
  const std::lock_guard lock(mutex_);
  late_ = std::move(name);
  lateness_ = milliseconds;
}

uint64_t CallsInside::Threads(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = inside_.find(name);
  return found == inside_.end() ? 0 : found->second;
}

void CallsInside::Report(const char* name, const char* how) {
  reports_.Add(Rule::kCallAtExit, std::string("a thread ") + how + " " + name + " after the library shut down at exit");
}

void CallsInside::BeginExit() {
  const std::lock_guard lock(mutex_);
  exits_ = true;
  exit_thread_ = std::this_thread::get_id();
  for (const auto& [name, threads] : inside_) {
    if (threads > 0) Report(name.c_str(), "was inside");
  }
}

void CallsInside::Begin(const char* name) {
  const std::lock_guard lock(mutex_);
  ++inside_[name];
  if (exits_ && exit_thread_ != std::this_thread::get_id()) Report(name, "called");
}

void CallsInside::End(const char* name) {
  std::chrono::milliseconds lateness(0);
  {
    const std::lock_guard lock(mutex_);
    if (late_ == name) lateness = std::chrono::milliseconds(lateness_);
  }
  if (lateness.count() > 0) std::this_thread::sleep_for(lateness);
  const std::lock_guard lock(mutex_);
  --inside_[name];
}

}  // namespace halyard::sim
