// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operating system tells of the machine. Each answers that it does not know where there is no /proc or /sys.
#ifndef HALYARD_DRIVER_KIT_DEVICE_SYSTEM_FACTS_H_
#define HALYARD_DRIVER_KIT_DEVICE_SYSTEM_FACTS_H_

#include <cstdint>

#include "halyard/device_properties.h"

namespace halyard {

/// Bytes that programs can still take without swapping, now; UINT64_MAX if unknown.
uint64_t AvailableHostMemory();

/// The NUMA node of all processors; -1 if there are several, or if unknown.
int32_t OnlyNumaNode();

/// The NUMA node that a device on the PCI bus is next to; -1 if unknown.
int32_t NumaNodeOf(const hal_pci_address_t& address);

/// The most that the processors run at, or what they run at now if that is all that is known; 0 if unknown.
uint32_t ProcessorClockKhz();

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_SYSTEM_FACTS_H_
