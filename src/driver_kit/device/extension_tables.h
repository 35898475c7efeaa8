// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Function tables of the extensions that drivers have in common, made from the class of a driver's devices.
#ifndef HALYARD_DRIVER_KIT_DEVICE_EXTENSION_TABLES_H_
#define HALYARD_DRIVER_KIT_DEVICE_EXTENSION_TABLES_H_

#include "driver_kit/device/device_extension.h"
#include "driver_kit/executable/image_kind.h"
#include "driver_kit/object/vtable.h"
#include "halyard/driver_api.h"
#include "halyard/executable_targets.h"
#include "halyard/fault_injection.h"

namespace halyard {

template <class Device>
inline constexpr hal_fault_injection_interface_t kFaultInjectionTable = {
    sizeof(hal_fault_injection_interface_t), [](hal_device_t* device, hal_string_view_t reason) noexcept {
      return Publish(Guard([&] {
        static_cast<Device*>(device)->Lose(View(reason));
        return kOk;
      }));
    }};

template <class Device>
inline constexpr hal_executable_targets_interface_t kExecutableTargetsTable = {
    sizeof(hal_executable_targets_interface_t),
    [](hal_device_t* device, hal_string_view_t format, hal_string_view_t target, uint32_t* out_rank) noexcept {
      const ImageKind image = {View(format), View(target), 0};
      return Publish(Guard([&] { return static_cast<Device*>(device)->RankImage(image, out_rank); }));
    },
    [](hal_device_t* device, hal_string_view_t format, hal_string_view_t target, uint32_t isa_version,
       uint32_t* out_rank) noexcept {
      const ImageKind image = {View(format), View(target), isa_version};
      return Publish(Guard([&] { return static_cast<Device*>(device)->RankImage(image, out_rank); }));
    }};

/// `void Device::Lose(std::string_view reason)` makes the device behave as lost.
template <class Device>
constexpr DeviceExtension FaultInjection() {
  return {HAL_FAULT_INJECTION_INTERFACE, 1, &kFaultInjectionTable<Device>};
}

/// `Status Device::RankImage(const ImageKind& image, uint32_t* out_rank)` says how well an image fits.
template <class Device>
constexpr DeviceExtension ExecutableTargets() {
  return {HAL_EXECUTABLE_TARGETS_INTERFACE, 1, &kExecutableTargetsTable<Device>};
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_EXTENSION_TABLES_H_
