// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Metal driver: which devices there are, and how one is opened.
#ifndef HALYARD_METAL_DEVICE_METAL_DRIVER_H_
#define HALYARD_METAL_DEVICE_METAL_DRIVER_H_

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/driver_api.h"
#include "metal/native/metal_library.h"
#include "metal/native/metal_traits.h"
#include "metal/native/metal_types.h"

namespace halyard::metal {

/// Keeps all devices for its life, so that what is listed is what is opened.
class MetalDriver final : public hal_driver_t, public HostObject {
 public:
  static Status Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver);

  Status ListDevices(size_t* count, hal_device_summary_t* devices);
  Status QueryDevice(hal_string_view_t id, hal_device_properties_t* out_properties, hal_device_limits_t* out_limits);
  /// `id` is a registry id as ListDevices() gives it, or an ordinal.
  Status CreateDevice(hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs, hal_device_t** out_device);

 private:
  struct Entry {
    Owned<NativeDevice> device;
    MetalTraits traits;
    HostString id;
  };

  explicit MetalDriver(const hal_driver_interface_t& completed);
  Status Find(std::string_view id, size_t* out_index) const;

  HostVector<Entry> entries_;  // by ordinal
};

}  // namespace halyard::metal

/// The driver's tables. As every driver's, for the registry.
extern "C" const hal_driver_interface_t* hal_metal_driver_interface(void);

#endif  // HALYARD_METAL_DEVICE_METAL_DRIVER_H_
