// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device whose memory a test can use up.
#ifndef HALYARD_TESTS_CTS_SMALL_DEVICE_H_
#define HALYARD_TESTS_CTS_SMALL_DEVICE_H_

#include <cstdint>

#include "cts/device.h"

namespace halyard::cts {

/// A device of its own, with nothing allocated yet.
struct SmallDevice {
  Device device;
  uint64_t capacity;  ///< bytes that all its buffers together can have at most
};

/// Opens the device under test again: with little memory if its driver takes the parameter `memory`, else with as much
/// as its largest device-local heap has. Tests allocate fractions of the capacity and touch only a few bytes of them.
SmallDevice OpenSmallDevice();

/// What the device's allocator says now.
hal_allocator_statistics_t StatisticsOf(const Device& device);

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_SMALL_DEVICE_H_
