// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the live objects, for hal_shutdown().
#ifndef HALYARD_DRIVER_KIT_OBJECT_LIVE_OBJECTS_H_
#define HALYARD_DRIVER_KIT_OBJECT_LIVE_OBJECTS_H_

#include "base/host_memory.h"
#include "driver_kit/object/kind_words.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Counts devices, and objects that keep no device alive. An object of a device keeps that device alive, so the count
/// of devices shows it. So objects that are made for each operation are not counted.
class LiveObjects {
 public:
  static constexpr bool Counts(hal_object_kind_t kind) { return (kCounted >> (kind & 31) & 1) != 0; }
  /// An object was made; its kind must count.
  static void Made(hal_object_kind_t kind) noexcept;
  /// An object was destroyed.
  static void Gone(hal_object_kind_t kind) noexcept {
    if (Counts(kind)) Remove(kind);
  }

  static int64_t Count(hal_object_kind_t kind) noexcept;
  /// In words: "2 devices, 1 fence"; empty if there are none. Drivers are left out, as registries keep them open.
  static HostString Describe();

 private:
  static constexpr uint32_t kCounted = 1u << HAL_OBJECT_KIND_REGISTRY | 1u << HAL_OBJECT_KIND_DRIVER |
                                       1u << HAL_OBJECT_KIND_DEVICE | 1u << HAL_OBJECT_KIND_FENCE |
                                       1u << HAL_OBJECT_KIND_FILE | 1u << HAL_OBJECT_KIND_DESCRIPTOR_SET_LAYOUT |
                                       1u << HAL_OBJECT_KIND_PIPELINE_LAYOUT | 1u << HAL_OBJECT_KIND_DEVICE_GROUP;
  static_assert(kLastObjectKind < 32);

  static void Remove(hal_object_kind_t kind) noexcept;
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_OBJECT_LIVE_OBJECTS_H_
