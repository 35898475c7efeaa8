// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device says about images before it sees them.
#ifndef HALYARD_CORE_EXECUTABLE_VARIANT_RANKING_H_
#define HALYARD_CORE_EXECUTABLE_VARIANT_RANKING_H_

#include <string_view>

#include "halyard/driver_api.h"
#include "halyard/executable_targets.h"
#include "image/halx/variant_choice.h"

namespace halyard {

/// Asks the device's extension HAL_EXECUTABLE_TARGETS_INTERFACE. A device without it is asked for the format alone;
/// then shared objects of the host are ranked by the host's architecture, images for any target come next, and images
/// that name a target last, for the driver to refuse when it looks into them.
class DeviceRanker final : public VariantRanker {
 public:
  /// The device must outlive the ranker.
  explicit DeviceRanker(hal_device_t* device);

  Status Rank(std::string_view format, std::string_view target, uint32_t isa_version,
              uint32_t* out_rank) const override;

 private:
  hal_device_t* device_;
  const hal_executable_targets_interface_t* extension_ = nullptr;
};

/// What executable files call code for this host: its architecture, as "x86_64" or "aarch64", with the system if that
/// has other files, as "x86_64-windows". Empty if it has no name here.
std::string_view HostArchitecture();

}  // namespace halyard

#endif  // HALYARD_CORE_EXECUTABLE_VARIANT_RANKING_H_
