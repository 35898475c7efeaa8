// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals that threads do not take.
#ifndef HALYARD_PLATFORM_BLOCKED_SIGNALS_H_
#define HALYARD_PLATFORM_BLOCKED_SIGNALS_H_

#include <cstdint>

namespace halyard {

/// Blocks signals on this thread while it exists, for the threads that it starts. The system sends those that are left
/// to the thread whose instruction raised them, and ends the process where they are blocked.
class BlockedSignals {
 public:
  BlockedSignals() noexcept;
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  uint64_t before_[16];  // as the system says it
};

}  // namespace halyard

#endif  // HALYARD_PLATFORM_BLOCKED_SIGNALS_H_
