// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/vendor_gate.h"

#include <chrono>
#include <thread>
#include <utility>

#include "base/wait_policy.h"
#include "platform/process.h"

namespace halyard {

Status FailAtExit() {
  return FailWith(HAL_STATUS_DEVICE_LOST, "the process ends, so no thread of the library calls the device any more");
}

void VendorGate::Adopt() noexcept {
  const uint64_t process = ProcessId();
  const uint64_t before = process_.load();
  if (before == process) return;
  if (before != 0) {  // a child of fork(), with none of its parent's threads
    inside_.store(0);
    closed_.store(false);
  }
  process_.store(process);
}

bool VendorGate::TakeHandler() noexcept { return std::exchange(handled_, ProcessId()) != ProcessId(); }

void VendorGate::Close(Deadline deadline) noexcept {
  if (process_.load() != ProcessId()) return;  // a child of fork() that has no thread of its own
  closed_.store(true, std::memory_order_seq_cst);
  while (inside() > 0 && !deadline.passed()) std::this_thread::sleep_for(std::chrono::nanoseconds(kExitPause));
}

bool VendorGate::Join() noexcept {
  inside_.fetch_add(1, std::memory_order_seq_cst);
  if (!closed()) return true;
  Leave();
  return false;
}

void VendorGate::Scope::Enter(Thread& thread, VendorGate& gate) noexcept {
  gate_ = &gate;
  thread_ = &thread;
  outer_ = thread.innermost_;
  thread.innermost_ = this;
  for (const Scope* outer = outer_; outer; outer = outer->outer_) {
    if (outer->gate_ == &gate && outer->counted_) return;
  }
  open_ = counted_ = gate.Join();
}

void VendorGate::Scope::Leave() noexcept {
  thread_->innermost_ = outer_;
  if (counted_) gate_->Leave();
}

// Scopes that begin meanwhile count anew.
void VendorGate::Pause::Begin(Thread& thread) noexcept {
  thread_ = &thread;
  paused_ = thread.innermost_;
  thread.innermost_ = nullptr;
  for (Scope* scope = paused_; scope; scope = scope->outer_) {
    if (scope->counted_) scope->gate_->Leave();
  }
}

void VendorGate::Pause::End() noexcept {
  thread_->innermost_ = paused_;
  for (Scope* scope = paused_; scope; scope = scope->outer_) {
    if (scope->counted_) scope->counted_ = scope->gate_->Join();
  }
  for (Scope* scope = paused_; scope; scope = scope->outer_) scope->open_ = !scope->gate_->closed();
}

}  // namespace halyard
