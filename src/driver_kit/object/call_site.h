// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where in the application a call comes from.
#ifndef HALYARD_DRIVER_KIT_OBJECT_CALL_SITE_H_
#define HALYARD_DRIVER_KIT_OBJECT_CALL_SITE_H_

#include <array>
#include <cstddef>

#include "base/host_memory.h"

namespace halyard {

/// A public function, and the return addresses on the stack where the C library can tell them.
class CallSite {
 public:
  CallSite() = default;
  /// The stack of this thread, as it is now.
  static CallSite Here(const char* function) noexcept;

  const char* function() const { return function_; }
  /// "hal_fence_create at app+0x1234, app+0x1100": what addr2line takes. Without the frames of the library itself, if
  /// that is a file of its own.
  HostString Text() const;

 private:
  static constexpr size_t kMostFrames = 16;

  const char* function_ = nullptr;
  std::array<void*, kMostFrames> frames_{};
  size_t frame_count_ = 0;
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_OBJECT_CALL_SITE_H_
