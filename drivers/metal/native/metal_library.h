// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metal, loaded when the driver is asked for: functions and classes by name, nothing linked.
#ifndef HALYARD_METAL_NATIVE_METAL_LIBRARY_H_
#define HALYARD_METAL_NATIVE_METAL_LIBRARY_H_

#include "base/host_memory.h"
#include "base/status.h"
#include "base/vendor_gate.h"
#include "driver_kit/device/vendor_library.h"
#include "metal/native/metal_types.h"

namespace halyard::metal {

inline constinit VendorGate g_metal_gate;

/// The framework. Loaded once for the process.
class MetalLibrary {
 public:
  static constexpr char kWhat[] = "Metal framework";
  static constexpr bool kWorksAfterFork = false;
  static Status Get(const MetalLibrary** out_library) { return LoadOnce(out_library); }
  /// For LoadOnce(). UNAVAILABLE, with what is missing.
  Status Load();

  /// All devices, each retained: the system's default first.
  Status CopyDevices(HostVector<Owned<NativeDevice>>* out_devices) const;
  const HostString& path() const { return file_.path(); }

 private:
  VendorLibrary file_;
};

#ifdef __OBJC__
/// A class of Metal, which the driver must not name in a message: that would link it.
#define HALYARD_METAL_CLASS(name) ((Class)NSClassFromString(@ #name))
#endif

}  // namespace halyard::metal

#endif  // HALYARD_METAL_NATIVE_METAL_LIBRARY_H_
