// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A capture of Metal's, for Xcode: the device parameter "capture".
#ifndef HALYARD_METAL_DEVICE_METAL_CAPTURE_H_
#define HALYARD_METAL_DEVICE_METAL_CAPTURE_H_

#include <string_view>

#include "base/status.h"
#include "metal/native/metal_types.h"

namespace halyard::metal {

/// Captures all that a device does from Start() on, until this object goes. Metal has one capture for a process.
class MetalCapture {
 public:
  MetalCapture() = default;
  ~MetalCapture();
  MetalCapture(const MetalCapture&) = delete;
  MetalCapture& operator=(const MetalCapture&) = delete;

  /// @param destination  a file that ends in .gputrace and does not exist yet, or "xcode"
  /// @return INVALID_ARGUMENT (the file cannot be written, or exists), UNAVAILABLE (Metal takes no captures here: for
  ///         files MTL_CAPTURE_ENABLED=1 must be set), FAILED_PRECONDITION (another capture is under way)
  Status Start(NativeDevice device, std::string_view destination);

 private:
  bool started_ = false;
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_DEVICE_METAL_CAPTURE_H_
